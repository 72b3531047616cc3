// Asks 10,000 complete events from several threads, beside the same number of flags that are each protected by a mutex. An event handle can be
// used by any thread at any time, and is checked at each use: a stale one is an error, not a crash.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "gevt.hpp"

namespace {

constexpr std::size_t kEvents = 10000;
constexpr int kRounds = 200;

struct Flag {
  bool is_set() const {
    const std::lock_guard lock(mutex);
    return set;
  }
  mutable std::mutex mutex;
  bool set = true;
};

// Calls `ask` for each item, on all threads at once. Returns the nanoseconds of a call in the fastest round, averaged over the threads.
template <class Ask>
double measure(unsigned threads, Ask ask) {
  std::vector<double> best(threads, 1e9);
  std::atomic<bool> all_set{true};
  std::vector<std::thread> running;
  for (double &fastest : best) {
    running.emplace_back([&ask, &fastest, &all_set] {
      for (int round = 0; round < kRounds; round++) {
        std::size_t set = 0;
        const auto start = std::chrono::steady_clock::now();
        for (std::size_t i = 0; i < kEvents; i++) set += ask(i);
        const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
        fastest = std::min(fastest, took.count() / kEvents);
        if (set != kEvents) all_set = false;
      }
    });
  }
  for (std::thread &thread : running) thread.join();
  if (!all_set) throw std::runtime_error("an event is not complete");
  double sum = 0;
  for (const double fastest : best) sum += fastest;
  return sum / threads;
}

void run() {
  const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  const gevt::stream stream(gevt::non_blocking);
  std::vector<gevt::event> events(kEvents);
  for (const gevt::event &event : events) event.record(stream);
  stream.sync();

  const std::vector<Flag> flags(kEvents);
  const double event_ns = measure(threads, [&events](std::size_t i) { return events[i].query(); });
  const double flag_ns = measure(threads, [&flags](std::size_t i) { return flags[i].is_set(); });
  std::printf("%u threads, %zu complete events: %.1f ns a query; flags behind mutexes: %.1f ns, %.1f times as long\n",
              threads, kEvents, event_ns, flag_ns, flag_ns / event_ns);
}

} // namespace

int main() {
  try {
    run();
  } catch (const std::exception &error) {
    std::fprintf(stderr, "queries: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
