// Rows of calls that several threads make at once.
#include "vulkan.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace bench {

namespace {

constexpr int rounds = 15;
constexpr int many = 8;

// Million calls a second of all threads together, over ten milliseconds. `pass(thread)` makes some calls and returns how many.
template <class Pass>
double total_rate(int threads, Pass &&pass) {
  std::atomic<int> ready{0};
  std::atomic<bool> go{false}, stop{false};
  std::atomic<std::size_t> calls{0};
  std::vector<std::thread> crew;
  for (int thread = 0; thread < threads; thread++) {
    crew.emplace_back([&, thread] {
      std::size_t own = 0;
      ready++;
      while (!go.load(std::memory_order_acquire)) {}
      while (!stop.load(std::memory_order_relaxed)) own += pass(static_cast<std::size_t>(thread));
      calls += own;
    });
  }
  while (ready < threads) {}
  const auto start = Clock::now();
  go.store(true, std::memory_order_release);
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  stop = true;
  for (auto &one : crew) one.join();
  return static_cast<double>(calls) / ns_between(start, Clock::now()) * 1e3;
}

} // namespace

void vulkan_threads_rows(Table &table) {
  std::vector<gevt_event_t> events(2000);
  for (auto &event : events) check(gevt_create_in(&event, nullptr, GEVT_EVENT_DISABLE_TIMING), "gevt_create_in");
  submit_batch(events.data(), events.size());
  check(gevt_sync(events.back()), "gevt_sync");
  const Timeline timeline;
  const auto queries = [&](std::size_t thread) {
    int statuses = 0;
    for (std::size_t i = 0; i < events.size(); i++) statuses |= gevt_query(events[(i + thread * 37) % events.size()]);
    if (statuses != 0) fail("gevt_query", "a finished event is not");
    return events.size();
  };
  const auto counters = [&](std::size_t) {
    for (int i = 0; i < 100; i++) keep(timeline.reached());
    return std::size_t{100};
  };
  const auto lives = [](std::size_t) {
    int statuses = 0;
    for (int i = 0; i < 500; i++) {
      gevt_event_t event = nullptr;
      statuses |= gevt_create(&event, GEVT_EVENT_DEFAULT);
      statuses |= gevt_destroy(event);
    }
    if (statuses != 0) fail("gevt_create, gevt_destroy", gevt_last_message());
    return std::size_t{500};
  };
  const auto semaphores = [](std::size_t) {
    const Timeline one;
    return std::size_t{1};
  };
  for (const int threads : {1, many}) {
    const std::string count = threads == 1 ? ", 1 thread" : ", " + std::to_string(threads) + " threads";
    table.add({"query: finished events" + count,
               "vkGetSemaphoreCounterValue",
               "M/s",
               interleave(
                   rounds, [&] { return total_rate(threads, queries); }, [&] { return total_rate(threads, counters); }),
               {Bound::at_least, 0, 1000},
               threads == many});
    table.add({"create + destroy" + count,
               "timeline semaphore",
               "M/s",
               interleave(
                   rounds, [&] { return total_rate(threads, lives); }, [&] { return total_rate(threads, semaphores); }),
               {Bound::at_least, 0, 0},
               false});
  }
  for (auto event : events) check(gevt_destroy(event), "gevt_destroy");
}

} // namespace bench
