// Callbacks and timeouts: a callback runs when an event completes or fails, and a wait gives up after a while.
//
// The program has a watchdog. Work that takes too long is reported, and the program continues.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>

#include "gevt.hpp"

namespace {

using namespace std::chrono_literals;

// Results arrive on gevt's threads, in any order.
class Inbox {
public:
  void put(int number, gevt_status_t status) {
    const std::lock_guard lock(mutex_);
    std::printf("callback: job %d, %s\n", number, gevt_status_name(status));
    if (status != GEVT_SUCCESS) failed_++;
    arrived_++;
    changed_.notify_all();
  }
  // Returns how many jobs have failed.
  int wait_for(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return arrived_ == count; });
    return failed_;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int arrived_ = 0, failed_ = 0;
};

int run() {
  Inbox inbox;
  const gevt::stream stream(gevt::non_blocking);
  const gevt::event done;
  // The stand-in for a device that hangs: the program signals this event when it likes.
  const gevt::event gate(gevt::event_flags::host_signaled);

  // Each callback belongs to the record that it was registered for. The event can be recorded again at once.
  std::atomic<int> ran{0};
  for (int job = 0; job < 3; job++) {
    stream.launch([&ran] { ran++; });
    done.record(stream);
    done.on_complete([&inbox, job](gevt_status_t status) { inbox.put(job, status); });
  }

  // A wait with a timeout returns false if the event is still pending. It cancels nothing.
  stream.wait(gate);
  done.record(stream);
  done.on_complete([&inbox](gevt_status_t status) { inbox.put(3, status); });
  if (done.sync_for(20ms)) return EXIT_FAILURE;
  std::printf("job 3 is still pending after 20 ms\n");

  // The failure of an event reaches everything that waits for it.
  gate.signal(GEVT_ERROR_INVALID_VALUE);
  const int failed = inbox.wait_for(4);

  // The form with an error code throws nothing.
  std::error_code error;
  done.sync(error);
  std::printf("job 3 has failed: %s\n", error.message().c_str());
  stream.sync(error); // acknowledges the failure: later work of the stream does not fail
  return failed == 1 && ran == 3 && error == gevt::errc::invalid_value ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace

int main() {
  try {
    return run();
  } catch (const std::exception &error) {
    std::fprintf(stderr, "callbacks: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
