#include "options.hpp"

#include <algorithm>

Options::Options(int count, char **words) : PictureOptions("picture.png", 6) {
  read("renderer", count, words,
       {{"--threads N", Number{&threads, 1, 256}, "tiles that are drawn at once (the number of cores)"},
        {"--serial", &serial,
         "render on the calling thread, without gevt and its trace: the same picture,\n"
         "byte for byte"}},
       "the last frame's picture, a PNG file; every frame's if FILE holds a '#' or several,\n"
       "which stand for the frame's number: out-##.png");
}

std::string Options::file_of(int frame) const {
  const size_t first = out.find('#');
  if (first == std::string::npos) {
    return frame == frames - 1 ? out : "";
  }
  const size_t last = std::min(out.find_first_not_of('#', first), out.size());
  std::string digits = std::to_string(frame);
  if (digits.size() < last - first) {
    digits.insert(0, last - first - digits.size(), '0');
  }
  return out.substr(0, first) + digits + out.substr(last);
}
