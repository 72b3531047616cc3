// gevt.hpp: each of its calls in both forms. The compile-time properties of its types are tested in cpp_types.cpp,
// callables in cpp_launch.cpp.
// usage: cpp [host|cuda]
#include "peer.h"
#include "thrown.h"

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/file.h>

namespace {

using namespace std::chrono_literals;

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

void failures_are_thrown_or_stored() {
  const gevt::event_ref stale = event_stale();
  std::error_code ec;
  const gevt::error error = thrown_by([&] { (void)stale.query(); });
  CHECK(error.code() == gevt::errc::invalid_handle);
  CHECK_EQUAL(error.detail(), GEVT_DETAIL_STALE_HANDLE);
  CHECK(contains(error.what(), gevt_last_message()) && contains(error.what(), "gevt_query"));
  CHECK(contains(error.what(), gevt_status_string(GEVT_ERROR_INVALID_HANDLE)));
  CHECK(!stale.query(ec) && ec == gevt::errc::invalid_handle);

  CHECK(thrown_by([] { gevt::event event(gevt::event_flags{1u << 30}); }).code() == gevt::errc::invalid_value);
  CHECK(!gevt::event(gevt::event_flags{1u << 30}, ec) && ec == gevt::errc::invalid_value);
  CHECK(thrown_by([] { gevt::stream stream(gevt::stream_flags{1u << 30}); }).code() == gevt::errc::invalid_value);
  CHECK(!gevt::stream(gevt::stream_flags{1u << 30}, ec) && ec == gevt::errc::invalid_value);
  CHECK(thrown_by([] { gevt::context context(gevt::backend::host, -1); }).code() == gevt::errc::invalid_device);
  CHECK(!gevt::context(gevt::backend::host, -1, ec) && ec == gevt::errc::invalid_device);
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
    CHECK(gevt::event_ref(event) != gevt::event_ref(event_stale()));
  }
  CHECK_FAILS(gevt_query(handle), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
}

// A gate that outlives the streams of the case; it is open when the case has ended, even after a failure.
struct closed_gate {
  explicit closed_gate(gevt::stream_ref stream) { gate_close(&gate, stream.get()); }
  ~closed_gate() {
    gate_open(&gate);
    gate_await_passage(&gate);
  }
  void open() { gate_open(&gate); }
  gate_t gate = GATE_CLOSED;
};

void events_are_recorded_and_waited_for() {
  const gevt::stream stream(gevt::non_blocking), behind(gevt::non_blocking);
  const gevt::event event(gevt::event_flags::blocking_sync), last;
  std::error_code ec = spoiled();
  closed_gate gate(stream);
  event.record(stream);
  CHECK(!event.query() && !stream.query());
  CHECK(!event.query(ec) && !ec);
  ec = spoiled();
  CHECK(!stream.query(ec) && !ec);
  CHECK(!event.sync_for(-1s) && !event.sync_for(0s) && !event.sync_for(1ms));
  ec = spoiled();
  CHECK(!event.sync_for(std::chrono::duration<double>(0.001), ec) && !ec);
  behind.wait(event);
  behind.wait(event, ec = spoiled());
  CHECK(!ec);
  last.record(behind, ec = spoiled());
  CHECK(!ec && !last.query());

  const gevt::event_ref both[] = {event, last};
  const gevt_event_t handles[] = {event.get(), last.get()};
  CHECK(!gevt::sync_all_for({event, last}, 1ms) && !gevt::sync_any_for({event, last}, 1ms));
  ec = spoiled();
  CHECK(!gevt::sync_all_for(both, 0ms, ec) && !ec);
  ec = spoiled();
  CHECK(!gevt::sync_any_for(handles, 2, 0ms, ec) && !ec);
  const gevt::event done;
  CHECK(gevt::sync_any_for({last, done}, 1s) == std::size_t{1} && !gevt::sync_all_for({done, last}, 1ms));
  gate.open();
  CHECK(gevt::sync_any_for(both, std::chrono::nanoseconds::max()).has_value());
  CHECK(last.sync_for(std::chrono::hours::max()));
  CHECK(gevt::sync_all_for(handles, 2, 1min) && gevt::sync_all_for(handles, 2, 1min, ec) && !ec);
  CHECK(gevt::sync_any_for({event, last}, 0s, ec) == std::size_t{0} && !ec);
  CHECK(gevt::sync_any_for(handles, 2, 0s) == std::size_t{0});
  event.sync();
  event.sync(ec = spoiled());
  CHECK(!ec && event.query());
  stream.sync();
  behind.sync(ec = spoiled());
  CHECK(!ec);
  CHECK(stream.query());
  CHECK(behind.query());
  CHECK(thrown_by([] { (void)gevt::sync_any_for(nullptr, 0, 1s); }).code() == gevt::errc::invalid_value);
  CHECK(!gevt::sync_all_for(nullptr, 1, 1s, ec) && ec == gevt::errc::invalid_value);
}

// A flag for captures is handed on: outside a capture it is refused.
void flags_are_handed_on() {
  const gevt::stream stream;
  const gevt::event event, strict(gevt::event_flags::strict | gevt::event_flags::blocking_sync);
  std::error_code ec;
  event.record(stream, gevt::record_flags::none);
  stream.wait(event, gevt::wait_flags::none, ec);
  CHECK(!ec);
  event.record(stream, gevt::record_flags::external, ec);
  CHECK(ec == gevt::errc::illegal_state);
  stream.wait(event, gevt::wait_flags::external, ec);
  CHECK(ec == gevt::errc::illegal_state);
  CHECK(thrown_by([&] { event.record(stream, gevt::record_flags::external); }).code() == gevt::errc::illegal_state);
  CHECK(thrown_by([&] { stream.wait(event, gevt::wait_flags::external); }).code() == gevt::errc::illegal_state);
  CHECK(!strict.query(ec) && ec == gevt::errc::illegal_state);
  CHECK_EQUAL(strict.info().get().flags, GEVT_EVENT_STRICT | GEVT_EVENT_BLOCKING_SYNC | GEVT_EVENT_DISABLE_TIMING);
  CHECK_EQUAL(gevt::timed_event().info().get().flags, GEVT_EVENT_DEFAULT);
}

void timed_events_have_differences() {
  const gevt::stream stream(gevt::non_blocking);
  const gevt::timed_event start, end;
  std::error_code ec = spoiled();
  {
    closed_gate gate(stream);
    start.record(stream);
    end.record(stream);
    // NOT_READY is not a failure to gevt: the message belongs to another call, and must not be taken for this one's.
    CHECK_STATUS(gevt_query(nullptr), GEVT_ERROR_INVALID_HANDLE);
    const gevt::error error = thrown_by([&] { (void)(end - start); });
    CHECK(error.code() == gevt::errc::not_ready && !contains(error.what(), "gevt_query"));
    CHECK_EQUAL(error.detail(), GEVT_DETAIL_NONE);
    CHECK(end.since(start, ec) == 0ns && ec == gevt::errc::not_ready);
  }
  end.sync();
  int64_t ns = -1;
  CHECK_OK(gevt_elapsed_ns(&ns, start.get(), end.get()));
  CHECK((end - start).count() == ns && (start - end).count() == -ns && end.since(start, ec) == end - start && !ec);
}

void host_functions_run() {
  const gevt::stream stream;
  const gevt::event event;
  int calls = 0, completed = 0;
  std::error_code ec = spoiled();
  const gevt_complete_fn_t complete = [](void *user, gevt_status_t status) {
    if (status == GEVT_SUCCESS) count_up(user);
  };
  stream.launch(count_up, &calls);
  stream.launch(count_up, &calls, ec = spoiled());
  CHECK(!ec);
  event.record(stream);
  event.on_complete(complete, &completed);
  event.on_complete(complete, &completed, ec = spoiled());
  CHECK(!ec);
  stream.sync();
  CHECK_EQUAL(calls, 2);
  CHECK(count_await(&completed, 2));
  CHECK(thrown_by([&] { stream.launch(nullptr, nullptr); }).code() == gevt::errc::invalid_value);
  event.on_complete(nullptr, nullptr, ec);
  CHECK(ec == gevt::errc::invalid_value);
}

// gevt_sync does not wait for callbacks: here the callback waits for what the thread does after its wait.
void sync_returns_before_a_callback_does() {
  const gevt::stream stream;
  const gevt::event event;
  struct Callback {
    std::atomic<bool> may_end{false};
    int ended = 0;
  } callback;
  event.record(stream);
  event.on_complete(
      [](void *user, gevt_status_t) {
        auto &callback = *static_cast<Callback *>(user);
        while (!callback.may_end) std::this_thread::yield();
        count_up(&callback.ended);
      },
      &callback);
  event.sync();
  stream.sync();
  callback.may_end = true;
  CHECK(count_await(&callback.ended, 1));
}

void streams_and_contexts_are_waited_for_with_a_timeout() {
  const gevt::stream stream;
  const gevt::context_ref context(subject_context);
  std::atomic<bool> may_end{false};
  std::error_code ec = spoiled();
  stream.launch([&may_end] {
    while (!may_end) std::this_thread::yield();
  });
  CHECK(!stream.sync_for(0ns));
  CHECK(!stream.sync_for(1us, ec) && !ec);
  may_end = true;
  CHECK(stream.sync_for(10min));
  CHECK(stream.sync_for(std::chrono::nanoseconds::max(), ec = spoiled()) && !ec);
  CHECK(context.sync_for(std::chrono::nanoseconds::max()));
  CHECK(context.sync_for(std::chrono::hours::max(), ec = spoiled()) && !ec);
}

void plain_streams_are_ordered_and_others_are_not() {
  const gevt::stream stream(gevt::non_blocking), plain;
  const gevt::event first, behind_plain;
  std::atomic<bool> may_end{false};
  plain.launch([&may_end] {
    while (!may_end) std::this_thread::yield();
  });
  behind_plain.record(gevt::default_stream());
  first.record(stream);
  first.sync();
  CHECK(!behind_plain.query());
  may_end = true;
  behind_plain.sync();
}

void streams_have_names() {
  const gevt::stream stream{gevt::context_ref(subject_context)};
  std::error_code ec = spoiled();
  stream.set_name("first");
  gevt::stream_ref(stream).set_name("second", ec);
  CHECK(!ec);
  stream.launch(nullptr, nullptr, ec);
  CHECK(ec == gevt::errc::invalid_value && std::strstr(gevt_last_message(), "\"second\"") != nullptr);
  stream.set_name("\xff", ec);
  CHECK(ec == gevt::errc::invalid_value);
}

void contexts_are_current() {
  const gevt::backend backend{subject_backend};
  std::error_code ec = spoiled();
  CHECK(gevt::device_count(backend) >= 1 && gevt::device_count(backend, ec) >= 1 && !ec);
  const gevt::context_ref before = gevt::context_ref::current();
  CHECK(before == gevt::context_ref(subject_context));
  {
    const gevt::context context(backend), other(backend, 0, ec);
    CHECK(!ec);
    context.set_current();
    CHECK(gevt::context_ref::current(ec) == gevt::context_ref(context) && !ec);
    other.set_current(ec = spoiled());
    CHECK(!ec && gevt::context_ref::current() == gevt::context_ref(other));
    const gevt::stream stream(context), second(context, gevt::stream_flags::none, ec);
    const gevt::event event(context, gevt::event_flags::none, ec);
    CHECK(!ec);
    event.record(stream);
    event.record(gevt::default_stream());
    context.calibrate(ec = spoiled());
    CHECK(!ec || ec == gevt::errc::not_supported || gevt_last_detail() == GEVT_DETAIL_NOT_CALIBRATED);
    if (!ec && subject_is_host()) context.calibrate();
    context.sync();
    context.sync(ec = spoiled());
    CHECK(!ec && event.query());
    gevt::context_ref::reset_current();
  }
  CHECK(gevt::context_ref::current() != before);
  before.set_current();
  gevt::context_ref::reset_current(ec = spoiled());
  CHECK(!ec && gevt::context_ref::current() != before);
  before.set_current();
}

// The CUDA backend gives its objects out and takes them in; the others have only the default stream.
void native_handles_are_wrapped() {
  const gevt::context_ref context = subject_context;
  const gevt::stream legacy = gevt::stream::wrap(context, reinterpret_cast<void *>(std::uintptr_t{1}));
  const gevt::event event(context);
  const gevt::timed_event timed(context);
  std::error_code ec;
  event.record(legacy);
  timed.record(legacy);
  legacy.sync();
  if (!subject_is_cuda()) {
    void *some = &ec;
    CHECK(event.native_handle(ec) == nullptr && ec == gevt::errc::not_supported);
    CHECK(thrown_by([&] { (void)event.native_handle(); }).code() == gevt::errc::not_supported);
    CHECK(!gevt::event::wrap(context, some, {}, ec) && ec == gevt::errc::not_supported);
    CHECK(thrown_by([&] { (void)gevt::timed_event::wrap(context, some); }).code() == gevt::errc::not_supported);
    CHECK(!gevt::stream::wrap(context, some, ec) && ec == gevt::errc::not_supported);
    CHECK(!gevt::context::wrap(gevt::backend::host, some, ec) && ec == gevt::errc::not_supported);
    CHECK(thrown_by([&] { (void)gevt::context::wrap(gevt::backend::host, some); }).code() == gevt::errc::not_supported);
    return;
  }
  const gevt::event wrapped = gevt::event::wrap(context, event.native_handle());
  const gevt::timed_event wrapped_timed = gevt::timed_event::wrap(context, timed.native_handle(ec), {}, ec);
  CHECK(!ec && wrapped.query());
  wrapped.record(legacy);
  wrapped_timed.record(legacy);
  wrapped.sync();
  CHECK(wrapped_timed.sync_for(1min));
}

int messages;

void count_message(void *user, gevt_log_level_t level, const char *message) {
  CHECK(level == GEVT_LOG_WARN && strstr(message, "gevt_query") != nullptr);
  count_up(user);
}

void log_and_trace_are_set() {
  std::error_code ec;
  gevt::set_log_callback(count_message, &messages, gevt::log_level::warn);
  CHECK(!gevt::event_ref(gevt_event_t{}).query(ec) && ec == gevt::errc::invalid_handle);
  gevt::set_log_callback(count_message, &messages, gevt::log_level::off, ec = spoiled());
  CHECK(!ec && messages == 1);
  gevt::set_log_callback(count_message, nullptr, gevt::log_level{99}, ec);
  CHECK(ec == gevt::errc::invalid_value);
  gevt::set_log_callback(nullptr, nullptr, gevt::log_level::off, ec);
  CHECK(ec == gevt::errc::invalid_value);

  // A lock on a device does not stop a trace.
  const int device = open("/dev/null", O_WRONLY);
  CHECK(flock(device, LOCK_SH) == 0);
  gevt::trace_start("/dev/null");
  close(device);
  gevt::trace_start("/dev/null", ec);
  CHECK(ec == gevt::errc::illegal_state);
  gevt::trace_stop(ec = spoiled());
  CHECK(!ec);
  CHECK(thrown_by([] { gevt::trace_stop(); }).code() == gevt::errc::illegal_state);
  CHECK(thrown_by([] { gevt::trace_start("/no/such/folder/trace.json"); }).code() == gevt::errc::operating_system);
}

// Each form with what another process makes of it.
void events_are_shared() {
  std::error_code ec = spoiled();
  peer_t peer = peer_start();
  const gevt::event event(gevt::event_flags::interprocess), plain;
  const gevt_ipc_handle_t bytes = event.ipc_export(), again = gevt::event_ref(event).ipc_export(ec);
  CHECK(!ec && std::memcmp(&bytes, &again, sizeof bytes) == 0);
  CHECK_OK(peer_import(&peer, 0, &bytes));
  CHECK_OK(peer_ask(&peer, PEER_BLOCK, 0, 0));
  CHECK_OK(peer_ask(&peer, PEER_RECORD, 0, 0));
  CHECK(!event.query());
  CHECK_OK(peer_ask(&peer, PEER_UNBLOCK, 0, 0));
  event.sync();

  CHECK_OK(peer_ask(&peer, PEER_CREATE, 1, GEVT_EVENT_DISABLE_TIMING | GEVT_EVENT_INTERPROCESS));
  CHECK_OK(peer_ask(&peer, PEER_EXPORT, 1, 0));
  const gevt_ipc_handle_t theirs = peer.answer.handle;
  const gevt::context_ref context = subject_context;
  const gevt::event imported[] = {gevt::event::ipc_import(theirs), gevt::event::ipc_import(context, theirs),
                                  gevt::event::ipc_import(theirs, ec = spoiled())};
  CHECK(!ec);
  const gevt::event fourth = gevt::event::ipc_import(context, theirs, ec = spoiled());
  CHECK(!ec && fourth && fourth.info().is_imported());
  for (const gevt::event &each : imported) CHECK(each && each.info().is_imported() && each.query());

  CHECK(thrown_by([&] { (void)plain.ipc_export(); }).code() == gevt::errc::invalid_handle);
  (void)plain.ipc_export(ec);
  CHECK(ec == gevt::errc::invalid_handle);
  CHECK(thrown_by([&] { (void)gevt::event::ipc_import(bytes); }).code() == gevt::errc::invalid_context);
  CHECK(!gevt::event::ipc_import(gevt_ipc_handle_t{}, ec) && ec == gevt::errc::map_failed);
  CHECK_EQUAL(peer_end(&peer), 0);
}

} // namespace

int main(int argc, char **argv) {
  peer_serve(argc, argv);
  subject_begin(argc, argv);
  RUN(statuses_are_error_codes);
  RUN(failures_are_thrown_or_stored);
  RUN(owners_end_what_they_own);
  RUN(owners_of_nothing_are_refused);
  RUN(handles_go_out_and_in);
  RUN(events_are_recorded_and_waited_for);
  RUN(flags_are_handed_on);
  RUN(timed_events_have_differences);
  RUN(host_functions_run);
  RUN(sync_returns_before_a_callback_does);
  RUN(streams_and_contexts_are_waited_for_with_a_timeout);
  RUN_BUT_ON_VULKAN(plain_streams_are_ordered_and_others_are_not, "its default stream is a stream like any other");
  RUN(streams_have_names);
  RUN(contexts_are_current);
  RUN(native_handles_are_wrapped);
  RUN(log_and_trace_are_set);
  RUN_BUT_ON_VULKAN(events_are_shared, "no event is shared with other processes");
  return subject_end();
}
