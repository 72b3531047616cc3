// gevt.hpp: a stream owns what it runs, and destroys it once.
// usage: cpp_launch [host|cuda]
#include "objects.h"
#include "thrown.h"

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

namespace {

// Counts how many of it there are. Too large to travel inside a pointer.
struct Counted {
  static inline std::atomic<int> live{0}, copies{0};
  int *calls;
  void *padding = nullptr;

  explicit Counted(int *calls) : calls(calls) { live++; }
  Counted(const Counted &other) : calls(other.calls) { live++, copies++; }
  Counted(Counted &&other) noexcept : calls(other.calls) { live++; }
  ~Counted() { live--; }
  void operator()() const { ++*calls; }
};

// Small enough to be stored inside a pointer. Taking its address by & does not compile.
struct Unaddressable {
  int *calls;
  void operator&() const = delete;
  void operator()() const { ++*calls; }
};

void plain_function() {}

// A stream owns what it runs: lvalues are copied, rvalues moved, and nothing is left of them when it has run.
void launched_callables_are_owned() {
  const gevt::stream stream;
  int calls = 0;
  std::error_code ec = spoiled();
  {
    const Counted lvalue(&calls);
    stream.launch(lvalue);
    stream.launch(lvalue, ec);
    CHECK(!ec);
    stream.launch(Counted(&calls));
    stream.launch(Counted(&calls), ec = spoiled());
    CHECK(!ec);
  }
  stream.launch([&calls] { calls++; });
  stream.launch([&calls, moved = std::make_unique<int>(5)] { calls += *moved; });
  stream.launch([&calls, state = 0]() mutable { calls += ++state; }, ec = spoiled());
  CHECK(!ec);
  stream.launch(plain_function);
  stream.launch(&plain_function);
  stream.launch(Unaddressable{&calls});
  // By reference: no copy, and the object keeps its state.
  auto count = [&calls, times = 0]() mutable { calls += ++times; };
  stream.launch(std::ref(count));
  stream.launch(std::ref(count), ec = spoiled());
  CHECK(!ec);
  stream.sync();
  CHECK_EQUAL(calls, 4 + 1 + 5 + 1 + 1 + 1 + 2);
  CHECK_EQUAL(Counted::copies.load(), 2);
  CHECK_EQUAL(Counted::live.load(), 0);
}

// A refused call destroys the callable, once.
void refused_callables_are_destroyed() {
  const gevt::stream none = gevt::stream::none();
  gevt::stream gone;
  int calls = 0;
  std::error_code ec;
  const gevt::stream_ref stale(gone.get());
  gone.destroy();
  CHECK(thrown_by([&] { stale.launch(Counted(&calls)); }).code() == gevt::errc::invalid_handle);
  stale.launch(Counted(&calls), ec);
  CHECK(ec == gevt::errc::invalid_handle);
  stale.launch([&calls] { calls++; }, ec = std::error_code());
  CHECK(ec == gevt::errc::invalid_handle);
  stale.launch([moved = std::make_unique<int>(5)] {}, ec = std::error_code());
  CHECK(ec == gevt::errc::invalid_handle);
  CHECK(calls == 0 && Counted::live.load() == 0);
}

// The order that the header promises: a launched function has returned, and is destroyed, before the stream continues.
void callables_end_before_their_stream_goes_on() {
  const gevt::stream stream;
  const gevt::event event;
  int calls = 0;
  stream.launch(Counted(&calls));
  stream.launch([&calls] { CHECK(calls == 1 && Counted::live.load() == 0); });
  event.record(stream);
  event.sync();
  CHECK(calls == 1 && Counted::live.load() == 0);
}

// Items: an owned callable, one by reference, and a small one; with their waits and worker numbers.
void items_run_in_order() {
  const gevt::stream stream;
  const gevt::event event;
  std::atomic<int> sum{0};
  int seen = -1;
  gevt::set_host_threads(3);
  CHECK(gevt::host_threads() == 3);
  struct Add {
    std::atomic<int> *sum;
    Counted counted;
    void operator()(std::size_t item, std::uint32_t worker) const {
      CHECK(worker < 3);
      *sum += static_cast<int>(item);
    }
  };
  int calls = 0;
  stream.launch_n(100, Add{&sum, Counted(&calls)});
  stream.launch([&] { seen = sum; });
  stream.launch_n(10, [&sum](std::size_t, std::uint32_t) { sum += 1; });
  auto twice = [&sum, &seen](std::size_t, std::uint32_t) { sum += seen > 0 ? 2 : 0; };
  stream.launch_n(10, std::ref(twice));
  event.record(stream);
  event.sync_helping();
  CHECK(event.sync_helping_for(std::chrono::seconds(60)));
  CHECK(seen == 4950);
  CHECK(sum == 4950 + 10 + 20);
  CHECK(Counted::live.load() == 0);
  std::error_code ec;
  gevt::stream gone;
  const gevt::stream_ref stale(gone.get());
  gone.destroy();
  stale.launch_n(1, Add{&sum, Counted(&calls)}, ec);
  CHECK(ec == gevt::errc::invalid_handle);
  CHECK(Counted::live.load() == 0);
  CHECK(thrown_by([&] { gevt::set_host_threads(5000); }).code() == gevt::errc::invalid_value);
  gevt::set_host_threads(0);
}

} // namespace

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN(launched_callables_are_owned);
  RUN(refused_callables_are_destroyed);
  RUN(callables_end_before_their_stream_goes_on);
  RUN_ON_HOST(items_run_in_order);
  return subject_end();
}
