/* gevt_stream_sync_timeout and gevt_context_sync_timeout: what they wait for, and how they give up. */
#include "objects.h"

/* Against a hang only. */
#define FOR_LONG (600ull * SECOND)

/* A driver before CUDA 12.5 has no such wait for a context. */
static int contexts_can(void) {
  gevt_status_t status = gevt_context_sync_timeout(subject_context, FOR_LONG);
  if (status != GEVT_ERROR_NOT_SUPPORTED || subject_is_host()) return CHECK_OK(status);
  printf("SKIPPED: contexts: %s\n", gevt_last_message());
  return 0;
}

static void idle_ones_are_done(void) {
  gevt_stream_t stream = stream_new();
  CHECK_OK(gevt_stream_sync(stream));
  CHECK_OK(gevt_stream_sync_timeout(stream, FOR_LONG));
  CHECK_OK(gevt_stream_sync_timeout(stream, GEVT_TIMEOUT_INFINITE));
  CHECK_OK(gevt_stream_sync_timeout(NULL, FOR_LONG));
  CHECK_OK(gevt_context_sync_timeout(subject_context, GEVT_TIMEOUT_INFINITE));
  CHECK_OK(gevt_context_sync_timeout(NULL, GEVT_TIMEOUT_INFINITE));
  CHECK_OK(gevt_stream_sync_timeout(stream, 0));
  if (contexts_can()) {
    /* One that polls gets there, even if the GPU is busy with other programs. */
    gevt_status_t status;
    do status = gevt_context_sync_timeout(subject_context, 0);
    while (status == GEVT_ERROR_TIMEOUT);
    CHECK_OK(status);
  }
  stream_finish(stream);
}

