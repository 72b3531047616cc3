#include "options.hpp"

Options::Options(int count, char **words) : PictureOptions("vulkan_frames.png", 6) {
  read(
      "vulkan_frames", count, words,
      {{"--device N", Number{&device, 0, 255}, "which device, as vkEnumeratePhysicalDevices counts them"},
       {"--queues N", Number{&queues, 1, 64},
        "queues of the device, as far as it has them: the last one denoises and maps\n"
        "tones, the others trace"},
       {"--tile N", Number{&tile, 8, 8192}, "the side of a tile in pixels; each is traced by a submit of its own"},
       {"--in-flight N", Number{&in_flight, 1, 16}, "frames that are under way at once"},
       {"--compare DB", Number{&compare, 1, 100},
        "render each frame on the host, too, and fail if the pictures' peak\n"
        "signal-to-noise ratio is below DB"},
       {"--validate", &validate, "fail if the validation layer has a complaint, of synchronization or anything else"}});
}
