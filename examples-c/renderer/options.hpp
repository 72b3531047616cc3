// What the command line asks for.
#pragma once

#include "command_line.hpp"

struct Options : PictureOptions {
  int threads = 0;
  bool serial = false;

  Options(int count, char **words);

  // The file for a frame's picture: `out` with its run of '#' replaced by the frame's number. Without one, only the last frame
  // has a file, and the others' names are empty.
  std::string file_of(int frame) const;
};
