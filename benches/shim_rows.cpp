#include "cuda.hpp"
#include "shim.hpp"

#include <algorithm>

namespace bench {

namespace {

constexpr std::size_t live = 2000;
constexpr int rounds = 51;
// What any other call of an event's may cost over plain, in ns.
constexpr double more = 40;

class NativeStream {
public:
  NativeStream() { check_driver(driver.stream_create(&stream_, driver_stream_non_blocking), "cuStreamCreate"); }
  ~NativeStream() { check_driver(driver.stream_destroy(stream_), "cuStreamDestroy"); }
  NativeStream(const NativeStream &) = delete;
  NativeStream &operator=(const NativeStream &) = delete;
  operator CUstream() const { return stream_; }

private:
  CUstream stream_ = nullptr;
};

class ApiEvents {
public:
  ApiEvents(const Api &api, std::size_t count, unsigned flags = driver_event_default) : api_(api), events_(count) {
    for (auto &event : events_) check_driver(api_.create(&event, flags), "create");
  }
  ~ApiEvents() {
    for (auto event : events_) check_driver(api_.destroy(event), "destroy");
  }
  ApiEvents(const ApiEvents &) = delete;
  ApiEvents &operator=(const ApiEvents &) = delete;
  void record_all(CUstream stream) const {
    for (auto event : events_) check_driver(api_.record(event, stream), "record");
  }
  const Api &api() const { return api_; }
  const std::vector<void *> &all() const { return events_; }

private:
  const Api &api_;
  std::vector<void *> events_;
};

// Events of both, in turn made and recorded alike.
struct Both {
  Both(const Apis &apis, std::size_t count, unsigned flags = driver_event_default)
      : ours(apis.ours, count, flags), plain(apis.plain, count, flags) {}
  void record_all(CUstream stream) const {
    ours.record_all(stream);
    plain.record_all(stream);
  }
  ApiEvents ours, plain;
};

void add(Table &table, const Apis &apis, const std::string &what, const Pair &figures, const Bound &bound) {
  table.add({what, std::string(apis.name) + ", plain", "ns", figures, bound});
}

// `call(api, event)` for each event, which has to answer `expected`.
template <class Call>
Pair calls(const Both &both, std::size_t passes, const char *what, int expected, Call &&call) {
  const auto of = [&](const ApiEvents &events) {
    return over(events.all(), passes, what, expected, [&](void *event) { return call(events.api(), event); });
  };
  return interleave(
      rounds, [&] { return of(both.ours); }, [&] { return of(both.plain); });
}

int query(const Api &api, void *event) {
  return api.query(event);
}
int sync(const Api &api, void *event) {
  return api.sync(event);
}

void finished_rows(Table &table, const Apis &apis) {
  const NativeStream stream;
  const Both finished(apis, live), unrecorded(apis, live);
  finished.record_all(stream);
  Device::sync();
  add(table, apis, "query: finished event, 2,000 live", calls(finished, 5, "query", 0, query), apis.finished);
  add(table, apis, "sync: finished event, 2,000 live", calls(finished, 5, "sync", 0, sync), {Bound::at_most, 1, more});
  add(table, apis, "query: never recorded event, 2,000 live", calls(unrecorded, 5, "query", 0, query), apis.finished);

  const auto elapsed = [](const ApiEvents &events) {
    float ms = 0;
    int statuses = 0;
    const auto &all = events.all();
    const double ns =
        per_call(all.size() - 1, [&](std::size_t i) { statuses |= events.api().elapsed(&ms, all[i], all[i + 1]); });
    if (statuses != 0) fail("elapsed", "a time that should be there is not");
    return ns;
  };
  add(table, apis, "elapsed: finished pair",
      interleave(
          rounds, [&] { return elapsed(finished.ours); }, [&] { return elapsed(finished.plain); }),
      {Bound::at_most, 1, more});
}

// Few calls to a batch: a stream takes only so much before it makes its callers wait.
void stream_rows(Table &table, const Apis &apis) {
  constexpr std::size_t few = 100;
  const NativeStream stream, other;
  const Both timed(apis, few), untimed(apis, few, driver_event_disable_timing);
  const auto record = [&](const Api &api, void *event) { return api.record(event, stream); };
  const auto wait = [&](const Api &api, void *event) { return api.wait(other, event, 0); };
  const auto of = [&](const Both &both, const char *what, auto call) {
    const auto batch = [&](const ApiEvents &events) {
      const double ns = over(events.all(), 1, what, 0, [&](void *event) { return call(events.api(), event); });
      Device::sync();
      return ns;
    };
    return interleave(
        rounds, [&] { return batch(both.ours); }, [&] { return batch(both.plain); });
  };
  add(table, apis, "record: timed", of(timed, "record", record), {Bound::at_most, 1, more});
  add(table, apis, "record: untimed", of(untimed, "record", record), {Bound::at_most, 1, more});
  add(table, apis, "stream wait: finished event", of(timed, "wait", wait), {Bound::at_most, 1, more});

  const Gate gate(stream);
  timed.record_all(stream);
  add(table, apis, "query: pending event", calls(timed, 1, "query", driver_not_ready, query),
      {Bound::at_most, 1, more});
}

void life_rows(Table &table, const Apis &apis) {
  const auto lives = [](const Api &api) {
    int statuses = 0;
    const double ns = per_call(live, [&](std::size_t) {
      void *event = nullptr;
      statuses |= api.create(&event, driver_event_default);
      statuses |= api.destroy(event);
    });
    if (statuses != 0) fail("create, destroy", "one of them failed");
    return ns;
  };
  add(table, apis, "create + destroy, timed",
      interleave(
          rounds, [&] { return lives(apis.ours); }, [&] { return lives(apis.plain); }),
      {Bound::at_most, 1, 2 * more});
}

} // namespace

void shim_call_rows(Table &table, const Apis &apis) {
  finished_rows(table, apis);
  stream_rows(table, apis);
  life_rows(table, apis);
}

void shim_threads_rows(Table &table, const Apis &apis, double least) {
  const NativeStream stream;
  const Both events(apis, live);
  events.record_all(stream);
  Device::sync();
  const auto poll = [](const ApiEvents &from, std::size_t thread, std::size_t count) {
    std::vector<void *> own = from.all();
    std::rotate(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(thread * 37 % own.size()), own.end());
    return [own, at = std::size_t{0}, count, ask = from.api().query]() mutable {
      int statuses = 0;
      for (std::size_t i = 0; i < count; i++) {
        statuses |= ask(own[at]);
        at = at + 1 < own.size() ? at + 1 : 0;
      }
      if (statuses != 0) fail("query", "a finished event is not");
      return count;
    };
  };
  for (const int threads : {1, 8}) {
    const auto rates = total_rates(
        threads, 31, [&](std::size_t thread) { return poll(events.ours, thread, 1000); },
        [&](std::size_t thread) { return poll(events.plain, thread, 10); });
    table.add({"query: finished events, " + std::to_string(threads) + (threads == 1 ? " thread" : " threads"),
               std::string(apis.name) + ", plain",
               "M/s",
               rates,
               {Bound::at_least, 0, least},
               threads > 1 && least > 0});
  }
}

} // namespace bench
