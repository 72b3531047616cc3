// A program's options as a table, which reads the command line and is printed by --help.
#pragma once

#include <string>
#include <variant>
#include <vector>

// The whole numbers that an option takes.
struct Number {
  int *value;
  int least, most;
};

struct Option {
  std::string name; // with a word for its value: "--frames N"
  std::variant<bool *, std::string *, Number> value;
  std::string help; // the value that it has without the option is added
};

// What every program that renders scenes is asked for.
struct PictureOptions {
  std::string scene = "examples-c/scenes/gallery.scene";
  std::string out;
  std::string trace; // none where it is empty
  int frames, width = 640, height = 360, samples = 8;

protected:
  PictureOptions(const char *out, int frames) : out(out), frames(frames) {}

  // Reads the command line: the options above and the program's own. For --help it prints all of them and ends the program.
  // Throws std::runtime_error for an option that does not exist or a value out of range.
  void read(const char *program, int count, char **words, const std::vector<Option> &own,
            const char *out_help = "the last frame's picture, a PNG file");
};

// The same for a program that has just these options.
void read_options(const char *program, int count, char **words, const std::vector<Option> &options);
