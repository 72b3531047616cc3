// A path tracer on gevt's streams: it reads a scene, renders a few frames of a moving camera in three passes (trace, denoise,
// tone map), and writes a PNG picture. `renderer --help` lists the options.
//
// The main thread issues frames, polls for the oldest one and writes pictures; it never waits for a frame. The streams and
// events are in renderer/pipeline.cpp; the rest of renderer/ knows nothing of gevt.
#include <chrono>
#include <cstdio>
#include <exception>
#include <thread>

#include "check.h"
#include "renderer/options.hpp"
#include "renderer/pipeline.hpp"
#include "renderer/png.hpp"

namespace {

void keep(const Options &options, const Frame &frame) {
  const std::string file = options.file_of(frame.number());
  if (!file.empty()) {
    write_png(file, options.width, options.height, frame.rgb());
  }
}

void render_on_streams(const Options &options, const Scene &scene) {
  gevt::set_host_threads(static_cast<uint32_t>(options.threads));
  TimesTable table;
  int submitted = 0, collected = 0, deepest = 0;
  long polls = 0;
  {
    Pipeline pipeline(scene, options.width, options.height, options.samples);
    while (collected < options.frames) {
      while (submitted < options.frames && pipeline.in_flight() < Pipeline::kInFlight) {
        pipeline.submit();
        submitted++;
      }
      deepest = std::max(deepest, pipeline.in_flight());
      polls++;
      if (pipeline.oldest_finished()) {
        FrameTimes times;
        const Frame &frame = pipeline.collect(times);
        collected++;
        table.print(times);
        keep(options, frame);
      } else {
        // An application would turn to its window, its input or the next frame's scene here.
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    }
  }
  table.print_means();
  std::printf("%u threads, at most %d frames in flight, %ld polls\n", gevt::host_threads(), deepest, polls);
  EXPECT(deepest == std::min(options.frames, Pipeline::kInFlight));
  EXPECT(gevt_live_events() == 0);
}

void render_serially(const Options &options, const Scene &scene) {
  const auto origin = std::chrono::steady_clock::now();
  const auto now = [&] {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - origin).count();
  };
  TimesTable table;
  Frame frame(scene, options.width, options.height, options.samples);
  for (int number = 0; number < options.frames; number++) {
    FrameTimes times;
    times.frame = number;
    frame.start(number);
    for (int step = 0; step < Frame::kSteps; step++) {
      const int64_t start = now();
      for (int tile = 0; tile < frame.tile_count(); tile++) {
        frame.run(step, tile);
      }
      times.passes[Frame::pass_of(step)].cover(start, now());
    }
    table.print(times);
    keep(options, frame);
  }
  table.print_means();
}

} // namespace

int main(int count, char **words) {
  try {
    const Options options(count, words);
    const Scene scene = read_scene(options.scene);
    if (options.serial) {
      render_serially(options, scene);
    } else {
      if (!options.trace.empty()) {
        gevt::trace_start(options.trace.c_str());
      }
      render_on_streams(options, scene);
      if (!options.trace.empty()) {
        gevt::trace_stop();
      }
    }
  } catch (const std::exception &error) {
    std::fprintf(stderr, "renderer: %s\n", error.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
