// Rows of single calls on events that are finished or were never recorded, and of their creation.
#include "cuda.hpp"

namespace bench {

namespace {

constexpr std::size_t live = 2000;
constexpr int rounds = 51;

template <class OurCall, class TheirCall>
void add_calls(Table &table, const char *what, const char *name, const BothEvents &events, OurCall ours,
               TheirCall theirs) {
  const auto figures = interleave(
      rounds, [&] { return over(events.ours(), 5, what, 0, ours); },
      [&] { return over(events.theirs(), 5, what, 0, theirs); });
  table.add({what, name, "ns", figures, {Bound::at_most, 0, 10}});
}

// The elapsed time between each event and the next one.
template <class Event, class Call>
double over_pairs(const std::vector<Event> &events, const char *name, Call &&call) {
  int statuses = 0;
  float ms = 0;
  const double ns =
      per_call(events.size() - 1, [&](std::size_t i) { statuses |= call(&ms, events[i], events[i + 1]); });
  if (statuses != 0) fail(name, "an elapsed time that should be there is not");
  return ns;
}

// `use` is what happens to an event between its creation and its end.
template <class Use>
double our_lives(std::size_t count, unsigned flags, Use &&use) {
  int statuses = 0;
  const double ns = per_call(count, [&](std::size_t) {
    gevt_event_t event = nullptr;
    statuses |= gevt_create(&event, flags);
    statuses |= use(event);
    statuses |= gevt_destroy(event);
  });
  if (statuses != 0) fail("gevt_create to gevt_destroy", gevt_last_message());
  return ns;
}

template <class Use>
double their_lives(std::size_t count, unsigned flags, Use &&use) {
  int statuses = 0;
  const double ns = per_call(count, [&](std::size_t) {
    CUevent event = nullptr;
    statuses |= driver.event_create(&event, flags);
    statuses |= use(event);
    statuses |= driver.event_destroy(event);
  });
  if (statuses != 0) fail("cuEventCreate to cuEventDestroy", "one of them failed");
  return ns;
}

} // namespace

void cuda_query_rows(Table &table) {
  const WrappedStream stream;
  const BothEvents finished(live), unrecorded(live);
  finished.record_all(stream);
  Device::sync();
  add_calls(table, "query: finished event, 2,000 live", "cuEventQuery", finished, gevt_query, driver.event_query);
  add_calls(table, "sync: finished event, 2,000 live", "cuEventSynchronize", finished, gevt_sync, driver.event_sync);
  add_calls(table, "query: never recorded event, 2,000 live", "cuEventQuery", unrecorded, gevt_query,
            driver.event_query);
}

void cuda_elapsed_rows(Table &table) {
  const WrappedStream stream;
  const BothEvents events(live);
  events.record_all(stream);
  Device::sync();
  const auto ours = [&] { return over_pairs(events.ours(), "gevt_elapsed", gevt_elapsed); };
  const auto theirs = [&] { return over_pairs(events.theirs(), "cuEventElapsedTime", driver.event_elapsed); };
  table.add({"elapsed: finished pair, once known",
             "cuEventElapsedTime",
             "ns",
             interleave(rounds, ours, theirs),
             {Bound::at_most, 0, 15}});

  // Recorded anew each time, so that no time is known.
  const BothEvents fresh(500);
  const auto renewed = [&](bool asked) {
    fresh.record_all(stream);
    Device::sync();
    int statuses = 0;
    for (auto event : fresh.ours()) statuses |= asked ? gevt_query(event) : 0;
    if (statuses != 0) fail("gevt_query", "a finished event is not");
  };
  const auto add_first = [&](const char *what, bool asked) {
    const auto our_first = [&] {
      renewed(asked);
      return over_pairs(fresh.ours(), "gevt_elapsed", gevt_elapsed);
    };
    const auto their_first = [&] {
      renewed(asked);
      return over_pairs(fresh.theirs(), "cuEventElapsedTime", driver.event_elapsed);
    };
    table.add(
        {what, "cuEventElapsedTime", "ns", interleave(rounds, our_first, their_first), {Bound::at_most, 1, 20}, asked});
  };
  add_first("  the first time", true);
  add_first("  the first time, neither event asked before", false);
}

void cuda_create_rows(Table &table) {
  const auto nothing = [](auto) { return 0; };
  const auto add = [&](const char *what, unsigned flags, bool judged) {
    table.add({what,
               "the driver's",
               "ns",
               interleave(
                   rounds, [&] { return our_lives(live, flags, nothing); },
                   [&] { return their_lives(live, flags, nothing); }),
               {Bound::at_most, 0, 40},
               judged});
  };
  add("create + destroy, timed", driver_event_default, true);
  add("  untimed", driver_event_disable_timing, false);

  // gevt makes a native event at the first record only: the whole life of an event that is used.
  const WrappedStream stream;
  const auto our_use = [&](gevt_event_t event) { return gevt_record(event, stream) | gevt_sync(event); };
  const auto their_use = [&](CUevent event) {
    return driver.event_record(event, stream.native()) | driver.event_sync(event);
  };
  table.add({"  create, record, sync, destroy, untimed",
             "the driver's",
             "ns",
             interleave(
                 rounds, [&] { return our_lives(500, driver_event_disable_timing, our_use); },
                 [&] { return their_lives(500, driver_event_disable_timing, their_use); }),
             {Bound::at_most, 1}});
}

} // namespace bench
