// A path tracer on gevt's host streams. It renders a few frames of a moving camera in three passes: trace, denoise, tone map. The last
// frame becomes a PNG file. The main thread queues frames and polls for the oldest one; it never waits for a frame.
//
// renderer/pipeline.cpp has the streams and events. The rest of renderer/ does not use gevt.
//
// usage: renderer [PICTURE [FRAMES [WIDTH HEIGHT [SAMPLES]]]]
// The environment variable GEVT_HOST_THREADS sets the number of threads, and GEVT_TRACE a file for a trace.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>

#include "gevt.hpp"
#include "renderer/pipeline.hpp"
#include "renderer/png.hpp"

namespace {

struct Options {
  Options(int count, char **words) {
    if (count > 1) picture = words[1];
    int *const numbers[] = {&frames, &width, &height, &samples};
    for (int i = 0; i < 4 && i + 2 < count; i++) *numbers[i] = std::atoi(words[i + 2]);
    for (const int *number : numbers) {
      if (*number < 1) throw std::runtime_error("usage: renderer [PICTURE [FRAMES [WIDTH HEIGHT [SAMPLES]]]]");
    }
  }

  const char *picture = "picture.png";
  int frames = 6, width = 640, height = 360, samples = 8;
};

void render(const Options &options) {
  const Scene scene = gallery();
  Pipeline pipeline(scene, options.width, options.height, options.samples);
  const auto began = std::chrono::steady_clock::now();
  long polls = 0;
  for (int submitted = 0, collected = 0; collected < options.frames;) {
    if (submitted < options.frames && pipeline.in_flight() < Pipeline::kInFlight) {
      pipeline.submit();
      submitted++;
    } else if (polls++; pipeline.oldest_complete()) {
      const Frame &frame = pipeline.collect();
      collected++;
      if (collected == options.frames) write_png(options.picture, options.width, options.height, frame.rgb());
    } else {
      // A program would handle input, or prepare the next frame.
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
  for (const gevt::zone_average &zone : pipeline.times()) {
    std::printf("%-9s %8.2f ms\n", zone.name, static_cast<double>(zone.mean.count()) / 1e6);
  }
  std::printf("%d frames, one every %.2f ms; %u threads, %ld polls\n", options.frames, took.count() / options.frames,
              gevt::host_threads(), polls);
}

} // namespace

int main(int count, char **words) {
  try {
    render(Options(count, words));
  } catch (const std::exception &error) {
    std::fprintf(stderr, "renderer: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
