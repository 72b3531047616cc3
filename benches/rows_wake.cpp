// The row of a wake: from the end of the work that an event marks to the thread that slept in gevt_sync.
#include "bench.hpp"
#include "yardsticks.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

namespace bench {

namespace {

// Tells whether the thread that made it sleeps in the kernel.
class Sleeper {
public:
  Sleeper() {
    const std::string path = "/proc/self/task/" + std::to_string(syscall(SYS_gettid)) + "/stat";
    file_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file_ < 0) fail("open", path.c_str());
  }
  ~Sleeper() { close(file_); }
  Sleeper(const Sleeper &) = delete;
  Sleeper &operator=(const Sleeper &) = delete;

  // The state follows the name, which stands in parentheses and may hold some itself.
  bool sleeps() const {
    char text[512];
    const ssize_t size = pread(file_, text, sizeof text - 1, 0);
    if (size <= 0) fail("pread", "no thread state");
    text[size] = '\0';
    const char *name_end = std::strrchr(text, ')');
    return name_end != nullptr && std::strncmp(name_end, ") S", 3) == 0;
  }

private:
  int file_;
};

struct Wake {
  const Sleeper *sleeper;
  std::atomic<bool> waits{false};
  std::atomic<std::uint32_t> word{0};
  Clock::time_point called;
};

void pause_for(double ns) {
  const auto start = Clock::now();
  while (ns_between(start, Clock::now()) < ns) {}
}

// Returns when the waiter has slept for a while: its core is then as idle for gevt as for the yardstick.
void await_sleep(const Wake &wake) {
  while (!wake.waits.load(std::memory_order_acquire)) {}
  do {
    while (!wake.sleeper->sleeps()) {}
    pause_for(100e3);
  } while (!wake.sleeper->sleeps());
}

// The work that the event marks: its end is what wakes.
void work(void *user) {
  auto &wake = *static_cast<Wake *>(user);
  await_sleep(wake);
  wake.called = Clock::now();
}

void work_and_wake(void *user) {
  auto &wake = *static_cast<Wake *>(user);
  await_sleep(wake);
  wake.called = Clock::now();
  wake.word.store(1, std::memory_order_release);
  futex_wake(wake.word);
}

} // namespace

void wake_rows(Table &table) {
  const Sleeper sleeper;
  Stream stream;
  Events events(1);
  Queue queue;
  const auto by_event = [&] {
    Wake wake;
    wake.sleeper = &sleeper;
    check(gevt_stream_launch(stream, work, &wake), "gevt_stream_launch");
    check(gevt_record(events[0], stream), "gevt_record");
    wake.waits.store(true, std::memory_order_release);
    check(gevt_sync(events[0]), "gevt_sync");
    return ns_between(wake.called, Clock::now());
  };
  // The futex word outlives each wait, because the waker's call may come after the waiter has seen the new value.
  Wake wake;
  wake.sleeper = &sleeper;
  const auto by_futex = [&] {
    wake.waits.store(false, std::memory_order_relaxed);
    wake.word.store(0, std::memory_order_relaxed);
    queue.push(work_and_wake, &wake);
    wake.waits.store(true, std::memory_order_release);
    futex_wait(wake.word, 0);
    return ns_between(wake.called, Clock::now());
  };
  table.add({"wake: thread parked in gevt_sync",
             "futex wake",
             "ns",
             interleave(400, by_event, by_futex),
             {Bound::at_most, 1.5}});
}

} // namespace bench
