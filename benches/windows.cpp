// gevt_bench_windows: what gevt.dll costs on the host backend, beside the mutex and the condition variable of the C++ library, in one run.
// Each figure is the median of the rounds, in which both are measured in turn. Exits with 1 if a bound is missed.
//
// ci/windows.sh builds it with `--target gevt_bench_windows` and does not run it: what wine adds to a call is not what Windows does.
#include "bench.hpp"
#include "yardsticks.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace bench {

void fail(const char *what, const char *why) {
  std::fprintf(stderr, "%s: %s\n", what, why);
  std::_Exit(2);
}

Spread spread(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return {samples[samples.size() / 10], samples[samples.size() / 2], samples[samples.size() * 9 / 10]};
}

namespace {

// Short and many, so that most of them fit into a slice of time of a busy machine.
constexpr int rounds = 401;

// Prints a row; returns whether its bound is kept.
bool row(const char *what, const char *yardstick, const Pair &pair, double most) {
  const bool kept = pair.measured.median <= most;
  std::printf("%-28s %7.1f ns (best tenth %7.1f)   %-12s %7.1f ns (best tenth %7.1f)   at most %7.1f: %s\n", what,
              pair.measured.median, pair.measured.p10, yardstick, pair.yardstick.median, pair.yardstick.p10, most,
              kept ? "kept" : "MISSED");
  return kept;
}

double lock_and_unlock() {
  static std::mutex mutex;
  return per_call(10000, [](std::size_t) {
    mutex.lock();
    mutex.unlock();
  });
}

double query_of_a_finished_event() {
  static Stream stream;
  static Events events(1000);
  static const bool recorded = (events.record_all(stream), gevt_stream_sync(stream) == GEVT_SUCCESS);
  std::uint32_t statuses = recorded ? 0 : 1;
  const double ns =
      per_call(10000, [&](std::size_t i) { statuses |= static_cast<std::uint32_t>(gevt_query(events[i % 1000])); });
  if (statuses != 0) fail("gevt_query", gevt_last_message());
  return ns;
}

double create_and_destroy() {
  std::uint32_t statuses = 0;
  const double ns = per_call(5000, [&](std::size_t) {
    gevt_event_t event = nullptr;
    statuses |= static_cast<std::uint32_t>(gevt_create(&event, GEVT_EVENT_DEFAULT));
    statuses |= static_cast<std::uint32_t>(gevt_destroy(event));
  });
  if (statuses != 0) fail("gevt_create, gevt_destroy", gevt_last_message());
  return ns;
}

// Functions that pass through a queue which is busy meanwhile. The last one takes the time itself.
struct alignas(128) Run {
  std::atomic<bool> entered{false}, open{false}, done{false};
  std::uint64_t count = 0;
  Clock::time_point end;
};

void gate(void *user) {
  auto &run = *static_cast<Run *>(user);
  run.entered.store(true, std::memory_order_release);
  while (!run.open.load(std::memory_order_acquire)) {}
}

void count_one(void *user) {
  static_cast<Run *>(user)->count++;
}

void finish(void *user) {
  auto &run = *static_cast<Run *>(user);
  run.end = Clock::now();
  run.done.store(true, std::memory_order_release);
}

template <class Push>
double busy_run(std::uint64_t functions, Push &&push) {
  Run run;
  push(gate, &run);
  while (!run.entered.load(std::memory_order_acquire)) std::this_thread::yield();
  const auto start = Clock::now();
  push(count_one, &run);
  run.open.store(true, std::memory_order_release);
  for (std::uint64_t i = 1; i < functions; i++) push(count_one, &run);
  push(finish, &run);
  while (!run.done.load(std::memory_order_acquire)) std::this_thread::sleep_for(std::chrono::microseconds(50));
  if (run.count != functions) fail("launch", "a function was lost");
  return ns_between(start, run.end) / static_cast<double>(functions);
}

double launch(std::uint64_t functions) {
  static Stream stream;
  return busy_run(functions, [](gevt_host_fn_t function, void *user) {
    check(gevt_stream_launch(stream, function, user), "gevt_stream_launch");
  });
}

double push(std::uint64_t functions) {
  static Queue queue;
  return busy_run(functions, [](gevt_host_fn_t function, void *user) { queue.push(function, user); });
}

} // namespace

} // namespace bench

int main() {
  using namespace bench;
  gevt_context_t context;
  check(gevt_context_open(&context, GEVT_BACKEND_HOST, 0), "gevt_context_open");
  check(gevt_context_set_current(context), "gevt_context_set_current");
  bool kept =
      row("query of a finished event", "mutex", interleave(rounds, query_of_a_finished_event, lock_and_unlock), 5);
  kept &= row("create + destroy", "mutex", interleave(rounds, create_and_destroy, lock_and_unlock), 60);
  for (const std::uint64_t functions : {4000, 100000}) {
    const Pair pair = interleave(
        functions > 4000 ? 41 : rounds, [=] { return launch(functions); }, [=] { return push(functions); });
    kept &= row(functions > 4000 ? "launch, 100,000 in a row" : "launch, 4,000 in a row", "mutex queue", pair,
                pair.yardstick.median);
  }
  std::fflush(stdout);
  // Not by exit: the queue's thread would be joined after the system has ended it.
  std::_Exit(kept ? 0 : 1);
}
