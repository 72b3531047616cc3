// Rows of calls that several threads make at once.
#include "cuda.hpp"

#include <algorithm>

namespace bench {

namespace {

constexpr int rounds = 31;
constexpr int many = 8;

struct Rates {
  const char *what;
  const char *yardstick;
  double least; // of eight threads, in M/s; 0 where none is asked for
};

// A row for one thread, which is only shown, and one for eight.
template <class MakeOurs, class MakeTheirs>
void add_rates(Table &table, const Rates &rates, MakeOurs &&make_ours, MakeTheirs &&make_theirs) {
  for (const int threads : {1, many}) {
    const std::string count = threads == 1 ? ", 1 thread" : ", " + std::to_string(threads) + " threads";
    table.add({rates.what + count,
               rates.yardstick,
               "M/s",
               total_rates(threads, rounds, make_ours, make_theirs),
               {Bound::at_least, 0, rates.least},
               threads == many && rates.least > 0});
  }
}

// All events, over and over, from a place of the thread's own on; `count` of them a pass.
template <class Event, class Call>
auto walk(const std::vector<Event> &events, std::size_t thread, std::size_t count, const char *name, Call call) {
  std::vector<Event> own = events;
  std::rotate(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(thread * 37 % own.size()), own.end());
  return [own, at = std::size_t{0}, count, name, call]() mutable {
    int statuses = 0;
    for (std::size_t i = 0; i < count; i++) {
      statuses |= call(own[at]);
      at = at + 1 < own.size() ? at + 1 : 0;
    }
    if (statuses != 0) fail(name, "a finished event is not");
    return count;
  };
}

std::size_t our_lives() {
  constexpr std::size_t count = 500;
  int statuses = 0;
  for (std::size_t i = 0; i < count; i++) {
    gevt_event_t event = nullptr;
    statuses |= gevt_create(&event, GEVT_EVENT_DEFAULT);
    statuses |= gevt_destroy(event);
  }
  if (statuses != 0) fail("gevt_create, gevt_destroy", gevt_last_message());
  return count;
}

// Few a pass: eight threads of the driver's take some ten microseconds for each.
std::size_t their_lives() {
  constexpr std::size_t count = 10;
  int statuses = 0;
  for (std::size_t i = 0; i < count; i++) {
    CUevent event = nullptr;
    statuses |= driver.event_create(&event, driver_event_default);
    statuses |= driver.event_destroy(event);
  }
  if (statuses != 0) fail("cuEventCreate, cuEventDestroy", "one of them failed");
  return count;
}

// Each thread has a stream of its own, and an event of each library.
void add_records(Table &table, const char *what, unsigned flags) {
  const WrappedStream streams[many];
  const BothEvents events(many, flags);
  const auto records = [](const char *name, auto record) {
    return [name, record] {
      constexpr std::size_t count = 20;
      int statuses = 0;
      for (std::size_t i = 0; i < count; i++) statuses |= record();
      if (statuses != 0) fail(name, "a record failed");
      return count;
    };
  };
  add_rates(
      table, {what, "cuEventRecord", 0},
      [&](std::size_t thread) {
        return records("gevt_record", [&, thread] { return gevt_record(events.ours()[thread], streams[thread]); });
      },
      [&](std::size_t thread) {
        return records("cuEventRecord",
                       [&, thread] { return driver.event_record(events.theirs()[thread], streams[thread].native()); });
      });
}

} // namespace

void cuda_threads_rows(Table &table) {
  {
    const WrappedStream stream;
    const BothEvents events(2000);
    events.record_all(stream);
    Device::sync();
    add_rates(
        table, {"query: finished events", "cuEventQuery", 1500},
        [&](std::size_t thread) { return walk(events.ours(), thread, 1000, "gevt_query", gevt_query); },
        [&](std::size_t thread) { return walk(events.theirs(), thread, 10, "cuEventQuery", driver.event_query); });
  }
  add_rates(
      table, {"create + destroy, timed", "the driver's", 200}, [](std::size_t) { return our_lives; },
      [](std::size_t) { return their_lives; });

  add_records(table, "record: untimed, a stream each", driver_event_disable_timing);
  add_records(table, "record: timed, a stream each", driver_event_default);
}

} // namespace bench
