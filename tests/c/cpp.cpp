// gevt.hpp: its error codes, its owners, and the callables that streams and the log own. Scenarios make each of its calls in both forms
// (tests/scenarios/gevt_as_hpp.hpp); cpp_types.cpp has the compile-time properties of its types.
// usage: cpp [host|cuda|vulkan]
#include "objects.h"
#include "thrown.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

void statuses_are_error_codes() {
  std::error_code ec = gevt::errc::invalid_handle;
  CHECK_EQUAL(ec.value(), GEVT_ERROR_INVALID_HANDLE);
  CHECK(ec.category() == gevt::category() && ec == gevt::errc::invalid_handle && ec != gevt::errc::timeout);
  CHECK(std::string(gevt::category().name()) == "gevt");
  CHECK(ec.message() == gevt_status_string(GEVT_ERROR_INVALID_HANDLE));
  CHECK(!std::error_code(gevt::errc::success));
  // A number of a newer driver.
  CHECK_EQUAL(make_error_code(gevt::errc{12345}).value(), 12345);
  CHECK(make_error_code(gevt::errc::timeout) == std::errc::timed_out);
  CHECK(make_error_code(gevt::errc::out_of_memory) == std::errc::not_enough_memory);
  CHECK(make_error_code(gevt::errc::invalid_value) == std::errc::invalid_argument);
  CHECK(make_error_code(gevt::errc::no_device) == std::errc::no_such_device);
  CHECK(make_error_code(gevt::errc::invalid_device) == std::errc::no_such_device);
  CHECK(make_error_code(gevt::errc::not_ready) == std::errc::resource_unavailable_try_again);
  CHECK(make_error_code(gevt::errc::not_supported) == std::errc::not_supported);
  CHECK(make_error_code(gevt::errc::unknown).default_error_condition().category() == gevt::category());
}

