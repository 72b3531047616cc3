/* pthread_cancel: no call is a cancellation point, unless CUDA's record, wait, query or time is one (protected.c). A thread that is cancelled
   inside one ends behind it, at its own next cancellation point, and its clean-up handlers run.
   usage: cancel [host|cuda] */
#include "every_call.h"
#include "child.h"

typedef struct cancelled {
  void (*calls)(struct cancelled *given);
  live_objects_t live;
  gevt_event_t pending;
  int begun, ended, cleaned;
} cancelled_t;

static void clean_up(void *user) {
  count_up(&((cancelled_t *)user)->cleaned);
}

static void count_item(void *user, size_t item, uint32_t worker) {
  (void)item;
  (void)worker;
  count_up(user);
}

static void call_much(cancelled_t *given) {
  gevt_event_t event = NULL;
  gevt_context_t context = NULL;
  gevt_stream_t stream = NULL;
  gevt_ipc_handle_t handle;
  uint32_t threads;
  int32_t count;
  CHECK_OK(gevt_device_count(&count, subject_backend));
  CHECK_OK(gevt_context_open(&context, subject_backend, 0));
  CHECK_OK(gevt_stream_create(&stream, context, GEVT_STREAM_DEFAULT));
  CHECK_OK(gevt_create(&event, GEVT_EVENT_DISABLE_TIMING | (subject_is_vulkan() ? 0 : GEVT_EVENT_INTERPROCESS)));
  memset(&handle, 0, sizeof handle);
  if (!subject_is_vulkan()) CHECK_OK(gevt_ipc_export(&handle, event));
  check_ignore(gevt_ipc_import(&event, context, &handle));
  handle.bytes[20] ^= 1;
  check_ignore(gevt_ipc_import(&event, context, &handle));
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_stream_launch(stream, count_up, &given->begun));
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_stream_wait(stream, given->live.shared, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_stream_sync(stream));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_host_set_threads(0));
  CHECK_OK(gevt_host_get_threads(&threads));
  check_ignore(gevt_stream_launch_n(stream, 100, count_item, &given->begun));
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_sync_helping(event, GEVT_TIMEOUT_INFINITE));
  check_ignore(gevt_trace_start("/dev/null"));
  CHECK_OK(gevt_record(given->live.event, stream));
  check_ignore(gevt_trace_stop());
  check_ignore(gevt_trace_start("/no/such/folder"));
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_stream_destroy(stream));
  CHECK_OK(gevt_context_close(context));
}

/* While a host function runs: CUDA may run no other one meanwhile, on any stream. */
static void call_with_pending(cancelled_t *given) {
  gevt_event_t events[2];
  gevt_stream_t stream = stream_new();
  size_t index;
  events[0] = given->pending;
  events[1] = given->live.shared;
  CHECK_STATUS(gevt_query(given->pending), GEVT_ERROR_NOT_READY);
  CHECK_OK(gevt_stream_wait(stream, given->pending, GEVT_WAIT_DEFAULT));
  CHECK_STATUS(gevt_sync_helping(given->pending, MILLISECOND), GEVT_ERROR_TIMEOUT);
  CHECK_STATUS(gevt_sync_timeout(given->pending, MILLISECOND), GEVT_ERROR_TIMEOUT);
  CHECK_STATUS(gevt_sync_all(events, 2, MILLISECOND), GEVT_ERROR_TIMEOUT);
  check_ignore(gevt_sync_any(&index, events, 2, MILLISECOND));
  CHECK_OK(gevt_stream_destroy(stream));
}

/* The cancellation is pending from before the first call. */
static void *body(void *user) {
  cancelled_t *given = (cancelled_t *)user;
  int before;
  pthread_cleanup_push(clean_up, given);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  pthread_cancel(pthread_self());
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before);
  given->calls(given);
  count_up(&given->ended);
  pthread_testcancel();
  check_failed(__FILE__, __LINE__, "a cancelled thread goes on");
  pthread_cleanup_pop(0);
  return NULL;
}

static void in_a_cancelled_thread(cancelled_t *given, void (*calls)(cancelled_t *given)) {
  pthread_t thread;
  void *result = NULL;
  given->calls = calls;
  given->ended = given->cleaned = 0;
  if (CHECK(pthread_create(&thread, NULL, body, given) == 0)) {
    CHECK(pthread_join(thread, &result) == 0);
    CHECK(result == PTHREAD_CANCELED);
  }
  CHECK_EQUAL(given->ended, 1);
  CHECK_EQUAL(given->cleaned, 1);
}

/* The log function may reach a cancellation point. The thread's first use of the default stream logs the backend's
   name. */
static void testcancel(void *user, gevt_log_level_t level, const char *message) {
  (void)level;
  (void)message;
  count_up(user);
  pthread_testcancel();
}

static void call_with_default_stream(cancelled_t *given) {
  check_ignore(gevt_record(given->pending, NULL));
}

static void the_log_is_no_cancellation_point(void) {
  cancelled_t given;
  int logged = 0;
  memset(&given, 0, sizeof given);
  given.pending = event_new();
  CHECK_OK(gevt_set_log_callback(testcancel, &logged, GEVT_LOG_INFO));
  in_a_cancelled_thread(&given, call_with_default_stream);
  CHECK(logged > 0);
  CHECK_OK(gevt_set_log_callback(testcancel, &logged, GEVT_LOG_OFF));
  CHECK_OK(gevt_destroy(given.pending));
}

static void no_call_is_a_cancellation_point(void) {
  gate_t gate = GATE_CLOSED;
  cancelled_t given;
  gevt_stream_t stream = stream_new();
  memset(&given, 0, sizeof given);
  given.live = live_objects_make();
  in_a_cancelled_thread(&given, call_much);
  given.pending = event_new();
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(given.pending, stream));
  /* Else the thread would run it, in gevt_sync_helping. */
  gate_await_entry(&gate);
  in_a_cancelled_thread(&given, call_with_pending);
  gate_open(&gate);
  CHECK_OK(gevt_sync(given.pending));
  CHECK_OK(gevt_destroy(given.pending));
  stream_finish(stream);
  live_objects_finish(given.live);
}

/* A cancellation while the thread is blocked: the call still finishes. */
static void *sync_body(void *user) {
  cancelled_t *given = (cancelled_t *)user;
  thread_publish(&given->begun);
  CHECK_OK(gevt_sync(given->pending));
  count_up(&given->ended);
  pthread_testcancel();
  return NULL;
}

static void a_blocked_call_goes_on(void) {
  gate_t gate = GATE_CLOSED;
  cancelled_t given;
  void *result = NULL;
  pthread_t thread;
  gevt_stream_t stream = stream_new();
  memset(&given, 0, sizeof given);
  given.pending = event_with(GEVT_EVENT_BLOCKING_SYNC);
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(given.pending, stream));
  thread = thread_start(sync_body, &given);
  CHECK(thread_await_parked(&given.begun));
  CHECK(pthread_cancel(thread) == 0);
  sleep_ns(20 * MILLISECOND);
  CHECK_EQUAL(count_of(&given.ended), 0);
  gate_open(&gate);
  CHECK(pthread_join(thread, &result) == 0);
  CHECK(result == PTHREAD_CANCELED);
  CHECK_EQUAL(given.ended, 1);
  CHECK_OK(gevt_destroy(given.pending));
  stream_finish(stream);
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN(the_log_is_no_cancellation_point);
  RUN(no_call_is_a_cancellation_point);
  RUN(a_blocked_call_goes_on);
  return subject_end();
}
