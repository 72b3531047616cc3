#include "cuda.hpp"

#include <time.h>

#include <algorithm>

namespace bench {

CUcontext Device::context_ = nullptr;

Device::Device() {
  check_driver(driver.device_get(&device_, 0), "cuDeviceGet");
  char name[256] = "";
  check_driver(driver.device_name(name, sizeof name, device_), "cuDeviceGetName");
  name_ = name;
  check_driver(driver.primary_retain(&context_, device_), "cuDevicePrimaryCtxRetain");
  make_current();
  check(gevt_context_wrap(&wrapped_, GEVT_BACKEND_CUDA, context_), "gevt_context_wrap");
  check(gevt_context_set_current(wrapped_), "gevt_context_set_current");
}

Device::~Device() {
  check(gevt_context_close(wrapped_), "gevt_context_close");
  check_driver(driver.primary_release(device_), "cuDevicePrimaryCtxRelease");
}

WrappedStream::WrappedStream() {
  check_driver(driver.stream_create(&native_, driver_stream_non_blocking), "cuStreamCreate");
  check(gevt_stream_wrap(&wrapped_, nullptr, native_), "gevt_stream_wrap");
}

WrappedStream::~WrappedStream() {
  check(gevt_stream_destroy(wrapped_), "gevt_stream_destroy");
  check_driver(driver.stream_destroy(native_), "cuStreamDestroy");
}

BothEvents::BothEvents(std::size_t count, unsigned flags) : ours_(count), theirs_(count) {
  for (auto &event : ours_) check(gevt_create(&event, flags), "gevt_create");
  for (auto &event : theirs_) check_driver(driver.event_create(&event, flags), "cuEventCreate");
}

BothEvents::~BothEvents() {
  for (auto event : ours_) check(gevt_destroy(event), "gevt_destroy");
  for (auto event : theirs_) check_driver(driver.event_destroy(event), "cuEventDestroy");
}

void BothEvents::record_all(const WrappedStream &stream) const {
  for (auto event : ours_) check(gevt_record(event, stream), "gevt_record");
  for (auto event : theirs_) check_driver(driver.event_record(event, stream.native()), "cuEventRecord");
}

Gate::~Gate() {
  open();
  Device::sync();
}

void Gate::open() {
  std::lock_guard<std::mutex> lock(mutex_);
  open_ = true;
  changed_.notify_all();
}

void Gate::hold(void *user) {
  auto &gate = *static_cast<Gate *>(user);
  std::unique_lock<std::mutex> lock(gate.mutex_);
  gate.changed_.wait(lock, [&] { return gate.open_; });
}

namespace {

constexpr char timed_work[] = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry work(.param .u64 length) {
  .reg .u64 %length, %start, %now, %past;
  .reg .pred %more;
  ld.param.u64 %length, [length];
  mov.u64 %start, %globaltimer;
again:
  mov.u64 %now, %globaltimer;
  sub.u64 %past, %now, %start;
  setp.lt.u64 %more, %past, %length;
  @%more bra again;
  ret;
}
)";

} // namespace

bool TimedWork::is_possible() {
  CUmodule module;
  if (driver.module_load == nullptr || driver.module_load(&module, timed_work) != 0) return false;
  return driver.module_unload(module) == 0;
}

TimedWork::TimedWork() {
  check_driver(driver.module_load(&module_, timed_work), "cuModuleLoadData");
  check_driver(driver.module_function(&function_, module_, "work"), "cuModuleGetFunction");
}

TimedWork::~TimedWork() {
  check_driver(driver.module_unload(module_), "cuModuleUnload");
}

void TimedWork::launch(CUstream stream, std::chrono::nanoseconds length) const {
  std::uint64_t ns = static_cast<std::uint64_t>(length.count());
  void *arguments[] = {&ns};
  check_driver(driver.launch_kernel(function_, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr), "cuLaunchKernel");
}

double processor_ms() {
  timespec used;
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0) fail("clock_gettime", "no processor time");
  return static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) / 1e6;
}

void Barrier::wait() {
  const unsigned phase = phase_.load();
  if (arrived_.fetch_add(1) + 1 == threads_) {
    arrived_.store(0);
    phase_.store(phase + 1);
    return;
  }
  for (int spins = 0; phase_.load() == phase; spins++) {
    // Where there are fewer cores than threads, the last one may need this thread's.
    if (spins > 10000) std::this_thread::yield();
  }
}

double total_rate(const std::vector<Window> &windows) {
  std::size_t count = 0;
  auto start = windows[0].start, end = windows[0].end;
  for (const Window &window : windows) {
    count += window.count;
    start = std::min(start, window.start);
    end = std::max(end, window.end);
  }
  return static_cast<double>(count) / ns_between(start, end) * 1e3;
}

} // namespace bench
