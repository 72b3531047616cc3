// Rows of how late a thread learns that work has ended, and what its wait costs the processor, for work of known lengths.
#include "cuda.hpp"

#include <string>

namespace bench {

namespace {

using std::chrono::microseconds;

constexpr std::uint64_t ten_seconds = 10000000000u;

struct Waited {
  double us;            // from the launch of the work to the end of the wait
  double ms_per_second; // of processor time, meanwhile
};

template <class Record, class Sync>
Waited wait_for(const TimedWork &work, CUstream stream, microseconds length, Record &&record, Sync &&sync) {
  Device::sync();
  std::this_thread::sleep_for(microseconds(200));
  const auto start = Clock::now();
  work.launch(stream, length);
  int status = record();
  const double used = processor_ms();
  const auto begun = Clock::now();
  status |= sync();
  const auto end = Clock::now();
  const double ms = processor_ms() - used;
  if (status != 0) fail("a wait for timed work", "a call failed");
  return {ns_between(start, end) / 1e3, ms / (ns_between(begun, end) / 1e9)};
}

struct Way {
  const char *name;
  double late_us; // at most, beyond a thread that spins; 0: not judged
};

// `wait(event)` is gevt's.
template <class Wait>
void add_wakes(Table &table, const TimedWork &work, const Way &way, microseconds length, Wait &&wait) {
  const int rounds = length < microseconds(1000) ? 51 : 25;
  const AdoptedStream stream;
  const BothEvents events(1, driver_event_disable_timing),
      blocking(1, driver_event_blocking_sync | driver_event_disable_timing);
  const gevt_event_t ours = events.ours()[0];
  const auto driver_wait = [&](CUevent event) {
    return wait_for(
        work, stream.native(), length, [&] { return driver.event_record(event, stream.native()); },
        [&] { return driver.event_sync(event); });
  };
  std::vector<double> our_cost, their_cost, blocking_us;
  const auto measured = [&] {
    const Waited waited = wait_for(
        work, stream.native(), length, [&] { return gevt_record(ours, stream); }, [&] { return wait(ours); });
    our_cost.push_back(waited.ms_per_second);
    return waited.us;
  };
  const auto yardstick = [&] {
    const Waited blocked = driver_wait(blocking.theirs()[0]);
    their_cost.push_back(blocked.ms_per_second);
    blocking_us.push_back(blocked.us);
    return driver_wait(events.theirs()[0]).us;
  };
  const Pair late = interleave(rounds, measured, yardstick);
  const bool is_long = length >= microseconds(1000);
  const std::string what = std::string(way.name) + ", " + std::to_string(length.count()) + " us of work";
  table.add({what, "cuEventSynchronize", "us", late, {Bound::at_most, 1, way.late_us}, way.late_us > 0});
  table.add({"  beside an event with BLOCKING_SYNC",
             "cuEventSynchronize",
             "us",
             {late.measured, spread(blocking_us)},
             {Bound::at_most, 1},
             false});
  table.add({"  its CPU time, and that of BLOCKING_SYNC",
             "cuEventSynchronize",
             "ms/s",
             {spread(our_cost), spread(their_cost)},
             {Bound::at_most, 0, 30},
             is_long});
}

struct Called {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_called = false;
};

void note_call(void *user, gevt_status_t) {
  auto &called = *static_cast<Called *>(user);
  std::lock_guard<std::mutex> lock(called.mutex);
  called.is_called = true;
  called.changed.notify_all();
}

} // namespace

void cuda_wake_rows(Table &table) {
  if (!TimedWork::is_possible()) return;
  const TimedWork work;
  const auto timeout = [](gevt_event_t event) { return gevt_sync_timeout(event, ten_seconds); };
  const auto any = [](gevt_event_t event) {
    std::size_t index;
    return gevt_sync_any(&index, &event, 1, ten_seconds);
  };
  const auto callback = [](gevt_event_t event) {
    Called called;
    const gevt_status_t status = gevt_on_complete(event, note_call, &called);
    std::unique_lock<std::mutex> lock(called.mutex);
    called.changed.wait(lock, [&] { return called.is_called || status != 0; });
    return status;
  };
  const auto late = [](int us) { return us < 200 ? 20.0 : us < 1000 ? 0.0 : 60.0; };
  for (const int us : {50, 150, 500, 1500, 5000, 20000}) {
    add_wakes(table, work, {"sync_timeout", late(us)}, microseconds(us), timeout);
  }
  for (const int us : {150, 1500, 5000}) {
    add_wakes(table, work, {"sync_any", late(us)}, microseconds(us), any);
    add_wakes(table, work, {"on_complete", late(us)}, microseconds(us), callback);
  }
}

} // namespace bench
