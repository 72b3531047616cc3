// What the command line asks for.
#pragma once

#include <string>

struct Options {
  std::string scene = "examples-c/scenes/gallery.scene";
  std::string out = "picture.png";
  std::string trace; // none where it is empty
  int frames = 6, width = 640, height = 360, samples = 8, threads = 0;
  bool serial = false;
  bool help = false;

  static const char *usage();

  // Throws std::runtime_error for an option that does not exist or a value out of range.
  static Options parse(int count, char **words);

  // The file for a frame's picture: `out` with its run of '#' replaced by the frame's number. Without one, only the last frame
  // has a file, and the others' names are empty.
  std::string file_of(int frame) const;
};
