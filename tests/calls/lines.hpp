// Reads a file of cases, as lines and words. Scenario files and .calls files have this form.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

using words = std::vector<std::string>;

// A mistake in the file itself.
struct mistake : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct line {
  const char *file;
  int number;
  size_t indent;
  std::string text;
};

// What follows a line's colon, or else the lines under it.
struct body {
  std::string step;
  size_t at, from, to;
};

static std::vector<line> &lines = *new std::vector<line>;

static void read_lines(const char *path) {
  std::ifstream file(path);
  std::string text;
  if (!file) {
    printf("FAILED: %s cannot be read\n", path);
    exit(1);
  }
  for (int number = 1; std::getline(file, text); number++) {
    size_t indent = text.find_first_not_of(' ');
    if (indent != std::string::npos && text[indent] != '#')
      lines.push_back(line{path, number, indent, text.substr(indent)});
  }
}

// Where the lines under a line end.
static size_t end_of(size_t at) {
  size_t to = at + 1;
  while (to < lines.size() && lines[to].indent > lines[at].indent) to++;
  return to;
}

// The words of a text. A word in quotes keeps the first quote, and may have bytes as \xFF.
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

static std::string unquoted(const std::string &word) {
  return word[0] == '"' ? word.substr(1) : word;
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

// The values after "in": words, or numbers A..B. Gives at most `most` numbers of a range.
static words values_of(const words &all, size_t from, long long most) {
  words out;
  for (size_t i = from; i < all.size() && all[i] != "for"; i++) {
    size_t dots = all[i].find("..");
    if (dots == std::string::npos || all[i][0] == '"') {
      out.push_back(unquoted(all[i]));
      continue;
    }
    long long first = atoll(all[i].c_str()), last = atoll(all[i].c_str() + dots + 2);
    for (long long number = first; number <= last && number - first < most; number++)
      out.push_back(std::to_string(number));
  }
  return out;
}
