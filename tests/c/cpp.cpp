// gevt.hpp: its error codes and owners. Scenarios make each of its calls in both forms (tests/scenarios/gevt_as_hpp.hpp); cpp_types.cpp has the
// compile-time properties of its types, cpp_launch.cpp callables.
// usage: cpp [host|cuda]
#include "objects.h"
#include "thrown.h"

#include <string>
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
    CHECK(gevt::event_ref(event) != gevt::event_ref(event_stale()));
  }
  CHECK_FAILS(gevt_query(handle), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
}

} // namespace

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN(statuses_are_error_codes);
  RUN(owners_end_what_they_own);
  RUN(owners_of_nothing_are_refused);
  RUN(handles_go_out_and_in);
  return subject_end();
}
