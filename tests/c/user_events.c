/* OpenCL 3.0's rules for user events, a case for each. Source: the OpenCL API specification, chapter "The OpenCL Runtime"
   (api/opencl_runtime_layer.asciidoc of KhronosGroup/OpenCL-Docs), sections "Event Objects", "Markers, Barriers and Waiting for
   Events" and "Profiling Operations".
   usage: user_events [host|cuda|vulkan] */
#include "objects.h"

enum { FAILURE = -5, OTHER_FAILURE = 719, GONE = GEVT_ERROR_CONTEXT_IS_DESTROYED };

static gevt_event_t user_event(void) {
  return event_with(GEVT_EVENT_HOST_SIGNALED);
}

/* An event that is recorded after a wait for the other one. */
static gevt_event_t marker_behind(gevt_stream_t stream, gevt_event_t event) {
  gevt_event_t marker = event_with(GEVT_EVENT_DISABLE_TIMING);
  CHECK_OK(gevt_stream_wait(stream, event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(marker, stream));
  return marker;
}

/* clCreateUserEvent: the status is CL_SUBMITTED at first. */
static void is_pending_at_first(void) {
  gevt_event_t event = user_event();
  CHECK_NOT_READY(gevt_query(event));
  CHECK_EQUAL(event_info(event).state, GEVT_STATE_PENDING);
  CHECK_OK(gevt_destroy(event));
}

/* clSetUserEventStatus: the new status is CL_COMPLETE or negative, else CL_INVALID_VALUE. Here: any failure but 600 and
   GEVT_ERROR_TIMEOUT. */
static void takes_success_or_a_failure(void) {
  const gevt_status_t failures[] = {-1, -5, 1, 2, 400, 719, 999, 2147483647, -2147483647 - 1};
  const gevt_status_t refused[] = {GEVT_ERROR_NOT_READY, GEVT_ERROR_TIMEOUT};
  gevt_event_t event = user_event();
  size_t i;
  for (i = 0; i < sizeof refused / sizeof *refused; i++) {
    CHECK_FAILS(gevt_signal(event, refused[i]), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_ARGUMENT);
    CHECK_NOT_READY(gevt_query(event));
  }
  for (i = 0; i < sizeof failures / sizeof *failures; i++) {
    CHECK_OK(gevt_signal(event, failures[i]));
    CHECK_FAILS(gevt_query(event), failures[i], GEVT_DETAIL_EVENT_FAILED);
    CHECK_OK(gevt_reset(event));
  }
  CHECK_OK(gevt_signal(event, GEVT_SUCCESS));
  CHECK_OK(gevt_query(event));
  CHECK_OK(gevt_destroy(event));
}

/* clSetUserEventStatus: only one call changes the status, the next gets CL_INVALID_OPERATION. Here: one until the reset. */
static void is_signalled_once(void) {
  gevt_event_t event = user_event();
  CHECK_OK(gevt_signal(event, FAILURE));
  CHECK_FAILS(gevt_signal(event, GEVT_SUCCESS), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_HOST_SIGNALED);
  CHECK_FAILS(gevt_signal(event, OTHER_FAILURE), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_HOST_SIGNALED);
  CHECK_STATUS(gevt_query(event), FAILURE);
  CHECK_OK(gevt_reset(event));
  CHECK_OK(gevt_signal(event, GEVT_SUCCESS));
  CHECK_OK(gevt_destroy(event));
}

/* clSetUserEventStatus: other events are CL_INVALID_EVENT. */
static void must_be_a_user_event(void) {
  gevt_event_t plain = event_new(), event = user_event();
  CHECK_FAILS(gevt_signal(plain, GEVT_SUCCESS), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_HOST_SIGNALED);
  CHECK_FAILS(gevt_signal(NULL, GEVT_SUCCESS), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_NULL_HANDLE);
  CHECK_OK(gevt_destroy(event));
  CHECK_FAILS(gevt_signal(event, GEVT_SUCCESS), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  CHECK_OK(gevt_destroy(plain));
}

static void count(void *user) {
  count_up((int *)user);
}

/* clEnqueue...: a command begins only if all that it waits for has completed successfully. Here: also after a failure. */
static void holds_back_what_waits(void) {
  gevt_event_t events[2], last;
  gevt_stream_t stream = stream_new();
  int begun = 0;
  events[0] = user_event();
  events[1] = user_event();
  CHECK_OK(gevt_stream_wait(stream, events[0], GEVT_WAIT_DEFAULT));
  last = marker_behind(stream, events[1]);
  CHECK_OK(gevt_stream_launch(stream, count, &begun));
  CHECK_OK(gevt_signal(events[1], GEVT_SUCCESS));
  CHECK_FAILS(gevt_sync_timeout(last, MILLISECOND), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  CHECK_EQUAL(count_of(&begun), 0);
  CHECK_OK(gevt_signal(events[0], FAILURE));
  CHECK_STATUS(gevt_stream_sync(stream), FAILURE);
  CHECK_EQUAL(count_of(&begun), 1);
  CHECK_STATUS(gevt_query(last), FAILURE);
  CHECK_OK(gevt_destroy(events[0]));
  CHECK_OK(gevt_destroy(events[1]));
  CHECK_OK(gevt_destroy(last));
  stream_finish(stream);
}

/* clSetUserEventStatus: a negative status terminates the commands that wait. Here: streams continue, and records after the
   wait have the status. */
static void a_failure_reaches_what_waits(void) {
  gevt_event_t event = user_event(), first, second, third = event_new();
  gevt_stream_t stream = stream_new(), other = stream_new();
  first = marker_behind(stream, event);
  second = marker_behind(other, first);
  CHECK_OK(gevt_signal(event, FAILURE));
  CHECK_FAILS(gevt_sync(first), FAILURE, GEVT_DETAIL_EVENT_FAILED);
  CHECK_FAILS(gevt_sync(second), FAILURE, GEVT_DETAIL_EVENT_FAILED);
  CHECK_STATUS(gevt_stream_sync(stream), FAILURE);
  CHECK_OK(gevt_record(third, stream));
  CHECK_OK(gevt_sync(third));
  CHECK_STATUS(gevt_stream_sync(other), FAILURE);
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_destroy(first));
  CHECK_OK(gevt_destroy(second));
  CHECK_OK(gevt_destroy(third));
  stream_finish(stream);
  stream_finish(other);
}

/* clEnqueueMarkerWithWaitList: a marker completes when the events of its list have. Here: on any context. */
static void a_record_behind_it_completes_after_it(void) {
  gevt_event_t event = user_event(), marker;
  gevt_stream_t stream = stream_new();
  marker = marker_behind(stream, event);
  CHECK_FAILS(gevt_sync_timeout(marker, MILLISECOND), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  CHECK_OK(gevt_signal(event, GEVT_SUCCESS));
  CHECK_OK(gevt_sync(marker));
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_destroy(marker));
  stream_finish(stream);
}

/* clWaitForEvents: returns an error if any event has failed. Here: that of the first one in the array. */
static void waits_return_a_failure(void) {
  gevt_event_t events[2];
  events[0] = user_event();
  events[1] = user_event();
  CHECK_OK(gevt_signal(events[0], GEVT_SUCCESS));
  CHECK_FAILS(gevt_sync_all(events, 2, MILLISECOND), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  CHECK_OK(gevt_signal(events[1], FAILURE));
  CHECK_FAILS(gevt_sync_all(events, 2, GEVT_TIMEOUT_INFINITE), FAILURE, GEVT_DETAIL_EVENT_FAILED);
  CHECK_FAILS(gevt_sync(events[1]), FAILURE, GEVT_DETAIL_EVENT_FAILED);
  CHECK_OK(gevt_sync_all(events, 1, GEVT_TIMEOUT_INFINITE));
  CHECK_OK(gevt_destroy(events[0]));
  CHECK_OK(gevt_destroy(events[1]));
}

/* clSetEventCallback: called at completion and at abnormal termination, then with the error code. */
static void callbacks_get_the_status(void) {
  const gevt_status_t statuses[] = {GEVT_SUCCESS, FAILURE};
  int i;
  for (i = 0; i < 2; i++) {
    gevt_event_t event = user_event();
    called_t called = {0, 1};
    CHECK_OK(gevt_on_complete(event, called_with, &called));
    CHECK_EQUAL(count_of(&called.count), 0);
    CHECK_OK(gevt_signal(event, statuses[i]));
    CHECK(count_await(&called.count, 1));
    CHECK_EQUAL(called.status, statuses[i]);
    CHECK_OK(gevt_destroy(event));
  }
}

/* clGetEventInfo: the command queue is NULL, and the execution status is as above. */
static void info_has_its_status(void) {
  gevt_event_t event = user_event();
  CHECK_EQUAL(event_info(event).backend, GEVT_BACKEND_HOST);
  CHECK_EQUAL(event_info(event).flags, GEVT_EVENT_HOST_SIGNALED);
  CHECK_EQUAL(event_info(event).state, GEVT_STATE_PENDING);
  CHECK_OK(gevt_signal(event, GEVT_SUCCESS));
  CHECK_EQUAL(event_info(event).state, GEVT_STATE_COMPLETE);
  CHECK_OK(gevt_reset(event));
  CHECK_OK(gevt_signal(event, FAILURE));
  CHECK_EQUAL(event_info(event).state, GEVT_STATE_FAILED);
  CHECK_OK(gevt_destroy(event));
}

/* clGetEventProfilingInfo: CL_PROFILING_INFO_NOT_AVAILABLE. Here: the time of the signal. */
static void has_the_time_of_its_signal(void) {
  gevt_event_t event = user_event();
  int64_t ns = 0;
  uint64_t error = 0;
  long long before, after;
  CHECK_NOT_READY(gevt_host_time(&ns, &error, event));
  before = now_ns();
  CHECK_OK(gevt_signal(event, GEVT_SUCCESS));
  after = now_ns();
  CHECK_OK(gevt_host_time(&ns, &error, event));
  CHECK(ns + (int64_t)error >= before && ns - (int64_t)error <= after);
  CHECK_OK(gevt_destroy(event));
}

/* clReleaseEvent before a status was set: commands and threads wait forever. Here: they get 709. */
static void destroyed_before_its_signal(void) {
  gevt_event_t event = user_event(), marker;
  gevt_stream_t stream = stream_new();
  called_t called = {0, 0};
  marker = marker_behind(stream, event);
  CHECK_OK(gevt_on_complete(event, called_with, &called));
  CHECK_OK(gevt_destroy(event));
  CHECK_STATUS(gevt_sync(marker), GONE);
  CHECK(count_await(&called.count, 1));
  CHECK_EQUAL(called.status, GONE);
  CHECK_STATUS(gevt_stream_sync(stream), GONE);
  CHECK_OK(gevt_destroy(marker));
  stream_finish(stream);
}

/* clSetUserEventStatus: objects are released only after the status was set. Here: streams may be destroyed earlier. */
static void streams_end_before_its_signal(void) {
  gevt_event_t event = user_event(), marker;
  gevt_stream_t stream = stream_new();
  marker = marker_behind(stream, event);
  CHECK_OK(gevt_stream_destroy(stream));
  CHECK_NOT_READY(gevt_query(marker));
  CHECK_OK(gevt_signal(event, GEVT_SUCCESS));
  CHECK_OK(gevt_sync(marker));
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_destroy(marker));
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN(is_pending_at_first);
  RUN(takes_success_or_a_failure);
  RUN(is_signalled_once);
  RUN(must_be_a_user_event);
  RUN(holds_back_what_waits);
  RUN(a_failure_reaches_what_waits);
  RUN(a_record_behind_it_completes_after_it);
  RUN(waits_return_a_failure);
  RUN(callbacks_get_the_status);
  RUN(info_has_its_status);
  RUN(has_the_time_of_its_signal);
  RUN(destroyed_before_its_signal);
  RUN(streams_end_before_its_signal);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
