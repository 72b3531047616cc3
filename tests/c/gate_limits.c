/* Gates of CUDA streams: how many there are, what becomes of them when another stream gets the address of one that ended, and that no
   end of a stream or a context opens them.
   usage: gate_limits cuda */
#include "owned.h"

enum { BOUND = 512, STREAMS = 64, ROUNDS = 10, FAILURE = 719 };

static owned_context_t owned;

static gevt_event_t held_new(void) {
  return event_with(GEVT_EVENT_HOST_SIGNALED);
}

static gevt_event_t recorded_on(gevt_stream_t stream) {
  gevt_event_t event = event_with(GEVT_EVENT_DISABLE_TIMING);
  CHECK_OK(gevt_record(event, stream));
  return event;
}

/* The driver's queues are bounded, and its calls block when one is full: gevt refuses before that. */
static void full_queues(void) {
  gevt_event_t events[BOUND + 2], done[STREAMS];
  owned_stream_t streams[STREAMS];
  int i;
  for (i = 0; i < STREAMS; i++) streams[i] = owned_stream_make(owned);
  for (i = 0; i < BOUND + 2; i++) events[i] = held_new();
  for (i = 0; i < BOUND; i++) CHECK_OK(gevt_stream_wait(streams[i % STREAMS].stream, events[i], GEVT_WAIT_DEFAULT));
  CHECK_FAILS(gevt_stream_wait(streams[0].stream, events[BOUND], GEVT_WAIT_DEFAULT), GEVT_ERROR_OUT_OF_MEMORY,
              GEVT_DETAIL_OUT_OF_MEMORY);
  CHECK(strstr(gevt_last_message(), "queue") != NULL);
  /* A stream's second gate stands behind its first one until that is open. */
  CHECK_OK(gevt_signal(events[STREAMS], GEVT_SUCCESS));
  CHECK_STATUS(gevt_stream_wait(streams[0].stream, events[BOUND], GEVT_WAIT_DEFAULT), GEVT_ERROR_OUT_OF_MEMORY);
  CHECK_OK(gevt_signal(events[0], GEVT_SUCCESS));
  CHECK_OK(gevt_stream_wait(streams[0].stream, events[BOUND], GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_stream_wait(streams[1].stream, events[BOUND + 1], GEVT_WAIT_DEFAULT));
  for (i = 0; i < STREAMS; i++) {
    done[i] = recorded_on(streams[i].stream);
    CHECK_NOT_READY(gevt_query(done[i]));
  }
  for (i = 1; i < BOUND + 2; i++) {
    if (i != STREAMS) CHECK_OK(gevt_signal(events[i], GEVT_SUCCESS));
  }
  for (i = 0; i < STREAMS; i++) {
    CHECK_OK(gevt_sync(done[i]));
    CHECK_OK(gevt_destroy(done[i]));
    owned_stream_finish(streams[i]);
  }
  for (i = 0; i < BOUND + 2; i++) CHECK_OK(gevt_destroy(events[i]));
}

/* A stream that gets the address of one that ended while it waited does not get its gates. */
static void an_address_that_is_issued_again(void) {
  gevt_event_t held = held_new(), behind, other;
  owned_stream_t first = owned_stream_make(owned), second;
  CHECK_OK(gevt_stream_wait(first.stream, held, GEVT_WAIT_DEFAULT));
  behind = recorded_on(first.stream);
  CHECK_OK(gevt_stream_destroy(first.stream));
  DRIVER_PREPARE(driver.stream_destroy(first.native));
  second = owned_stream_make(owned);
  CHECK(second.native == first.native);
  other = recorded_on(second.stream);
  CHECK_OK(gevt_sync(other));
  CHECK_NOT_READY(gevt_query(behind));
  CHECK_OK(gevt_signal(held, FAILURE));
  CHECK_STATUS(gevt_sync(behind), FAILURE);
  CHECK_OK(gevt_record(other, second.stream));
  CHECK_OK(gevt_sync(other));
  CHECK_OK(gevt_stream_sync(second.stream));
  CHECK_OK(gevt_destroy(held));
  CHECK_OK(gevt_destroy(behind));
  CHECK_OK(gevt_destroy(other));
  owned_stream_finish(second);
}

/* Work that was queued after a wait. */
typedef struct queued {
  int may_run, has_run;
} queued_t;

static void run_queued(void *user) {
  queued_t *queued = (queued_t *)user;
  CHECK(count_of(&queued->may_run));
  count_up(&queued->has_run);
}

/* Opens a gate that was closed after all others, and returns when its stream has passed it. */
static void pass_another_gate(void) {
  owned_stream_t stream = owned_stream_make(owned);
  gevt_event_t held = held_new();
  CHECK_OK(gevt_stream_wait(stream.stream, held, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_signal(held, GEVT_SUCCESS));
  owned_stream_finish(stream);
  CHECK_OK(gevt_destroy(held));
}

/* An event that the program completes, or one of a host stream that waits for it. */
static gevt_event_t awaited_event(gevt_event_t held, gevt_context_t host) {
  gevt_stream_t source = stream_in(host, GEVT_STREAM_NON_BLOCKING);
  gevt_event_t recorded;
  CHECK_OK(gevt_stream_wait(source, held, GEVT_WAIT_DEFAULT));
  recorded = recorded_on(source);
  CHECK_OK(gevt_stream_destroy(source));
  return recorded;
}

/* gevt's stream and context end; the work stays queued after its gate. */
static void end_behind_a_gate(gevt_context_t context, gevt_stream_t stream, gevt_context_t host, int pending) {
  queued_t queued = {0, 0};
  gevt_event_t held = held_new(), awaited = pending ? awaited_event(held, host) : NULL;
  CHECK_OK(gevt_stream_wait(stream, awaited ? awaited : held, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_stream_launch(stream, run_queued, &queued));
  CHECK_OK(gevt_stream_destroy(stream));
  CHECK_OK(gevt_context_close(context));
  if (awaited) CHECK_OK(gevt_destroy(awaited));
  pass_another_gate();
  CHECK_EQUAL(count_of(&queued.has_run), 0);
  count_up(&queued.may_run);
  CHECK_OK(gevt_signal(held, GEVT_SUCCESS));
  CHECK(count_await(&queued.has_run, 1));
  CHECK_OK(gevt_destroy(held));
}

static void a_gate_outlives_its_context(void) {
  gevt_context_t host = NULL;
  int i;
  CHECK_OK(gevt_context_open(&host, GEVT_BACKEND_HOST, 0));
  for (i = 0; i < 2 * ROUNDS; i++) {
    owned_context_t mine = owned_context_make();
    owned_stream_t stream = owned_stream_make(mine);
    end_behind_a_gate(mine.context, stream.stream, host, i % 2);
    DRIVER_PREPARE(driver.stream_destroy(stream.native));
    DRIVER_PREPARE(driver.context_destroy(mine.native));
  }
  for (i = 0; i < 2 * ROUNDS; i++) {
    long long deadline = now_ns() + HANG_LIMIT;
    gevt_context_t opened = NULL;
    CHECK_OK(gevt_context_open(&opened, GEVT_BACKEND_CUDA, 0));
    end_behind_a_gate(opened, stream_in(opened, GEVT_STREAM_NON_BLOCKING), host, i % 2);
    while (primary_is_active() && CHECK(now_ns() < deadline)) sleep_ns(MILLISECOND / 10);
  }
  CHECK_OK(gevt_context_close(host));
}

int main(int argc, char **argv) {
  owned_begin(argc, argv);
  owned = owned_context_make();
  CHECK_OK(gevt_context_set_current(owned.context));
  RUN(full_queues);
  /* Only the strict driver is known to issue it to the next stream. */
  if (strict_symbol("strict_calls")) RUN(an_address_that_is_issued_again);
  RUN(a_gate_outlives_its_context);
  owned_context_finish(owned);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
