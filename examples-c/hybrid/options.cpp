#include "options.hpp"

#include "../renderer/number.hpp"

#include <stdexcept>

const char *Options::usage() {
  return "usage: hybrid [scene file] [options]\n"
         "  scene file      what to render (examples-c/scenes/gallery.scene)\n"
         "  --out FILE      the last frame's picture, a PNG file (hybrid.png)\n"
         "  --frames N      how many frames (12)\n"
         "  --width N       of the picture, in pixels (640)\n"
         "  --height N      of the picture, in pixels (360)\n"
         "  --samples N     paths for each pixel (8)\n"
         "  --in-flight N   frames that are under way at once (3)\n"
         "  --trace-on WHERE  vulkan, cuda or host (the first of these that is there)\n"
         "  --device N      which Vulkan device, as vkEnumeratePhysicalDevices counts them (0)\n"
         "  --trace FILE    write what all devices do to FILE, on one clock, for chrome://tracing or Perfetto\n"
         "  --compare DB    render each frame by the renderer's passes on this thread, too, and fail if the pictures'\n"
         "                  peak signal-to-noise ratio is below DB\n"
         "  --validate      fail if Vulkan's validation layer has a complaint\n"
         "  --help          print this\n";
}

Options Options::parse(int count, char **words) {
  Options options;
  for (int i = 1; i < count; i++) {
    const std::string word = words[i];
    const char *next = i + 1 < count ? words[i + 1] : nullptr;
    if (word == "--validate") {
      options.validate = true;
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
    } else if (word == "--trace-on" && next != nullptr) {
      options.trace_on = next;
      if (options.trace_on != "vulkan" && options.trace_on != "cuda" && options.trace_on != "host") {
        throw std::runtime_error("--trace-on takes vulkan, cuda or host, not " + options.trace_on);
      }
    } else if (word == "--compare") {
      options.compare = number_of(word, next, 1, 100);
    } else if (word == "--frames") {
      options.frames = number_of(word, next, 1, 100000);
    } else if (word == "--width") {
      options.width = number_of(word, next, 1, 8192);
    } else if (word == "--height") {
      options.height = number_of(word, next, 1, 8192);
    } else if (word == "--samples") {
      options.samples = number_of(word, next, 1, 65536);
    } else if (word == "--in-flight") {
      options.in_flight = number_of(word, next, 1, 16);
    } else if (word == "--device") {
      options.device = number_of(word, next, 0, 255);
    } else {
      throw std::runtime_error("no such option, or no value for it: " + word + "\n" + usage());
    }
    i++;
  }
  return options;
}