void owners_end_what_they_own() {
  const size_t before = gevt_live_events();
  {
    gevt::event first, second;
    CHECK_EQUAL(gevt_live_events(), before + 2);
    const gevt_event_t handle = first.get();
    first = std::move(second);
    CHECK_FAILS(gevt_query(handle), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
    CHECK(first && !second);
    std::error_code ec;
    CHECK(!second.query(ec) && ec == gevt::errc::invalid_handle);
    gevt::event &same = first;
    first = std::move(same);
    CHECK(first && first.query());
    gevt::event third(std::move(first));
    CHECK(!first && third.query());
    third.destroy();
    CHECK(!third && !gevt::event::none());
    std::vector<gevt::event> many(3);
    many.resize(100);
    CHECK_EQUAL(gevt_live_events(), before + 100);
  }
  CHECK_EQUAL(gevt_live_events(), before);
}

// A NULL stream or context means the default one. An empty owner is invalid instead, whether it was moved from or never
// had a handle.
template <class Call>
void expect_invalid(Call call) {
  std::error_code ec;
  call(ec);
  CHECK(ec == gevt::errc::invalid_handle);
}

void owners_of_nothing_are_refused() {
  gevt::context full_context = gevt::context::none(), other_context = gevt::context::none();
  gevt::stream full(gevt::non_blocking), none = gevt::stream::none();
  const gevt::stream moved(std::move(full));
  const gevt::event event;
  for (const gevt::stream *stream : {&full, &none}) {
    CHECK(!*stream && stream->get() == nullptr);
    int ran = 0;
    expect_invalid([&](std::error_code &ec) { stream->launch([&ran] { ran++; }, ec); });
    expect_invalid([&](std::error_code &ec) { stream->sync(ec); });
    expect_invalid([&](std::error_code &ec) { CHECK(!stream->query(ec)); });
    expect_invalid([&](std::error_code &ec) { stream->wait(event, ec); });
    expect_invalid([&](std::error_code &ec) { event.record(*stream, ec); });
    gevt::default_stream().sync();
    CHECK_EQUAL(ran, 0);
  }
  full_context = std::move(other_context);
  for (const gevt::context *context : {&full_context, &other_context}) {
    CHECK(!*context && context->get() == nullptr);
    expect_invalid([&](std::error_code &ec) { context->set_current(ec); });
    expect_invalid([&](std::error_code &ec) { context->sync(ec); });
    expect_invalid([&](std::error_code &ec) { context->calibrate(ec); });
    expect_invalid([&](std::error_code &ec) { const gevt::stream made(*context, gevt::stream_flags::none, ec); });
    expect_invalid([&](std::error_code &ec) { const gevt::event made(*context, gevt::event_flags::none, ec); });
  }
}

void handles_go_out_and_in() {
  gevt_event_t handle;
  {
    gevt::timed_event event;
    handle = event.release();
    CHECK(!event);
  }
  CHECK_OK(gevt_query(handle));
  {
    gevt::timed_event event = gevt::timed_event::from_handle(handle);
    CHECK(event.get() == handle && gevt::event_ref(event) == gevt::event_ref(handle));
    CHECK(gevt::event_ref(event) != gevt::event_ref(gevt_event_t{}));
  }
  CHECK_FAILS(gevt_query(handle), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
}

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

// Counts its messages, and the objects of its type; moved, never copied.
struct sink_body {
  explicit sink_body(int *told) : count(told) { alive++; }
  sink_body(sink_body &&other) noexcept : count(other.count) { alive++; }
  sink_body(const sink_body &) = delete;
  ~sink_body() { alive--; }
  void operator()(gevt::log_level level, std::string_view message) {
    CHECK(level == gevt::log_level::warn && message.find("gevt_query") != message.npos);
    ++*count;
  }
  int *count;
  static inline int alive = 0;
};

// Callables for the log, several at once.
void log_sinks() {
  const gevt::event_ref nothing(gevt_event_t{});
  std::error_code ec;
  int told[3] = {};
  {
    gevt::log_sink one(gevt::log_level::warn, sink_body(&told[0]));
    gevt::log_sink other(gevt::log_level::info, sink_body(&told[1]), ec = spoiled());
    CHECK(!ec && one && other && sink_body::alive == 2);
    CHECK(!nothing.query(ec) && told[0] == 1 && told[1] == 1);
    one = std::move(other);
    CHECK(sink_body::alive == 1 && one && !other);
    CHECK(!nothing.query(ec) && told[0] == 1 && told[1] == 2);
    gevt::log_sink last(std::move(one));
    CHECK(!nothing.query(ec) && told[1] == 3);
    last.destroy();
    CHECK(!last && sink_body::alive == 0);
    CHECK(!nothing.query(ec) && told[1] == 3);
  }
  // Two of a type without state are two, and an lvalue is copied.
  static int calls;
  const auto counts = [](gevt::log_level, std::string_view) { calls++; };
  {
    const gevt::log_sink one(gevt::log_level::warn, counts), other(gevt::log_level::warn, counts);
    CHECK(!nothing.query(ec) && calls == 2);
  }
  CHECK(!nothing.query(ec) && calls == 2);
  // A level that does not exist.
  const gevt::log_sink none(gevt::log_level{99}, sink_body(&told[2]), ec);
  CHECK(ec == gevt::errc::invalid_value && !none && sink_body::alive == 0);
  CHECK(thrown_by([&] { gevt::log_sink(gevt::log_level{99}, sink_body(&told[2])); }).code() ==
        gevt::errc::invalid_value);
  CHECK(sink_body::alive == 0 && told[2] == 0);
  static_assert(!std::is_constructible_v<gevt::log_sink, gevt::log_level, int>);
  static_assert(!std::is_copy_constructible_v<gevt::log_sink> && std::is_nothrow_move_constructible_v<gevt::log_sink>);
}

} // namespace

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN(statuses_are_error_codes);
  RUN(owners_end_what_they_own);
  RUN(owners_of_nothing_are_refused);
  RUN(handles_go_out_and_in);
  RUN(launched_callables_are_owned);
  RUN(refused_callables_are_destroyed);
  RUN(callables_end_before_their_stream_goes_on);
  RUN_ON_HOST(items_run_in_order);
  RUN(log_sinks);
  return subject_end();
}
