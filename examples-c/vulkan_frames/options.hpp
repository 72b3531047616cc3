// What the command line asks for.
#pragma once

#include "../renderer/command_line.hpp"

struct Options : PictureOptions {
  int compare = 0; // the least agreement with the host's pictures in dB; 0: no comparison
  int device = 0, queues = 2, tile = 256, in_flight = 3;
  bool validate = false;

  Options(int count, char **words);
};
