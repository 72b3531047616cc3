#include "command_line.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace {

// The word that stands on the command line; the scene file has none.
std::string word_of(const Option &option) {
  return option.name.substr(0, option.name.find(' '));
}

// The value that the option has so far, or nothing where that stands for none.
std::string default_of(const Option &option) {
  if (const auto *text = std::get_if<std::string *>(&option.value)) {
    return (*text)->empty() ? "" : " (" + **text + ")";
  }
  const auto *number = std::get_if<Number>(&option.value);
  return number == nullptr || *number->value < number->least ? "" : " (" + std::to_string(*number->value) + ")";
}

std::string usage(const char *program, const std::vector<Option> &options) {
  const size_t column = 20;
  std::string text = std::string("usage: ") + program + " [options]\n";
  for (const Option &option : options) {
    std::string line = "  " + option.name + "  ";
    line.resize(std::max(line.size(), column), ' ');
    line += option.help + default_of(option) + "\n";
    // Lines of the help are indented alike.
    for (size_t end = line.find('\n'); end + 1 < line.size(); end = line.find('\n', end + 1)) {
      line.insert(end + 1, column, ' ');
    }
    text += line;
  }
  return text + "  --help            print this\n";
}

int number_of(const std::string &word, const char *text, const Number &number) {
  char *end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (end == text || *end != '\0' || value < number.least || value > number.most) {
    throw std::runtime_error(word + " takes a number from " + std::to_string(number.least) + " to " +
                             std::to_string(number.most));
  }
  return static_cast<int>(value);
}

} // namespace

void read_options(const char *program, int count, char **words, const std::vector<Option> &options) {
  for (int i = 1; i < count; i++) {
    const std::string word = words[i];
    if (word == "--help") {
      std::fputs(usage(program, options).c_str(), stdout);
      std::exit(EXIT_SUCCESS);
    }
    const bool is_file = word.compare(0, 1, "-") != 0;
    const auto option = std::find_if(options.begin(), options.end(), [&](const Option &candidate) {
      return is_file ? candidate.name[0] != '-' : word_of(candidate) == word;
    });
    const bool is_flag = option != options.end() && std::holds_alternative<bool *>(option->value);
    if (option == options.end() || (!is_file && !is_flag && ++i == count)) {
      throw std::runtime_error("no such option, or no value for it: " + word + "\n" + usage(program, options));
    }
    if (is_flag) {
      *std::get<bool *>(option->value) = true;
    } else if (const auto *text = std::get_if<std::string *>(&option->value)) {
      **text = words[i];
    } else {
      const Number &number = std::get<Number>(option->value);
      *number.value = number_of(word, words[i], number);
    }
  }
}

void PictureOptions::read(const char *program, int count, char **words, const std::vector<Option> &own,
                          const char *out_help) {
  std::vector<Option> options = {
      {"SCENE", &scene, "the file of what to render"},
      {"--out FILE", &out, out_help},
      {"--frames N", Number{&frames, 1, 100000}, "how many frames"},
      {"--width N", Number{&width, 1, 8192}, "of the picture, in pixels"},
      {"--height N", Number{&height, 1, 8192}, "of the picture, in pixels"},
      {"--samples N", Number{&samples, 1, 65536}, "paths for each pixel"},
      {"--trace FILE", &trace, "write what devices, streams and events do to FILE, for chrome://tracing\nor Perfetto"},
  };
  options.insert(options.end(), own.begin(), own.end());
  read_options(program, count, words, options);
}
