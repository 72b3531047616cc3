// What the rows of gevt_bench_cuda share: the device, the driver's events and gevt's of one kind, work that a program can
// hold back, and threads that measure in step.
#ifndef GEVT_BENCH_CUDA_HPP
#define GEVT_BENCH_CUDA_HPP

#include "bench.hpp"
#include "driver.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace bench {

// The primary context of device 0, current on the calling thread, for the driver and for gevt.
class Device {
public:
  Device();
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;
  const std::string &name() const { return name_; }
  // For other threads: the driver's calls want a context there.
  static void make_current() { check_driver(driver.set_current(context_), "cuCtxSetCurrent"); }
  static void sync() { check_driver(driver.context_sync(), "cuCtxSynchronize"); }

private:
  static CUcontext context_;
  CUdevice device_ = 0;
  std::string name_;
  gevt_context_t wrapped_ = nullptr;
};

// A stream of the driver's, not ordered against the default stream, and the handle by which gevt has wrapped it.
class WrappedStream {
public:
  WrappedStream();
  ~WrappedStream();
  WrappedStream(const WrappedStream &) = delete;
  WrappedStream &operator=(const WrappedStream &) = delete;
  CUstream native() const { return native_; }
  operator gevt_stream_t() const { return wrapped_; }

private:
  CUstream native_ = nullptr;
  gevt_stream_t wrapped_ = nullptr;
};

// So many events of gevt's and so many of the driver's, made with the same flags: gevt's flags have the driver's numbers.
class BothEvents {
public:
  explicit BothEvents(std::size_t count, unsigned flags = GEVT_EVENT_DEFAULT);
  ~BothEvents();
  BothEvents(const BothEvents &) = delete;
  BothEvents &operator=(const BothEvents &) = delete;
  void record_all(const WrappedStream &stream) const;
  const std::vector<gevt_event_t> &ours() const { return ours_; }
  const std::vector<CUevent> &theirs() const { return theirs_; }

private:
  std::vector<gevt_event_t> ours_;
  std::vector<CUevent> theirs_;
};

// Holds a stream back from its construction until it is opened. The thread of the driver's that is held sleeps.
class Gate {
public:
  explicit Gate(CUstream stream) { check_driver(driver.launch_host(stream, hold, this), "cuLaunchHostFunc"); }
  // Opens it, and returns when the device is idle.
  ~Gate();
  Gate(const Gate &) = delete;
  Gate &operator=(const Gate &) = delete;
  void open();

private:
  static void hold(void *user);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

// The median time of one call over a batch of events, in ns. Every call has to answer `expected`.
template <class Event, class Call>
double over(const std::vector<Event> &events, std::size_t passes, const char *name, int expected, Call &&call) {
  int different = 0;
  const double ns = per_call(passes, [&](std::size_t) {
    for (auto event : events) different |= call(event) ^ expected;
  });
  if (different != 0) fail(name, "an answer that the row does not expect");
  return ns / static_cast<double>(events.size());
}

// Work of a known length: a kernel that reads the device's clock until its time is over.
class TimedWork {
public:
  // False for CUDA without a GPU, which runs no kernels.
  static bool is_possible();
  TimedWork();
  ~TimedWork();
  TimedWork(const TimedWork &) = delete;
  TimedWork &operator=(const TimedWork &) = delete;
  void launch(CUstream stream, std::chrono::nanoseconds length) const;

private:
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
};

// The processor time of the whole process so far, in ms: a call may make other threads work.
double processor_ms();

// Lets threads wait for each other. They spin, so that all go on within the same microsecond.
class Barrier {
public:
  explicit Barrier(int threads) : threads_(threads) {}
  void wait();

private:
  const int threads_;
  std::atomic<int> arrived_{0};
  std::atomic<unsigned> phase_{0};
};

// What one thread did in one round.
struct Window {
  std::size_t count;
  Clock::time_point start, end;
};

// Calls of `pass`, which returns how many operations it did, for five milliseconds.
template <class Pass>
Window window(Pass &&pass) {
  constexpr auto length = std::chrono::milliseconds(5);
  Window window{0, Clock::now(), {}};
  do {
    window.count += pass();
    window.end = Clock::now();
  } while (window.end - window.start < length);
  return window;
}

// Million operations a second of all threads, from the first one's start to the last one's end: threads that take turns on a
// core share the time.
double total_rate(const std::vector<Window> &windows);

// The rates of that many threads together. `make_ours(thread)` and `make_theirs(thread)` return what each thread runs; all
// threads run the one, then all run the other, round by round, on a device that is idle in the beginning.
template <class MakeOurs, class MakeTheirs>
Pair total_rates(int threads, int rounds, MakeOurs &&make_ours, MakeTheirs &&make_theirs) {
  std::vector<Window> windows(static_cast<std::size_t>(threads));
  Samples totals; // the first thread's, which are also every other's
  Barrier barrier(threads);
  const auto body = [&](std::size_t thread) {
    Device::make_current();
    auto our_pass = make_ours(thread);
    auto their_pass = make_theirs(thread);
    const auto measure = [&](auto &pass) {
      barrier.wait();
      windows[thread] = window(pass);
      barrier.wait();
      Device::sync();
      const double total = total_rate(windows);
      barrier.wait();
      return total;
    };
    Samples samples = alternate(
        rounds, [&] { return measure(our_pass); }, [&] { return measure(their_pass); });
    if (thread == 0) totals = std::move(samples);
  };
  std::vector<std::thread> others;
  for (std::size_t i = 0; i < windows.size(); i++) others.emplace_back(body, i);
  for (auto &other : others) other.join();
  return {spread(std::move(totals.measured)), spread(std::move(totals.yardstick))};
}

// The rows, one function a group; cuda.cpp lists them by name.
void cuda_query_rows(Table &table);
void cuda_elapsed_rows(Table &table);
void cuda_create_rows(Table &table);
void cuda_record_rows(Table &table);
void cuda_pending_rows(Table &table);
void cuda_wait_rows(Table &table);
void cuda_threads_rows(Table &table);
void cuda_trip_rows(Table &table);
void cuda_timeout_rows(Table &table);
void cuda_wake_rows(Table &table);
void cuda_frames_rows(Table &table);

} // namespace bench

#endif
