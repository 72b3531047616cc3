// One frame on three kinds of device: traced on Vulkan (or CUDA, or the host), denoised on CUDA where there is a GPU, else on the
// host's streams, tone-mapped and encoded as a PNG file on the host's streams. Several frames are in flight, and nothing but
// gevt_stream_wait orders their passes, whatever device the event and the stream are of. Every device's times are on one clock.
// `hybrid --help` lists the options.
//
// It renders the frames twice: ordered by gevt's waits, and with a synchronisation of the device behind each pass. Each kind of
// device has a file of its own in hybrid/. Without Vulkan, or without a GPU, the program says so and takes the next device.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <limits>
#include <stdexcept>
#include <thread>

#include "check.h"
#include "hybrid/pipeline.hpp"
#include "renderer/png.hpp"
#include "vulkan_frames/likeness.hpp"

namespace {

// Ctrl-C ends the program after the frames that are under way.
volatile std::sig_atomic_t interrupted = 0;

void interrupt(int) {
  interrupted = 1;
}

// There is nothing here that could be validated.
struct NothingToValidate : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The devices that there are. What a device has made goes before it.
struct Devices {
  Devices(const Options &options, int *complaints) : host(open_host()) {
    std::string no_vulkan, no_cuda;
    cuda = open_cuda(no_cuda);
    const bool on_vulkan = options.trace_on == "vulkan", on_cuda = options.trace_on == "cuda";
    if (options.trace_on.empty() || on_vulkan) {
      vulkan = open_vulkan(options.device, complaints, no_vulkan);
    }
    tracer = vulkan != nullptr ? vulkan.get() : cuda != nullptr && options.trace_on != "host" ? cuda.get() : host.get();
    if ((on_vulkan && vulkan == nullptr) || (on_cuda && cuda == nullptr)) {
      throw std::runtime_error("nothing to trace on: " + (on_vulkan ? no_vulkan : no_cuda));
    }
    if (complaints != nullptr && vulkan == nullptr) {
      throw NothingToValidate(no_vulkan.empty() ? "it does not trace on Vulkan" : no_vulkan);
    }
    if (!no_vulkan.empty()) {
      std::printf("no Vulkan: %s\n", no_vulkan.c_str());
    }
    if (!no_cuda.empty()) {
      std::printf("no CUDA: %s\n", no_cuda.c_str());
    }
    denoiser = cuda != nullptr ? cuda.get() : host.get();
  }

