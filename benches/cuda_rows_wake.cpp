// Rows of how late a thread learns that work has ended, and what its wait costs the processor, for work of known lengths.
#include "cuda.hpp"

#include <algorithm>
#include <string>

namespace bench {

namespace {

using std::chrono::microseconds;

constexpr std::uint64_t ten_seconds = 10000000000u;

// When a wait was over, and what the process had used of processor time by then.
struct Ended {
  int status;
  Clock::time_point at = Clock::now();
  double used_ms = processor_ms();
};

struct Waited {
  double us;            // from the launch of the work to the end of the wait, beyond the length of the work
  double ms_per_second; // of processor time, from the record to the end of the wait
};

template <class Record, class Wait>
Waited wait_for(const TimedWork &work, CUstream stream, microseconds length, Record &&record, Wait &&wait) {
  Device::sync();
  std::this_thread::sleep_for(microseconds(200));
  const auto start = Clock::now();
  work.launch(stream, length);
  const int status = record();
  const double used = processor_ms();
  const auto begun = Clock::now();
  const Ended ended = wait();
  if ((status | ended.status) != 0) fail("a wait for timed work", "a call failed");
  return {ns_between(start, ended.at) / 1e3 - static_cast<double>(length.count()),
          (ended.used_ms - used) / (ns_between(begun, ended.at) / 1e9)};
}

// Work of one length, or of lengths from the one to the other in no order that could be learnt.
struct Lengths {
  microseconds least, most;
  std::string name() const {
    const std::string from = least == most ? "" : std::to_string(least.count()) + " to ";
    return from + std::to_string(most.count()) + " us of work";
  }
  microseconds at(std::size_t round) const {
    // Seven steps of a Fibonacci number cover them evenly.
    return least + (most - least) * static_cast<int>(round * 610 % 987) / 987;
  }
};

struct Way {
  const char *name;
  double late_us; // at most, beyond a thread that spins; 0: not judged
};

double greatest(const std::vector<double> &samples) {
  return *std::max_element(samples.begin(), samples.end());
}

// `record(event, stream)` and `wait(event)` are gevt's.
template <class Record, class Wait>
void add_wakes(Table &table, const TimedWork &work, const Way &way, const Lengths &lengths, Record &&record,
               Wait &&wait) {
  const bool is_long = lengths.least >= microseconds(1000);
  const int rounds = lengths.least > microseconds(10000) ? 15 : is_long ? 25 : 51;
  const WrappedStream stream;
  const BothEvents events(1, driver_event_disable_timing),
      blocking(1, driver_event_blocking_sync | driver_event_disable_timing);
  const gevt_event_t ours = events.ours()[0];
  std::size_t round = 0;
  const auto driver_wait = [&](CUevent event) {
    return wait_for(
        work, stream.native(), lengths.at(round), [&] { return driver.event_record(event, stream.native()); },
        [&] { return Ended{driver.event_sync(event)}; });
  };
  std::vector<double> our_cost, their_cost, our_late, blocking_late;
  const auto measured = [&] {
    const Waited waited = wait_for(
        work, stream.native(), lengths.at(round++), [&] { return record(ours, stream); }, [&] { return wait(ours); });
    our_cost.push_back(waited.ms_per_second);
    our_late.push_back(waited.us);
    return waited.us;
  };
  const auto yardstick = [&] {
    const Waited blocked = driver_wait(blocking.theirs()[0]);
    their_cost.push_back(blocked.ms_per_second);
    blocking_late.push_back(blocked.us);
    return driver_wait(events.theirs()[0]).us;
  };
  const Pair late = interleave(rounds, measured, yardstick);
  const double slowest = greatest(our_late), slowest_blocking = greatest(blocking_late);
  table.add({std::string(way.name) + ", after " + lengths.name(),
             "cuEventSynchronize",
             "us",
             late,
             {Bound::at_most, 1, way.late_us},
             way.late_us > 0});
  table.add({"  beside an event with BLOCKING_SYNC",
             "cuEventSynchronize",
             "us",
             {late.measured, spread(blocking_late)},
             {Bound::at_most, 1},
             false});
  table.add({"  the slowest, and that of BLOCKING_SYNC",
             "cuEventSynchronize",
             "us",
             {spread({slowest}), spread({slowest_blocking})},
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
  Ended ended{0};
};

void note_call(void *user, gevt_status_t status) {
  const Ended ended{status};
  auto &called = *static_cast<Called *>(user);
  std::lock_guard<std::mutex> lock(called.mutex);
  called.ended = ended;
  called.is_called = true;
  called.changed.notify_all();
}

// The wait is over when the callback runs: how the program lets its own threads know is the program's.
Ended wait_for_call(gevt_event_t event) {
  Called called;
  const gevt_status_t status = gevt_on_complete(event, note_call, &called);
  if (status != 0) return {status};
  std::unique_lock<std::mutex> lock(called.mutex);
  called.changed.wait(lock, [&] { return called.is_called; });
  return called.ended;
}

} // namespace

void cuda_wake_rows(Table &table) {
  if (!TimedWork::is_possible()) return;
  const TimedWork work;
  const auto timeout = [](gevt_event_t event) { return Ended{gevt_sync_timeout(event, ten_seconds)}; };
  const auto record = [](gevt_event_t event, const WrappedStream &stream) { return gevt_record(event, stream); };
  // The other of two events is done later, but has to be watched.
  const Events later(1, GEVT_EVENT_DISABLE_TIMING);
  const auto record_both = [&](gevt_event_t event, const WrappedStream &stream) {
    const gevt_status_t status = gevt_record(event, stream);
    work.launch(stream.native(), microseconds(500));
    return status | gevt_record(later[0], stream);
  };
  const auto any = [&](gevt_event_t event) {
    const gevt_event_t both[] = {later[0], event};
    std::size_t index;
    return Ended{gevt_sync_any(&index, both, 2, ten_seconds)};
  };
  const auto add = [&](microseconds least, microseconds most, double late) {
    const Lengths lengths{least, most};
    add_wakes(table, work, {"sync_timeout", late}, lengths, record, timeout);
    add_wakes(table, work, {"sync_any of two", late}, lengths, record_both, any);
    add_wakes(table, work, {"on_complete", late}, lengths, record, wait_for_call);
  };
  for (const int us : {50, 150}) add(microseconds(us), microseconds(us), 20);
  add(microseconds(500), microseconds(500), 0);
  for (const int us : {1500, 5000, 20000}) add(microseconds(us), microseconds(us), 60);
  add(microseconds(4500), microseconds(5500), 60);
  add(microseconds(1000), microseconds(10000), 60);
}

} // namespace bench
