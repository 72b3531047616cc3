#include "options.hpp"

#include <stdexcept>

Options::Options(int count, char **words) : PictureOptions("hybrid.png", 12) {
  read("hybrid", count, words,
       {{"--in-flight N", Number{&in_flight, 1, 16}, "frames that are under way at once"},
        {"--trace-on WHERE", &trace_on, "vulkan, cuda or host (the first of these that is there)"},
        {"--device N", Number{&device, 0, 255}, "which Vulkan device, as vkEnumeratePhysicalDevices counts them"},
        {"--compare DB", Number{&compare, 1, 100},
         "render each frame by the renderer's passes on this thread, too, and fail\n"
         "if the pictures' peak signal-to-noise ratio is below DB"},
        {"--validate", &validate, "fail if Vulkan's validation layer has a complaint"}});
  if (!trace_on.empty() && trace_on != "vulkan" && trace_on != "cuda" && trace_on != "host") {
    throw std::runtime_error("--trace-on takes vulkan, cuda or host, not " + trace_on);
  }
}
