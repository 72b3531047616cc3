// The text of a scenario: variables, and the values of a loop.
#pragma once

#include "names.hpp"

static const char *path;

// The value of $NAME, or a sum of names and numbers, as $(LAST-N+1).
static std::string substitute(const std::string &text, const variables &known) {
  if (text.find('$') == std::string::npos) return text;
  auto value = [&](const std::string &name) {
    auto found = known.find(name);
    if (found == known.end()) throw mistake("nothing is called $" + name);
    return found->second;
  };
  auto word_from = [&](size_t from) {
    size_t to = from;
    while (to < text.size() && isalnum((unsigned char)text[to])) to++;
    return text.substr(from, to - from);
  };
  std::string out;
  for (size_t i = 0; i < text.size(); i++) {
    if (text[i] != '$') {
      out += text[i];
    } else if (text.compare(i, 2, "$(") != 0) {
      std::string name = word_from(i + 1);
      out += value(name);
      i += name.size();
    } else {
      long long sum = 0;
      for (i++; i < text.size() && text[i] != ')';) {
        std::string term = word_from(i + 1);
        long long number = atoll((term.empty() || isdigit((unsigned char)term[0]) ? term : value(term)).c_str());
        sum += text[i] == '-' ? -number : number;
        i += term.size() + 1;
      }
      if (i == text.size()) throw mistake("a bracket is not closed");
      out += std::to_string(sum);
    }
  }
  return out;
}

static words unquoted(words all) {
  for (std::string &word : all) word = unquoted(word);
  return all;
}

// A tool that watches the program sees no more in many rounds than in a thousand.
static words values_of(const words &all, size_t from) {
  return values_of(all, from, !subject_tool() ? LLONG_MAX : all[from - 2] == "TRY" ? 1 : 1000);
}