  std::unique_ptr<Device> host, cuda, vulkan;
  Device *tracer = nullptr, *denoiser = nullptr;
};

void print(int frame, const FrameTimes &times) {
  if (frame == 0) {
    std::printf("frame     trace ms   denoise ms   tone map ms   from begin to end ms\n");
  }
  if (!times.is_known) {
    std::printf("%5d   a device was too busy for its clock to be compared with the host's\n", frame);
    return;
  }
  const auto ms = [](std::chrono::nanoseconds from, std::chrono::nanoseconds to) {
    return std::chrono::duration<double, std::milli>(to - from).count();
  };
  const auto &[trace, denoise, tone_map] = times.passes;
  std::printf("%5d %12.3f %12.3f %13.3f %22.3f%s\n", frame, ms(trace.start, trace.end), ms(denoise.start, denoise.end),
              ms(tone_map.start, tone_map.end), ms(trace.start, tone_map.end), times.in_order ? "" : "   OUT OF ORDER");
}

// What came of all frames.
struct Result {
  int frames = 0, out_of_order = 0;
  double likeness = std::numeric_limits<double>::infinity(); // the least of all frames
  double ms = 0;                                             // for each frame, ordered by gevt's waits
  double synchronised_ms = 0;                                // the same with a synchronisation behind each pass
};

// Submits `count` frames as long as there is room, and polls for the oldest one; `use` takes each frame. Returns the milliseconds
// that a frame took.
template <class Use>
double run(Pipeline &pipeline, int count, bool synchronise, Use &&use) {
  int submitted = 0, collected = 0;
  const auto more = [&] { return submitted < count && interrupted == 0; };
  const auto began = std::chrono::steady_clock::now();
  while (more() || pipeline.in_flight() > 0) {
    while (more() && pipeline.in_flight() < pipeline.most_in_flight()) {
      pipeline.submit(submitted++, synchronise);
    }
    if (pipeline.in_flight() > 0 && pipeline.oldest_finished()) {
      FrameTimes times;
      const Slot &slot = pipeline.collect(times);
      use(slot, times);
      collected++;
    } else {
      // An application would turn to its window, its input or the next frame's scene here.
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
  return took.count() / std::max(1, collected);
}

Result render(const Devices &devices, const Options &options, const Scene &scene) {
  Pipeline pipeline({devices.tracer, devices.denoiser, devices.host.get()}, scene, options);
  const auto nothing = [](const Slot &, const FrameTimes &) {};
  // The first frames wait for the drivers to load the kernels; they say nothing of a frame's time.
  run(pipeline, options.in_flight, false, nothing);

  if (!options.trace.empty()) {
    gevt::trace_start(options.trace.c_str());
  }
  Result result;
  std::vector<std::vector<uint8_t>> pictures;
  std::vector<uint8_t> png;
  std::vector<FrameTimes> times_of;
  result.ms = run(pipeline, options.frames, false, [&](const Slot &slot, const FrameTimes &times) {
    if (options.compare > 0) {
      pictures.push_back(slot.frame.rgb());
    }
    png = slot.png;
    times_of.push_back(times);
  });
  if (!options.trace.empty()) {
    gevt::trace_stop();
  }
  for (const FrameTimes &times : times_of) {
    print(result.frames++, times);
    result.out_of_order += times.in_order ? 0 : 1;
  }
  if (result.frames > 0) {
    write_file(options.out, png);
  }
  result.synchronised_ms = run(pipeline, options.frames, true, nothing);

  // The same frames by the renderer's passes, one pixel after the other.
  Frame expected(scene, options.width, options.height, options.samples);
  for (size_t number = 0; number < pictures.size(); number++) {
    expected.render(static_cast<int>(number));
    result.likeness = std::min(result.likeness, likeness(pictures[number], expected.rgb()));
  }
  return result;
}

// Says how the frames were, and returns whether all is well.
bool report(const Options &options, const Result &result) {
  if (result.frames == 0) {
    return true; // interrupted at once
  }
  std::printf("picture: %s\n", options.out.c_str());
  std::printf("ordered by gevt's waits, %d frames in flight: %.3f ms a frame\n", options.in_flight, result.ms);
  if (interrupted == 0) {
    std::printf("with a device synchronisation behind each pass: %.3f ms a frame, %.2f times that\n",
                result.synchronised_ms, result.synchronised_ms / result.ms);
  }
  if (result.out_of_order > 0) {
    std::fprintf(stderr, "hybrid: in %d of %d frames a pass began before the one before it had ended\n",
                 result.out_of_order, result.frames);
  }
  if (options.compare > 0) {
    std::printf("likeness with the renderer's pictures: %.1f dB or more\n", result.likeness);
  }
  return result.out_of_order == 0 && (options.compare <= 0 || result.likeness >= options.compare);
}

bool run(const Options &options, int *complaints) {
  const Scene scene = read_scene(options.scene);
  const Devices devices(options, complaints);
  std::printf("traced on %s, denoised on %s, tone-mapped and encoded on %s\n", devices.tracer->name().c_str(),
              devices.denoiser->name().c_str(), devices.host->name().c_str());
  std::signal(SIGINT, interrupt);
  const Result result = render(devices, options, scene);
  EXPECT(gevt_live_events() == 0);
  return report(options, result);
}

} // namespace

int main(int count, char **words) {
  try {
    const Options options(count, words);
    int complaints = 0;
    const bool good = run(options, options.validate ? &complaints : nullptr);
    if (complaints > 0) {
      std::fprintf(stderr, "hybrid: the validation layer has %d complaints\n", complaints);
    }
    return good && complaints == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const NothingToValidate &reason) {
    std::printf("SKIPPED: %s\n", reason.what());
    return EXIT_SUCCESS;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "hybrid: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
