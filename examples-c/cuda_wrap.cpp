// A CUDA program that owns its context and its streams, and uses gevt for their events. One stream fills memory and another one copies
// it to the host. Three frames are in flight: the program polls for the oldest one and never waits for it.
//
// gevt wraps the CUcontext and the CUstreams: they remain the program's, and the program's own calls are part of the streams.
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>

#include "cuda/driver.hpp"
#include "gevt.hpp"

namespace {

constexpr int kFrames = 30, kInFlight = 3;
constexpr size_t kWords = size_t{1} << 20;

struct Slot {
  explicit Slot(gevt::context_ref context) : begun(context), filled(context), copied(context) {
    cuda(cuMemAlloc(&device, kWords * 4));
    void *memory = nullptr;
    cuda(cuMemAllocHost(&memory, kWords * 4));
    host = static_cast<uint32_t *>(memory);
  }
  ~Slot() {
    std::error_code ignored;
    copied.sync(ignored); // the device uses the memory until then
    cuMemFree(device);
    cuMemFreeHost(host);
  }
  Slot(const Slot &) = delete;
  Slot &operator=(const Slot &) = delete;

  CUdeviceptr device = 0;
  uint32_t *host = nullptr;
  gevt::timed_event begun, filled, copied;
};

class Application {
public:
  Application() {
    cuda(cuCtxCreate(&context_, 0, 0));
    for (CUstream &stream : streams_) cuda(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  }
  ~Application() {
    for (CUstream stream : streams_) cuStreamDestroy(stream);
    cuCtxDestroy(context_);
  }
  Application(const Application &) = delete;
  Application &operator=(const Application &) = delete;

  void run() const {
    const auto context = gevt::context::wrap(gevt::backend::cuda, context_);
    const auto fill = gevt::stream::wrap(context, streams_[0]), copy = gevt::stream::wrap(context, streams_[1]);
    std::array<Slot, kInFlight> slots{Slot(context), Slot(context), Slot(context)};
    std::chrono::nanoseconds filling{}, copying{};
    int polls = 0;
    for (int submitted = 0, collected = 0; collected < kFrames;) {
      if (submitted < kFrames && submitted - collected < kInFlight) {
        const Slot &slot = slots[static_cast<size_t>(submitted % kInFlight)];
        slot.begun.record(fill);
        cuda(cuMemsetD32Async(slot.device, static_cast<unsigned>(submitted), kWords, streams_[0]));
        slot.filled.record(fill);
        // The copy waits on the device. The other stream already fills the next frame meanwhile.
        copy.wait(slot.filled);
        cuda(cuMemcpyDtoHAsync(slot.host, slot.device, kWords * 4, streams_[1]));
        slot.copied.record(copy);
        submitted++;
        continue;
      }
      const Slot &oldest = slots[static_cast<size_t>(collected % kInFlight)];
      polls++;
      if (oldest.copied.query()) {
        if (oldest.host[kWords - 1] != static_cast<uint32_t>(collected)) throw std::runtime_error("a frame is wrong");
        filling += oldest.filled - oldest.begun;
        copying += oldest.copied - oldest.filled;
        collected++;
      } else {
        std::this_thread::sleep_for(std::chrono::microseconds(20)); // the program's other work
      }
    }
    std::printf("%d frames, %d polls; filling took %.1f us, copying %.1f us on average\n", kFrames, polls,
                static_cast<double>(filling.count()) / 1e3 / kFrames,
                static_cast<double>(copying.count()) / 1e3 / kFrames);
  }

private:
  CUcontext context_ = nullptr;
  std::array<CUstream, 2> streams_{};
};

} // namespace

int main() {
  try {
    if (const std::string reason = load_cuda(); !reason.empty()) {
      std::printf("SKIPPED: %s\n", reason.c_str());
      return EXIT_SUCCESS;
    }
    Application().run();
  } catch (const std::exception &error) {
    std::fprintf(stderr, "cuda_wrap: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
