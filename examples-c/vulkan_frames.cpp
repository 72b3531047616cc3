// A path tracer on Vulkan that owns its device and its queues, and uses gevt for their order and their times: the scene of the
// renderer in three passes (trace, denoise, tone map), as compute shaders, several frames in flight. It prints each pass's time
// on the GPU as gevt tells it beside the application's own query pool. `vulkan_frames --help` lists the options.
//
// The main thread issues frames, polls for the oldest one and takes its picture; it never waits for a frame. Only
// vulkan_frames/pipeline.cpp and wrapped.cpp know of gevt. Without Vulkan the program says so, and that is no failure.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <limits>
#include <thread>

#include "check.h"
#include "renderer/png.hpp"
#include "vulkan_frames/likeness.hpp"
#include "vulkan_frames/pipeline.hpp"

namespace {

// Ctrl-C ends the program after the frames that are under way.
volatile std::sig_atomic_t interrupted = 0;

void interrupt(int) {
  interrupted = 1;
}

// The host's picture of a frame, by the passes of the renderer.
class Host {
public:
  Host(const Scene &scene, const Options &options) : frame_(scene, options.width, options.height, options.samples) {}

  const std::vector<uint8_t> &render(int number) {
    frame_.render(number);
    return frame_.rgb();
  }

private:
  Frame frame_;
};

void print(int frame, const FrameTimes &times) {
  if (frame == 0) {
    std::printf("frame    trace: gevt ms   own ms    denoise: gevt ms   own ms    tone map: gevt ms   own ms\n");
  }
  std::printf("%5d %17.3f %8.3f %20.3f %8.3f %21.3f %8.3f%s\n", frame, times.gevt_ms[0], times.own_ms[0],
              times.gevt_ms[1], times.own_ms[1], times.gevt_ms[2], times.own_ms[2], times.agree ? "" : "   APART");
}

// What came of all frames.
struct Result {
  int frames = 0, apart = 0;                                 // `apart`: frames whose times do not agree
  double likeness = std::numeric_limits<double>::infinity(); // the least of all frames
  std::vector<uint8_t> rgb;                                  // the last picture
};

// Submits as long as there is room, and polls for the oldest frame.
Result render(Application &application, const Options &options, const Scene &scene) {
  Host host(scene, options);
  Pipeline pipeline(application, scene, options);
  std::printf("%s, %d queues, %d tiles, %d frames in flight\n", application.name().c_str(), application.queue_count(),
              pipeline.tile_count(), options.in_flight);
  Result result;
  int submitted = 0;
  long polls = 0;
  const auto more = [&] { return submitted < options.frames && interrupted == 0; };
  const auto began = std::chrono::steady_clock::now();
  while (more() || pipeline.in_flight() > 0) {
    while (more() && pipeline.in_flight() < pipeline.most_in_flight()) {
      pipeline.submit();
      submitted++;
    }
    polls++;
    if (pipeline.oldest_finished()) {
      FrameTimes times;
      result.rgb = pipeline.collect(times);
      print(result.frames, times);
      result.apart += times.agree ? 0 : 1;
      if (options.compare > 0) {
        result.likeness = std::min(result.likeness, likeness(result.rgb, host.render(result.frames)));
      }
      result.frames++;
    } else {
      // An application would turn to its window, its input or the next frame's scene here.
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  std::printf("%d frames in %.3f s, %.1f a second, %ld polls\n", result.frames, took.count(),
              result.frames / took.count(), polls);
  return result;
}

// Says how the frames were, and returns whether all is well.
bool report(const Options &options, const Result &result) {
  if (result.frames == 0) {
    return true; // interrupted at once
  }
  write_png(options.out, options.width, options.height, result.rgb);
  std::printf("picture: %s\n", options.out.c_str());
  if (result.apart > 0) {
    std::fprintf(stderr, "vulkan_frames: in %d of %d frames the times are apart\n", result.apart, result.frames);
  } else {
    std::printf("the times of gevt and of the application's query pool agree in all %d frames\n", result.frames);
  }
  if (options.compare > 0) {
    std::printf("likeness with the host's pictures: %.1f dB or more\n", result.likeness);
  }
  return result.apart == 0 && (options.compare <= 0 || result.likeness >= options.compare);
}

// Returns whether all is well. That this machine cannot run the program is.
bool run(const Options &options, const Scene &scene, int *complaints) {
  if (const std::string trouble = load_driver(); !trouble.empty()) {
    std::printf("SKIPPED: %s\n", trouble.c_str());
    return true;
  }
  Application application(options.device, options.queues, complaints);
  if (!application.trouble().empty()) {
    std::printf("SKIPPED: %s\n", application.trouble().c_str());
    return true;
  }
  if (!options.trace.empty()) {
    gevt::trace_start(options.trace.c_str());
  }
  std::signal(SIGINT, interrupt);
  const Result result = render(application, options, scene);
  EXPECT(gevt_live_events() == 0);
  if (!options.trace.empty()) {
    gevt::trace_stop();
  }
  return report(options, result);
}

} // namespace

int main(int count, char **words) {
  try {
    const Options options(count, words);
    int complaints = 0;
    const bool good = run(options, read_scene(options.scene), options.validate ? &complaints : nullptr);
    if (complaints > 0) {
      std::fprintf(stderr, "vulkan_frames: the validation layer has %d complaints\n", complaints);
    }
    return good && complaints == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "vulkan_frames: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
