#include "hops.hpp"

#include "bench.hpp"
#include "driver.hpp"

#include <atomic>

namespace bench {

namespace {

// The work of a stream is an event's record behind a wait for a word of the host's; a function of the stream reports its end to the host.
class CudaLane : public Lane {
public:
  explicit CudaLane(CudaLane *after) : after_(after) {
    check_driver(driver.stream_create(&stream_, driver_stream_non_blocking), "cuStreamCreate");
    check_driver(driver.event_create(&end_, driver_event_disable_timing), "cuEventCreate");
    check_driver(driver.host_alloc(&memory_, sizeof(std::atomic<std::uint32_t>), driver_host_alloc_mapped),
                 "cuMemHostAlloc");
    word_ = new (memory_) std::atomic<std::uint32_t>(1);
    check_driver(driver.host_address(&address_, memory_, 0), "cuMemHostGetDevicePointer");
  }

  ~CudaLane() override {
    go();
    check_driver(driver.context_sync(), "cuCtxSynchronize");
    check_driver(driver.stream_destroy(stream_), "cuStreamDestroy");
    check_driver(driver.event_destroy(end_), "cuEventDestroy");
    check_driver(driver.free_host(memory_), "cuMemFreeHost");
  }

  // Whether this driver's streams can wait for a word.
  bool can_wait() const { return driver.wait_value(stream_, address_, 1, driver_wait_at_least) == 0; }

  void prepare() override {
    if (after_ != nullptr) {
      check_driver(driver.stream_wait(stream_, after_->end_, 0), "cuStreamWaitEvent");
    } else {
      *word_ = 0;
      check_driver(driver.wait_value(stream_, address_, 1, driver_wait_at_least), "cuStreamWaitValue32");
    }
    if (then_) {
      check_driver(driver.launch_host(
                       stream_, [](void *user) { static_cast<CudaLane *>(user)->then_(); }, this),
                   "cuLaunchHostFunc");
    }
    check_driver(driver.event_record(end_, stream_), "cuEventRecord");
  }

  void go() override { *word_ = 1; }
  void wait() override { check_driver(driver.event_sync(end_), "cuEventSynchronize"); }
  void at_end(std::function<void()> then) override { then_ = std::move(then); }

private:
  CudaLane *const after_;
  CUstream stream_ = nullptr;
  CUevent end_ = nullptr;
  void *memory_ = nullptr;
  std::atomic<std::uint32_t> *word_ = nullptr;
  CUdeviceptr address_ = 0;
  std::function<void()> then_;
};

// Why there is no device, or an empty string; found out once.
const std::string &no_device() {
  static const std::string reason = [] {
    const std::string none = load_driver();
    if (!none.empty()) return none;
    if (!driver.host_alloc || !driver.host_address || !driver.free_host || !driver.wait_value)
      return std::string("the driver has no cuStreamWaitValue32");
    CUcontext context = nullptr;
    check_driver(driver.primary_retain(&context, 0), "cuDevicePrimaryCtxRetain");
    check_driver(driver.set_current(context), "cuCtxSetCurrent");
    return none;
  }();
  return reason;
}

} // namespace

std::unique_ptr<Lane> cuda_lane(Lane *after, std::string &trouble) {
  trouble = no_device();
  if (!trouble.empty()) return nullptr;
  auto lane = std::make_unique<CudaLane>(static_cast<CudaLane *>(after));
  if (lane->can_wait()) return lane;
  trouble = "the driver refuses cuStreamWaitValue32";
  return nullptr;
}

} // namespace bench
