// Rows of waiting: how long a round trip takes, and what a long wait costs the processor.
#include "cuda.hpp"

#include <chrono>

namespace bench {

namespace {

// How the end of the record is awaited.
enum class Until { sync, query };

void add_trips(Table &table, const char *what, unsigned flags, std::size_t count, Until until, bool judged) {
  const WrappedStream stream;
  const BothEvents events(1, flags);
  const gevt_event_t our_event = events.ours()[0];
  const CUevent their_event = events.theirs()[0];
  const auto trips = [count, what, until](auto record, auto sync, auto query) {
    return [=] {
      int statuses = 0;
      const double ns = per_call(count, [&](std::size_t) {
        statuses |= record();
        if (until == Until::sync) {
          statuses |= sync();
          return;
        }
        int status;
        do status = query();
        while (status == driver_not_ready);
        statuses |= status;
      });
      if (statuses != 0) fail(what, "a record or a wait failed");
      return ns;
    };
  };
  const auto ours = trips([&] { return gevt_record(our_event, stream); }, [=] { return gevt_sync(our_event); },
                          [=] { return gevt_query(our_event); });
  const auto theirs =
      trips([&] { return driver.event_record(their_event, stream.native()); },
            [=] { return driver.event_sync(their_event); }, [=] { return driver.event_query(their_event); });
  table.add({what, "the driver's", "ns", interleave(51, ours, theirs), {Bound::at_most, 1, 50}, judged});
}

struct Wait {
  double ms_per_second; // of processor time
  double late_us;       // from the end of the held work to the caller
};

// A wait for an event whose stream is held for a tenth of a second.
template <class Record, class Sync>
Wait held_wait(const WrappedStream &stream, const char *name, Record &&record, Sync &&sync) {
  Gate gate(stream.native());
  if (record() != 0) fail(name, "a record failed");
  Clock::time_point opened;
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    opened = Clock::now();
    gate.open();
  });
  const double used = processor_ms();
  const auto start = Clock::now();
  if (sync() != 0) fail(name, "a wait failed");
  const auto end = Clock::now();
  const double ms = processor_ms() - used;
  opener.join();
  return {ms / (ns_between(start, end) / 1e9), ns_between(opened, end) / 1e3};
}

struct Waits {
  const char *what;
  const char *yardstick;
  unsigned flags;
  bool any; // gevt_sync_any over eight events
};

void add_held_waits(Table &table, const Waits &waits) {
  constexpr std::uint64_t ten_seconds = 10000000000u;
  constexpr int rounds = 9;
  const WrappedStream stream;
  const BothEvents events(8, waits.flags);
  const std::vector<gevt_event_t> &all = events.ours();
  std::vector<double> our_late, their_late;
  const auto ours = [&] {
    const auto record = [&] {
      int statuses = 0;
      for (auto event : all) statuses |= gevt_record(event, stream);
      return statuses;
    };
    const auto sync = [&] {
      std::size_t index;
      return waits.any ? gevt_sync_any(&index, all.data(), all.size(), ten_seconds)
                       : gevt_sync_timeout(all.back(), ten_seconds);
    };
    const Wait wait = held_wait(stream, waits.what, record, sync);
    our_late.push_back(wait.late_us);
    return wait.ms_per_second;
  };
  const auto theirs = [&] {
    const CUevent event = events.theirs().back();
    const Wait wait = held_wait(
        stream, waits.yardstick, [&] { return driver.event_record(event, stream.native()); },
        [&] { return driver.event_sync(event); });
    their_late.push_back(wait.late_us);
    return wait.ms_per_second;
  };
  const Pair used = interleave(rounds, ours, theirs);
  table.add({std::string(waits.what) + ", CPU time", waits.yardstick, "ms/s", used, {Bound::at_most, 1}, false});
  table.add({"  and from the end of the work to the caller",
             waits.yardstick,
             "us",
             {spread(our_late), spread(their_late)},
             {Bound::at_most, 1},
             false});
}

} // namespace

void cuda_trip_rows(Table &table) {
  add_trips(table, "record + sync: untimed", driver_event_disable_timing, 300, Until::sync, true);
  add_trips(table, "record + sync: timed", driver_event_default, 100, Until::sync, false);
  add_trips(table, "record + query until done: timed", driver_event_default, 100, Until::query, false);
  add_trips(table, "record + sync: timed, BLOCKING_SYNC", driver_event_blocking_sync, 20, Until::sync, false);
}

void cuda_timeout_rows(Table &table) {
  const unsigned blocking = driver_event_blocking_sync;
  add_held_waits(table, {"sync_timeout: 100 ms of waiting", "cuEventSynchronize", driver_event_default, false});
  add_held_waits(table, {"sync_timeout: the same, BLOCKING_SYNC", "cuEventSynchronize", blocking, false});
  add_held_waits(table, {"sync_any: 8 events, 100 ms", "cuEventSynchronize", driver_event_default, true});
}

} // namespace bench
