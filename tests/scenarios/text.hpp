// The text of a scenario: its lines, the words of a line, and variables in it.
#pragma once

#include "names.hpp"

#include <fstream>

struct line {
  int number;
  size_t indent;
  std::string text;
};

static const char *path;
static std::vector<line> &lines = *new std::vector<line>;

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

// The words of a text; those in quotes keep their first one, and may have bytes as \xFF.
static words split(const std::string &text) {
  words out;
  for (size_t i = 0; i < text.size(); i++) {
    if (text[i] == ' ') continue;
    size_t to = text[i] == '"' ? text.find('"', i + 1) : std::min(text.find(' ', i), text.size());
    if (to == std::string::npos) throw mistake("a quote is not closed");
    std::string word = text.substr(i, to - i);
    for (size_t at = word.find("\\x"); at != std::string::npos && at + 3 < word.size(); at = word.find("\\x", at + 1))
      word.replace(at, 4, 1, (char)strtol(word.substr(at + 2, 2).c_str(), nullptr, 16));
    out.push_back(word);
    i = to;
  }
  return out;
}

static words unquoted(words all) {
  for (std::string &word : all) {
    if (word[0] == '"') word.erase(0, 1);
  }
  return all;
}

// Returns where the part begins in the text, outside quotes.
static size_t find_unquoted(const std::string &text, const char *part) {
  bool quoted = false;
  for (size_t i = 0; i < text.size(); i++) {
    quoted = quoted != (text[i] == '"');
    if (!quoted && text.compare(i, strlen(part), part) == 0) return i;
  }
  return std::string::npos;
}

// The values behind "in": words, or numbers A..B. A tool that watches the program sees no more in many rounds than in a thousand.
static words values_of(const words &all, size_t from) {
  words out;
  for (size_t i = from; i < all.size() && all[i] != "for"; i++) {
    size_t dots = all[i].find("..");
    if (dots == std::string::npos || all[i][0] == '"') {
      out.push_back(all[i].substr(all[i][0] == '"' ? 1 : 0));
      continue;
    }
    long long first = atoll(all[i].c_str()), last = atoll(all[i].c_str() + dots + 2);
    if (subject_tool()) last = all[from - 2] == "TRY" ? first : std::min(last, first + 999);
    for (long long number = first; number <= last; number++) out.push_back(std::to_string(number));
  }
  return out;
}

static void read_lines() {
  std::ifstream file(path);
  std::string text;
  if (!file) {
    printf("FAILED: %s cannot be read\n", path);
    exit(1);
  }
  for (int number = 1; std::getline(file, text); number++) {
    size_t indent = text.find_first_not_of(' ');
    if (indent != std::string::npos && text[indent] != '#') lines.push_back(line{number, indent, text.substr(indent)});
  }
}
