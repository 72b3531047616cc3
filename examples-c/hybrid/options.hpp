// What the command line asks for.
#pragma once

#include "../renderer/command_line.hpp"

struct Options : PictureOptions {
  std::string trace_on; // vulkan, cuda or host; the first of them that is there where it is empty
  int compare = 0;      // the least agreement with the host's pictures in dB; 0: no comparison
  int in_flight = 3, device = 0;
  bool validate = false;

  Options(int count, char **words);
};
