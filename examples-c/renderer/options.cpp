#include "options.hpp"

#include "number.hpp"

#include <algorithm>
#include <stdexcept>

const char *Options::usage() {
  return "usage: renderer [scene file] [options]\n"
         "  scene file      what to render (examples-c/scenes/gallery.scene)\n"
         "  --out FILE      the last frame's picture, a PNG file (picture.png); every frame's if FILE\n"
         "                  holds a '#' or several, which stand for the frame's number: out-##.png\n"
         "  --frames N      how many frames (6)\n"
         "  --width N       of the picture, in pixels (640)\n"
         "  --height N      of the picture, in pixels (360)\n"
         "  --samples N     paths for each pixel (8)\n"
         "  --threads N     tiles that are drawn at once (the number of cores)\n"
         "  --trace FILE    write what streams and events do to FILE, for chrome://tracing or Perfetto;\n"
         "                  not with --serial\n"
         "  --serial        render on the calling thread, without gevt: the same picture, byte for byte\n"
         "  --help          print this\n";
}

Options Options::parse(int count, char **words) {
  Options options;
  for (int i = 1; i < count; i++) {
    const std::string word = words[i];
    const char *next = i + 1 < count ? words[i + 1] : nullptr;
    if (word == "--serial") {
      options.serial = true;
      continue;
    }
    if (word == "--help") {
      options.help = true;
      continue;
    }
    if (word.compare(0, 1, "-") != 0) {
      options.scene = word;
      continue;
    }
    if (word == "--out" && next != nullptr) {
      options.out = next;
    } else if (word == "--trace" && next != nullptr) {
      options.trace = next;
    } else if (word == "--frames") {
      options.frames = number_of(word, next, 1, 100000);
    } else if (word == "--width") {
      options.width = number_of(word, next, 1, 8192);
    } else if (word == "--height") {
      options.height = number_of(word, next, 1, 8192);
    } else if (word == "--samples") {
      options.samples = number_of(word, next, 1, 65536);
    } else if (word == "--threads") {
      options.threads = number_of(word, next, 1, 256);
    } else {
      throw std::runtime_error("no such option, or no value for it: " + word + "\n" + usage());
    }
    i++;
  }
  return options;
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
