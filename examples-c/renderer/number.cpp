#include "number.hpp"

#include <cstdlib>
#include <stdexcept>

int number_of(const std::string &option, const char *word, long least, long most) {
  char *end = nullptr;
  const long value = word == nullptr ? 0 : std::strtol(word, &end, 10);
  if (word == nullptr || end == word || *end != '\0' || value < least || value > most) {
    throw std::runtime_error(option + " takes a number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return static_cast<int>(value);
}
