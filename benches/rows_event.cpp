// Rows of single calls on events: query, record, create and destroy.
#include "bench.hpp"
#include "yardsticks.hpp"

#include <atomic>
#include <thread>

namespace bench {

namespace {

constexpr std::size_t live = 1000;
constexpr std::size_t passes = 10; // over all live events in one batch
constexpr int rounds = 300;

// One call on each live event, `passes` times. The statuses are only gathered while the clock runs.
template <class Call>
double over_events(const Events &events, const char *name, Call &&call) {
  std::uint32_t statuses = 0;
  const double ns = per_call(passes, [&](std::size_t) {
    for (auto event : events) statuses |= static_cast<std::uint32_t>(call(event));
  });
  if (statuses != 0) fail(name, gevt_last_message());
  return ns / static_cast<double>(events.size());
}

double clock_batch() {
  return clock_read(passes * live);
}

void add_query(Table &table, const char *what, const Events &events) {
  const auto figures = interleave(
      rounds, [&] { return over_events(events, "gevt_query", gevt_query); }, clock_batch);
  table.add({what, "clock read", "ns", figures, {Bound::at_most, 0.4}});
}

// Calls of `pass` from that many threads at once, in million operations a second, all threads together.
template <class Pass>
double total_rate(int threads, Pass &&pass) {
  constexpr double window_ns = 1e6;
  std::atomic<int> ready{0};
  std::vector<double> rates(static_cast<std::size_t>(threads));
  const auto body = [&](std::size_t i) {
    ready.fetch_add(1);
    while (ready.load() < threads) {}
    std::size_t count = 0;
    double ns;
    const auto start = Clock::now();
    do {
      count += pass();
      ns = ns_between(start, Clock::now());
    } while (ns < window_ns);
    rates[i] = static_cast<double>(count) / ns * 1e3;
  };
  std::vector<std::thread> others;
  for (int i = 1; i < threads; i++) others.emplace_back(body, static_cast<std::size_t>(i));
  body(0);
  for (auto &other : others) other.join();
  double total = 0;
  for (double rate : rates) total += rate;
  return total;
}

template <class Pass>
Pair two_against_one(Pass &&pass) {
  return interleave(
      200, [&] { return total_rate(2, pass); }, [&] { return total_rate(1, pass); });
}

} // namespace

void query_rows(Table &table) {
  Stream stream;
  Events finished(live), unrecorded(live);
  finished.record_all(stream);
  check(gevt_stream_sync(stream), "gevt_stream_sync");
  add_query(table, "query: finished event, 1,000 live", finished);
  add_query(table, "query: unrecorded event, 1,000 live", unrecorded);
}

void query_threads_rows(Table &table) {
  Stream stream;
  Events events(live);
  events.record_all(stream);
  check(gevt_stream_sync(stream), "gevt_stream_sync");
  const auto query_all = [&] {
    std::uint32_t statuses = 0;
    for (auto event : events) statuses |= static_cast<std::uint32_t>(gevt_query(event));
    if (statuses != 0) fail("gevt_query", gevt_last_message());
    return events.size();
  };
  table.add({"query-threads: finished events, 2 threads in total",
             "1 thread",
             "M/s",
             two_against_one(query_all),
             {Bound::at_least, 1.7}});

  // What the machine itself gives two threads: they may share a core, or it with other processes.
  const auto count_in_register = [] {
    std::uint64_t value = 1;
    for (std::size_t i = 0; i < live; i++) {
      value = value * 5 + 1;
      __asm__ volatile("" : "+r"(value));
    }
    return live;
  };
  table.add({"  a loop without memory, 2 threads in total",
             "1 thread",
             "M/s",
             two_against_one(count_in_register),
             {Bound::at_least, 1.7},
             false});
}

void record_rows(Table &table) {
  Stream stream;
  Events events(live);
  const auto record_all = [&] {
    return over_events(events, "gevt_record", [&](gevt_event_t event) { return gevt_record(event, stream); });
  };
  table.add({"record: timed event, idle stream",
             "clock read",
             "ns",
             interleave(rounds, record_all, clock_batch),
             {Bound::at_most, 2, 30}});
}

void create_rows(Table &table) {
  Events others(live);
  const auto locks = [] { return mutex_lock_unlock(passes * live); };
  const auto pairs = [] {
    std::uint32_t statuses = 0;
    const double ns = per_call(passes * live, [&](std::size_t) {
      gevt_event_t event = nullptr;
      statuses |= static_cast<std::uint32_t>(gevt_create(&event, GEVT_EVENT_DEFAULT));
      statuses |= static_cast<std::uint32_t>(gevt_destroy(event));
    });
    if (statuses != 0) fail("gevt_create, gevt_destroy", gevt_last_message());
    return ns;
  };
  table.add({"create: create + destroy", "mutex", "ns", interleave(rounds, pairs, locks), {Bound::at_most, 5}});

  // A free slot that is always the one just given back would hide what a longer list of them costs.
  std::vector<gevt_event_t> batch(live);
  const auto bursts = [&] {
    std::uint32_t statuses = 0;
    const double ns = per_call(passes, [&](std::size_t) {
      for (auto &event : batch) statuses |= static_cast<std::uint32_t>(gevt_create(&event, GEVT_EVENT_DEFAULT));
      for (auto event : batch) statuses |= static_cast<std::uint32_t>(gevt_destroy(event));
    });
    if (statuses != 0) fail("gevt_create, gevt_destroy", gevt_last_message());
    return ns / static_cast<double>(live);
  };
  table.add({"  create 1,000, then destroy 1,000",
             "mutex",
             "ns",
             interleave(rounds, bursts, locks),
             {Bound::at_most, 5},
             false});
}

} // namespace bench