/* A wait for a stream with work left ends at its timeout, and the work continues. */
static void timeouts_expire(void) {
  static const uint64_t timeouts[] = {0, 1, MILLISECOND};
  gate_t gate = GATE_CLOSED;
  gevt_stream_t stream = stream_in(subject_context, GEVT_STREAM_DEFAULT);
  int counter = 0, contexts = contexts_can();
  size_t i;
  gate_close(&gate, stream);
  CHECK_OK(gevt_stream_launch(stream, count_up, &counter));
  for (i = 0; i < sizeof timeouts / sizeof *timeouts; i++) {
    CHECK_FAILS(gevt_stream_sync_timeout(stream, timeouts[i]), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
    CHECK(strstr(gevt_last_message(), "gevt_stream_sync_timeout") != NULL);
    if (!contexts) continue;
    CHECK_FAILS(gevt_context_sync_timeout(subject_context, timeouts[i]), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
    CHECK_FAILS(gevt_context_sync_timeout(NULL, timeouts[i]), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  }
  CHECK(!gate_passed(&gate));
  CHECK_EQUAL(count_of(&counter), 0);
  gate_open(&gate);
  CHECK_OK(gevt_stream_sync_timeout(stream, FOR_LONG));
  CHECK(gate_passed(&gate));
  CHECK_EQUAL(count_of(&counter), 1);
  if (contexts) CHECK_OK(gevt_context_sync_timeout(subject_context, FOR_LONG));
  stream_finish(stream);
}

/* The default stream is behind all blocking ones; a context is behind all. */
static void what_is_waited_for(void) {
  gate_t gate = GATE_CLOSED;
  gevt_stream_t blocking = stream_in(subject_context, GEVT_STREAM_DEFAULT);
  gevt_stream_t exempt = stream_in(subject_context, GEVT_STREAM_NON_BLOCKING);
  gate_close(&gate, blocking);
  CHECK_OK(gevt_stream_sync_timeout(exempt, FOR_LONG));
  CHECK_STATUS(gevt_stream_sync_timeout(NULL, MILLISECOND), GEVT_ERROR_TIMEOUT);
  gate_open(&gate);
  CHECK_OK(gevt_stream_sync_timeout(NULL, FOR_LONG));
  CHECK(gate_passed(&gate));
  stream_finish(blocking);
  stream_finish(exempt);
}

/* Not on CUDA, where the tests' stand-in for the driver records an event for blocking streams only. */
static void contexts_wait_for_non_blocking_streams(void) {
  gate_t gate = GATE_CLOSED;
  gevt_stream_t exempt = stream_in(subject_context, GEVT_STREAM_NON_BLOCKING);
  gate_close(&gate, exempt);
  CHECK_STATUS(gevt_context_sync_timeout(subject_context, MILLISECOND), GEVT_ERROR_TIMEOUT);
  gate_open(&gate);
  CHECK_OK(gevt_context_sync_timeout(subject_context, FOR_LONG));
  CHECK(gate_passed(&gate));
  stream_finish(exempt);
}

static gevt_status_t sync_form(int form, gevt_stream_t stream) {
  if (form == 0) return gevt_stream_sync(stream);
  if (form == 1) return gevt_stream_sync_timeout(stream, FOR_LONG);
  if (form == 2) return gevt_context_sync(subject_context);
  return gevt_context_sync_timeout(subject_context, FOR_LONG);
}

/* Each form returns a stream's failure once, and what is recorded afterwards is sound. */
static void a_failure_is_returned_once(void) {
  enum { FAILURE = 719 };
  int form, forms = contexts_can() ? 4 : 3;
  for (form = 0; form < forms; form++) {
    gevt_stream_t stream = stream_new();
    gevt_event_t held = event_with(GEVT_EVENT_HOST_SIGNALED), event = event_with(GEVT_EVENT_DISABLE_TIMING);
    int before = check_failures();
    CHECK_OK(gevt_stream_wait(stream, held, GEVT_WAIT_DEFAULT));
    CHECK_OK(gevt_record(event, stream));
    CHECK_OK(gevt_signal(held, FAILURE));
    CHECK_STATUS(gevt_sync(event), FAILURE);
    CHECK_STATUS(sync_form(form, stream), FAILURE);
    CHECK_OK(gevt_record(event, stream));
    CHECK_OK(gevt_sync(event));
    CHECK_OK(sync_form(form, stream));
    if (check_failures() != before) printf("    form %d\n", form);
    CHECK_OK(gevt_destroy(held));
    CHECK_OK(gevt_destroy(event));
    stream_finish(stream);
  }
}

typedef struct waiter {
  gevt_stream_t stream; /* NULL for the context */
  int tid;
  gevt_status_t status;
} waiter_t;

static void *waiter_run(void *user) {
  waiter_t *waiter = (waiter_t *)user;
  thread_publish(&waiter->tid);
  waiter->status = waiter->stream ? gevt_stream_sync_timeout(waiter->stream, FOR_LONG)
                                  : gevt_context_sync_timeout(subject_context, FOR_LONG);
  return NULL;
}

/* Work submitted to a stream after the call is not waited for. */
static void later_work_is_not_waited_for(void) {
  int of_context;
  for (of_context = 0; of_context < 2; of_context++) {
    gate_t first = GATE_CLOSED, later = GATE_CLOSED;
    gevt_stream_t stream = stream_new();
    waiter_t waiter = {NULL, 0, GEVT_ERROR_UNKNOWN};
    pthread_t thread;
    if (!of_context) waiter.stream = stream;
    gate_close(&first, stream);
    thread = thread_start(waiter_run, &waiter);
    CHECK(thread_await_parked(&waiter.tid));
    CHECK_OK(gevt_stream_launch(stream, gate_pass, &later));
    gate_open(&first);
    thread_join(thread);
    CHECK_STATUS(waiter.status, GEVT_SUCCESS);
    CHECK(gate_passed(&first) && !gate_passed(&later));
    gate_open(&later);
    stream_finish(stream);
  }
}

typedef struct nested {
  gevt_stream_t stream;
  gevt_status_t of_stream, of_context, of_poll;
  gevt_detail_t detail;
} nested_t;

static void nested_run(void *user) {
  nested_t *nested = (nested_t *)user;
  nested->of_stream = gevt_stream_sync_timeout(nested->stream, FOR_LONG);
  nested->detail = gevt_last_detail();
  nested->of_context = gevt_context_sync_timeout(subject_context, FOR_LONG);
  nested->of_poll = gevt_stream_sync_timeout(nested->stream, 0);
}

static void host_functions_cannot_wait_for_themselves(void) {
  nested_t nested = {NULL, 0, 0, 0, 0};
  nested.stream = stream_new();
  CHECK_OK(gevt_stream_launch(nested.stream, nested_run, &nested));
  CHECK_OK(gevt_stream_sync(nested.stream));
  CHECK_STATUS(nested.of_stream, GEVT_ERROR_ILLEGAL_STATE);
  CHECK_EQUAL(nested.detail, GEVT_DETAIL_WOULD_DEADLOCK);
  CHECK_STATUS(nested.of_context, GEVT_ERROR_ILLEGAL_STATE);
  CHECK_STATUS(nested.of_poll, GEVT_ERROR_TIMEOUT);
  stream_finish(nested.stream);
}

/* Many polls leave nothing that would slow the stream or use up a resource. */
static void polled_often(void) {
  enum { POLLS = 3000 };
  gate_t gate = GATE_CLOSED;
  gevt_stream_t stream = stream_new();
  int i;
  gate_close(&gate, stream);
  for (i = 0; i < POLLS; i++) {
    if (!CHECK_STATUS(gevt_stream_sync_timeout(stream, 0), GEVT_ERROR_TIMEOUT)) break;
  }
  gate_open(&gate);
  CHECK_OK(gevt_stream_sync_timeout(stream, FOR_LONG));
  stream_finish(stream);
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN(idle_ones_are_done);
  RUN(timeouts_expire);
  RUN(a_failure_is_returned_once);
  RUN_BUT_ON_VULKAN(what_is_waited_for, "its default stream is a stream like any other");
  RUN_ON_HOST(contexts_wait_for_non_blocking_streams);
  RUN_ON_HOST(later_work_is_not_waited_for);
  RUN_ON_HOST(host_functions_cannot_wait_for_themselves);
  RUN(polled_often);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
