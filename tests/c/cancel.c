/* pthread_cancel: no call is a cancellation point, unless CUDA's record, wait, query or time is one (protected.scn). A thread that is cancelled
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

static void ended(kept_kind_t kind, uint64_t bits) {
  if (bits && kind == KEPT_EVENT) CHECK_OK(gevt_destroy((gevt_event_t)bits));
  if (bits && kind == KEPT_STREAM) CHECK_OK(gevt_stream_destroy((gevt_stream_t)bits));
  if (bits && kind == KEPT_CONTEXT) CHECK_OK(gevt_context_close((gevt_context_t)bits));
}

/* Calls every function except the ones that end an object, and ends what the calls make. */
static void call_everything(cancelled_t *given) {
  size_t i;
  /* Never reset: callbacks may run after the calls. */
  functions_may_run = 1;
  function_arguments_complete(&given->live);
  for (i = 0; i < FUNCTIONS; i++) {
    function_outputs_t o;
    memset(&o, 0, sizeof o);
    if (functions[i].kind == ENDS) continue;
    /* They take native objects, and the arguments have none. */
    if (strstr(functions[i].name, "wrap") || strstr(functions[i].name, "vulkan")) continue;
    check_ignore(functions[i].call(&given->live, &o));
    /* This function returns an existing context. */
    if (strcmp(functions[i].name, "gevt_context_get_current") != 0) ended(KEPT_CONTEXT, (uint64_t)o.context);
    ended(KEPT_EVENT, (uint64_t)o.event);
    ended(KEPT_STREAM, (uint64_t)o.stream);
  }
  check_ignore(gevt_trace_stop());
  CHECK_OK(gevt_stream_sync(given->live.stream));
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
}

static void no_call_is_a_cancellation_point(void) {
  gate_t gate = GATE_CLOSED;
  cancelled_t given;
  gevt_stream_t stream = stream_new();
  memset(&given, 0, sizeof given);
  given.live = live_objects_make();
  in_a_cancelled_thread(&given, call_everything);
  given.pending = event_new();
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(given.pending, stream));
  /* Else the thread would run it, in gevt_sync_helping. */
  gate_await_entry(&gate);
  in_a_cancelled_thread(&given, call_with_pending);
  gate_open(&gate);
  CHECK_OK(gevt_sync(given.pending));
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
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN(the_log_is_no_cancellation_point);
  RUN(no_call_is_a_cancellation_point);
  RUN(a_blocked_call_goes_on);
  return subject_end();
}
