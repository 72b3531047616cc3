// Rows of calls that give work to a stream, and of queries while it is busy.
#include "cuda.hpp"

namespace bench {

namespace {

// Calls in a row, which a stream's queue holds without blocking the caller.
constexpr std::size_t burst = 500;
// Events that are recorded behind a gate: more of them than a stream's queue holds would block the caller.
constexpr std::size_t held = 250;
constexpr int rounds = 51;

// A burst of calls on a device that was idle before the first one.
template <class Event, class Call>
double on_idle(const std::vector<Event> &events, const char *name, Call &&call) {
  const double ns = over(events, 1, name, 0, call);
  Device::sync();
  return ns;
}

void add_records(Table &table, const char *what, gevt_stream_t ours, CUstream theirs, unsigned flags, double plus,
                 bool judged = true) {
  const BothEvents events(burst, flags);
  const auto our_records = [&] {
    return on_idle(events.ours(), "gevt_record", [&](gevt_event_t event) { return gevt_record(event, ours); });
  };
  const auto their_records = [&] {
    return on_idle(events.theirs(), "cuEventRecord", [&](CUevent event) { return driver.event_record(event, theirs); });
  };
  table.add(
      {what, "cuEventRecord", "ns", interleave(rounds, our_records, their_records), {Bound::at_most, 1, plus}, judged});
}

void add_waits(Table &table, const char *what, bool pending) {
  const WrappedStream from, to;
  // Few behind a gate: they are recorded anew for each batch.
  const BothEvents events(pending ? 50 : burst, driver_event_disable_timing);
  events.record_all(from);
  Device::sync();
  const auto our_waits = [&] {
    return over(events.ours(), 1, "gevt_stream_wait", 0,
                [&](gevt_event_t event) { return gevt_stream_wait(to, event, GEVT_WAIT_DEFAULT); });
  };
  const auto their_waits = [&] {
    return over(events.theirs(), 1, "cuStreamWaitEvent", 0,
                [&](CUevent event) { return driver.stream_wait(to.native(), event, 0); });
  };
  const auto measured = [&](auto &&waits) {
    return [&, waits] {
      if (!pending) {
        const double ns = waits();
        Device::sync();
        return ns;
      }
      const Gate gate(from.native());
      events.record_all(from);
      return waits();
    };
  };
  table.add({what,
             "cuStreamWaitEvent",
             "ns",
             interleave(rounds, measured(our_waits), measured(their_waits)),
             {Bound::at_most, 1, 25}});
}

} // namespace

void cuda_record_rows(Table &table) {
  // The driver records on a stream for its part alone, too, beside gevt's own: streams differ by some tens of nanoseconds.
  const WrappedStream wrapped, other;
  gevt_stream_t created;
  check(gevt_stream_create(&created, nullptr, GEVT_STREAM_NON_BLOCKING), "gevt_stream_create");
  gevt_stream_t legacy;
  check(gevt_stream_wrap(&legacy, nullptr, nullptr), "gevt_stream_wrap");
  add_records(table, "record: untimed, wrapped stream", wrapped, wrapped.native(), driver_event_disable_timing, 35);
  add_records(table, "record: untimed, gevt's stream", created, other.native(), driver_event_disable_timing, 25);
  add_records(table, "record: timed, wrapped stream", wrapped, wrapped.native(), driver_event_default, 35);
  add_records(table, "record: timed, gevt's stream", created, other.native(), driver_event_default, 35);
  add_records(table, "  untimed, the default stream", legacy, nullptr, driver_event_disable_timing, 35, false);
  check(gevt_stream_destroy(legacy), "gevt_stream_destroy");
  check(gevt_stream_destroy(created), "gevt_stream_destroy");
}

void cuda_pending_rows(Table &table) {
  const WrappedStream stream;
  const BothEvents events(held);
  const Gate gate(stream.native());
  events.record_all(stream);
  const auto ours = [&] { return over(events.ours(), 2, "gevt_query", GEVT_ERROR_NOT_READY, gevt_query); };
  const auto theirs = [&] { return over(events.theirs(), 2, "cuEventQuery", driver_not_ready, driver.event_query); };
  table.add({"query: pending event, 250 pending",
             "cuEventQuery",
             "ns",
             interleave(rounds, ours, theirs),
             {Bound::at_most, 1, 12}});
}

void cuda_wait_rows(Table &table) {
  add_waits(table, "stream wait: finished event, idle stream", false);
  add_waits(table, "stream wait: pending event", true);
}

} // namespace bench
