// A number of the command line.
#pragma once

#include <string>

// The value of an option; `word` may be null. Throws std::runtime_error unless it is a number in the range.
int number_of(const std::string &option, const char *word, long least, long most);
