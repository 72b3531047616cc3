// What the command line asks for.
#pragma once

#include <string>

struct Options {
  std::string scene = "examples-c/scenes/gallery.scene";
  std::string out = "hybrid.png";
  std::string trace;    // none where it is empty
  std::string trace_on; // vulkan, cuda or host; the first of them that is there where it is empty
  double compare = 0;   // the least agreement with the host's pictures in dB; 0: no comparison
  int frames = 12, width = 640, height = 360, samples = 8, in_flight = 3;
  int device = 0;
  bool validate = false;
  bool help = false;

  static const char *usage();

  // Throws std::runtime_error for an option that does not exist or a value out of range.
  static Options parse(int count, char **words);
};
