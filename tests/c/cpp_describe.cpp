// gevt.hpp: descriptions, native objects, references with timing, callables for completions, and ranges of events.
// usage: cpp_describe [host|cuda|vulkan]
#include "objects.h"
#include "thrown.h"

#include <atomic>
#include <list>
#include <memory>
#include <vector>

namespace {

using namespace std::chrono_literals;

void events_tell_of_themselves() {
  const gevt::event event{gevt::context_ref(subject_context)};
  std::error_code ec = spoiled();
  event.set_name("first");
  CHECK(event.info().name() == "first");
  event.set_name("second", ec);
  CHECK(!ec);
  const gevt::event_info info = event.info(ec = spoiled());
  CHECK(!ec && info.name() == "second" && info.state() == gevt::event_state::unrecorded);
  CHECK(info.backend() == gevt::backend{subject_backend} && info.device() == 0 && !info.has_timing());
  CHECK(info.flags() == gevt::event_flags::none && !info.is_imported() && info.record_count() == 0);
  CHECK(!gevt::event().info().device().has_value() && gevt::timed_event().info().has_timing());
  event.set_name("\xff", ec);
  CHECK(ec == gevt::errc::invalid_value);
}

void streams_and_contexts_tell_of_themselves() {
  const gevt::context context(gevt::backend{subject_backend}, 0);
  const gevt::stream stream(context, gevt::non_blocking);
  std::error_code ec = spoiled();
  stream.set_name("shadows");
  const gevt::stream_info info = stream.info(ec);
  CHECK(!ec && info.name() == "shadows" && info.flags() == gevt::stream_flags::non_blocking && info.device() == 0);
  CHECK(info.context() == context.get() && info.backend() == gevt::backend{subject_backend});
  CHECK(info.queue_family().has_value() == (subject_is_vulkan() != 0));
  const gevt::context_info device = context.info(ec = spoiled());
  CHECK(!ec && !device.name().empty() && device.device() == 0);
  CHECK(device.uuid().has_value() == (subject_is_host() == 0) &&
        device.uuid() == gevt::context_ref::current().info().uuid());
  CHECK(gevt::default_stream().info().flags() == gevt::stream_flags::none);
  if (subject_is_host()) {
    CHECK(!stream.native_handle(ec) && ec == gevt::errc::not_supported);
    CHECK(thrown_by([&] { (void)context.native_handle(); }).code() == gevt::errc::not_supported);
  } else {
    CHECK(stream.native_handle() != nullptr && context.native_handle(ec = spoiled()) != nullptr && !ec);
  }
}

std::chrono::nanoseconds between(gevt::timed_event_ref start, gevt::timed_event_ref end) {
  return end - start;
}

void references_have_timing() {
  const gevt::stream stream;
  const gevt::timed_event start, end;
  std::error_code ec = spoiled();
  start.record(stream);
  end.record(stream);
  end.sync();
  // A busy machine may need some tries.
  while (gevt_context_calibrate(subject_context) == GEVT_ERROR_ILLEGAL_STATE) {
    if (!CHECK_DETAIL(GEVT_DETAIL_NOT_CALIBRATED)) {
      break;
    }
  }
  CHECK(between(start, end) == end - start && between(end, start) == start - end &&
        end.since(start, ec) == end - start && !ec);
  const gevt::timed_event_ref ref = end;
  // CUDA has no time of the host's before. A busy machine may need some tries.
  while (gevt_context_calibrate(subject_context) == GEVT_ERROR_ILLEGAL_STATE) {}
  CHECK(ref.query() && ref.host_time(ec = spoiled()).time == end.host_time().time);
  stream.wait(ref);
#ifdef __linux__
  CHECK(ref.host_time().time <= std::chrono::steady_clock::now() + ref.host_time().error + 1s);
#endif
  stream.sync();
}

// As large as a pointer: it is not allocated.
struct small {
  std::atomic<int> *called;
  void operator()(gevt_status_t) const { ++*called; }
  static void *operator new(std::size_t) = delete;
};

// What can only be moved, and what needs no memory.
void callables_are_moved() {
  const gevt::event gate(gevt::event_flags::host_signaled);
  std::atomic<int> called{0};
  std::error_code ec = spoiled();
  gate.on_complete([&called, moved = std::make_unique<int>(5)](gevt_status_t) { called += *moved; });
  gate.on_complete([&called, moved = std::make_unique<int>(5)](gevt_status_t) { called += *moved; }, ec);
  CHECK(!ec);
  gate.on_complete(small{&called});
  gate.on_complete(small{&called}, ec);
  CHECK(!ec);
  gate.signal();
  while (called != 12) sleep_ns(MILLISECOND);
}

// A callable is called once and destroyed once, whether the event is complete or not; after an error it is only destroyed.
void callables_follow_events() {
  const gevt::event gate(gevt::event_flags::host_signaled), failing(gevt::event_flags::host_signaled);
  std::atomic<int> called{0}, status{GEVT_ERROR_UNKNOWN};
  const auto alive = std::make_shared<int>(1);
  std::error_code ec = spoiled();
  const auto note = [&called, &status, alive](gevt_status_t told) {
    status = told;
    called++;
  };
  gate.on_complete(note);
  CHECK(called == 0);
  gate.signal();
  while (called != 1 || alive.use_count() != 2) sleep_ns(MILLISECOND);
  CHECK_EQUAL(status.load(), GEVT_SUCCESS);
  failing.on_complete(note, ec);
  CHECK(!ec);
  failing.signal(GEVT_ERROR_LAUNCH_FAILED);
  while (called != 2 || alive.use_count() != 2) sleep_ns(MILLISECOND);
  CHECK_EQUAL(status.load(), GEVT_ERROR_LAUNCH_FAILED);
  gevt::event gone = gevt::event::none();
  gone.on_complete(note, ec);
  CHECK(ec == gevt::errc::invalid_handle && called == 2 && alive.use_count() == 2);
  CHECK(thrown_by([&] { gone.on_complete(note); }).code() == gevt::errc::invalid_handle && alive.use_count() == 2);
}

void ranges_of_events() {
  const gevt::stream stream;
  std::vector<gevt::event> events(20);
  std::list<gevt::event_ref> refs;
  const gevt::event pending(gevt::event_flags::host_signaled);
  for (const gevt::event &event : events) event.record(stream);
  CHECK(gevt::sync_all_for(events, 1min) && gevt::sync_all_for({events[0], events[1]}, 1min));
  CHECK(gevt::sync_any_for({pending, events[0]}, 1min) == std::size_t{1});
  refs.push_back(pending);
  CHECK(!gevt::sync_any_for(refs, 1ms).has_value() && !gevt::sync_all_for(refs, 1ms));
  for (const gevt::event &event : events) refs.push_back(event);
  CHECK(gevt::sync_any_for(refs, 1min) == std::size_t{1});
  CHECK(gevt::sync_any_for(std::vector<gevt::event_ref>{events[3], pending}, 1min) == std::size_t{0});
  std::error_code ec;
  CHECK(gevt::sync_any_for(refs, 1min, ec = spoiled()) == std::size_t{1} && !ec);
  CHECK(!gevt::sync_all_for(refs, 1ms, ec = spoiled()) && !ec);
  pending.signal();
  CHECK(gevt::sync_all_for(refs, 1min, ec = spoiled()) && !ec);
  CHECK(gevt::sync_all_for(refs, 1min));
}

} // namespace

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN(events_tell_of_themselves);
  RUN(streams_and_contexts_tell_of_themselves);
  RUN(references_have_timing);
  RUN(callables_follow_events);
  RUN(callables_are_moved);
  RUN(ranges_of_events);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
