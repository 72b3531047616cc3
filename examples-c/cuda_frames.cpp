// A renderer on CUDA that owns its context and its streams, and uses gevt for their events: it draws an animated Julia set in
// two passes, keeps three frames in flight, and prints each pass's time on the GPU beside what the driver's own events say.
//
// `cuda_frames --help` lists the options. Only cuda_frames/pipeline.cpp knows of gevt. Without a GPU the program says so, and
// that is no failure.
#include <algorithm>
#include <chrono>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "check.h"
#include "cuda_frames/pipeline.hpp"
#include "renderer/command_line.hpp"
#include "renderer/png.hpp"

namespace {

struct Options {
  int frames = 30;
  std::string out = "cuda_frames.png";
};

// Submits as long as there is room, and polls for the oldest frame; `use` takes each frame's number, picture and times.
template <class Use>
void run(Pipeline &pipeline, int frames, Use &&use) {
  int submitted = 0;
  for (int collected = 0; collected < frames;) {
    while (submitted < frames && pipeline.in_flight() < Pipeline::kInFlight) {
      pipeline.submit();
      submitted++;
    }
    if (pipeline.oldest_finished()) {
      PassTime times[Application::kPasses];
      const uint8_t *picture = pipeline.collect(times);
      use(collected, picture, times);
      collected++;
    } else {
      // An application would turn to its window, its input or the next frame's scene here.
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
}

bool shows_something(const std::vector<uint8_t> &rgb) {
  const auto ends = std::minmax_element(rgb.begin(), rgb.end());
  return *ends.second - *ends.first > 128;
}

int render(const Application &application, const Options &options) {
  int apart = 0;
  std::vector<uint8_t> first, last;
  {
    Pipeline pipeline(application);
    // The first frames wait for the driver to load the kernels; they tell nothing of a frame's time.
    run(pipeline, Pipeline::kInFlight, [](int, const uint8_t *, const PassTime *) {});

    std::printf("frame    draw: gevt ms   CUDA ms    develop: gevt ms   CUDA ms\n");
    run(pipeline, options.frames, [&](int frame, const uint8_t *picture, const PassTime *times) {
      const PassTime &draw = times[Application::kDraw], &develop = times[Application::kDevelop];
      const bool agree = draw.agrees() && develop.agrees();
      apart += agree ? 0 : 1;
      std::printf("%5d %16.4f %9.4f %19.4f %9.4f%s\n", frame, static_cast<double>(draw.gevt_ms),
                  static_cast<double>(draw.cuda_ms), static_cast<double>(develop.gevt_ms),
                  static_cast<double>(develop.cuda_ms), agree ? "" : "   APART");
      (frame == 0 ? first : last).assign(picture, picture + Application::kPictureBytes);
    });
  }
  EXPECT(gevt_live_events() == 0);
  EXPECT(shows_something(last));
  EXPECT(first != last);
  write_png(options.out, Application::kWidth, Application::kHeight, last);
  std::printf("picture: %s\n", options.out.c_str());
  if (apart > 0) {
    std::fprintf(stderr, "cuda_frames: in %d of %d frames the times are more than 2 us + 1 %% apart\n", apart,
                 options.frames);
    return EXIT_FAILURE;
  }
  std::printf("the times of gevt and CUDA agree within 2 us + 1 %% in all %d frames\n", options.frames);
  return EXIT_SUCCESS;
}

} // namespace

int main(int count, char **words) {
  try {
    Options options;
    read_options("cuda_frames", count, words,
                 {{"--frames N", Number{&options.frames, 2, 100000}, "how many frames"},
                  {"--out FILE", &options.out, "the last frame's picture, a PNG file"}});
    if (const std::string trouble = load_driver(); !trouble.empty()) {
      std::printf("SKIPPED: %s\n", trouble.c_str());
      return EXIT_SUCCESS;
    }
    const Application application;
    if (!application.trouble().empty()) {
      std::printf("SKIPPED: %s\n", application.trouble().c_str());
      return EXIT_SUCCESS;
    }
    return render(application, options);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "cuda_frames: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
