/* Streams: first in, first out; the default stream's legacy order; handles; and what outlives what. */
#include "objects.h"

/* Host functions that must run in the order in which they were launched. */
typedef struct sequence {
  int next;
  int wrong;
} sequence_t;

typedef struct step {
  sequence_t *sequence;
  int number;
} step_t;

static void step_run(void *user) {
  step_t *step = (step_t *)user;
  if (__atomic_fetch_add(&step->sequence->next, 1, __ATOMIC_SEQ_CST) != step->number) count_up(&step->sequence->wrong);
}

static void first_in_first_out(void) {
  enum { COUNT = 20000 };
  step_t *steps = (step_t *)calloc(COUNT, sizeof *steps);
  sequence_t sequence = {0, 0};
  gevt_stream_t stream = stream_new();
  int i;
  if (!CHECK(steps != NULL)) return;
  for (i = 0; i < COUNT; i++) {
    steps[i].sequence = &sequence;
    steps[i].number = i;
    if (!CHECK_OK(gevt_stream_launch(stream, step_run, &steps[i]))) break;
  }
  CHECK_OK(gevt_stream_sync(stream));
  CHECK_EQUAL(count_of(&sequence.next), COUNT);
  CHECK_EQUAL(count_of(&sequence.wrong), 0);
  stream_finish(stream);
  free(steps);
}

static void query_and_sync(void) {
  gate_t gate = GATE_CLOSED;
  gevt_stream_t stream = stream_new();
  CHECK_OK(gevt_stream_query(stream));
  CHECK_OK(gevt_stream_sync(stream));
  gate_close(&gate, stream);
  CHECK_NOT_READY(gevt_stream_query(stream));
  gate_open(&gate);
  CHECK_OK(gevt_stream_sync(stream));
  CHECK(gate_passed(&gate));
  CHECK_OK(gevt_stream_query(stream));
  stream_finish(stream);
}

static void create_flags(void) {
  static const uint32_t bad[] = {2, 3, 4, 0x80000000, 0xffffffff};
  gevt_stream_t stream;
  size_t i;
  stream_finish(stream_in(subject_context, GEVT_STREAM_DEFAULT));
  stream_finish(stream_in(NULL, GEVT_STREAM_NON_BLOCKING));
  pattern_fill(&stream, sizeof stream);
  for (i = 0; i < sizeof bad / sizeof *bad; i++) {
    CHECK_FAILS(gevt_stream_create(&stream, subject_context, bad[i]), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_FLAGS);
  }
  CHECK(pattern_intact(&stream, sizeof stream));
  CHECK_FAILS(gevt_stream_create(NULL, subject_context, 0), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_stream_wrap(NULL, subject_context, NULL), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
}

/* Destroying a stream does not wait for its work and does not drop it. */
static void destroy_with_work(void) {
  gate_t gate = GATE_CLOSED;
  gevt_stream_t stream = stream_new();
  gevt_event_t event = event_new();
  int counter = 0;
  gate_close(&gate, stream);
  CHECK_OK(gevt_stream_launch(stream, count_up, &counter));
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_stream_destroy(stream));
  CHECK_FAILS(gevt_stream_query(stream), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  CHECK_NOT_READY(gevt_query(event));
  CHECK_EQUAL(count_of(&counter), 0);
  gate_open(&gate);
  CHECK_OK(gevt_sync(event));
  CHECK_EQUAL(count_of(&counter), 1);
  CHECK_OK(gevt_destroy(event));
}

/* The default stream begins after what the blocking streams hold at that moment. */
static void default_stream_waits_for_blocking_ones(void) {
  gate_t gate = GATE_CLOSED;
  gevt_stream_t blocking = stream_in(subject_context, GEVT_STREAM_DEFAULT);
  gevt_event_t event = event_new();
  gate_close(&gate, blocking);
  CHECK_OK(gevt_record(event, NULL));
  CHECK_NOT_READY(gevt_query(event));
  CHECK_NOT_READY(gevt_stream_query(NULL));
  gate_open(&gate);
  CHECK_OK(gevt_sync(event));
  CHECK(gate_passed(&gate));
  CHECK_OK(gevt_stream_query(NULL));
  CHECK_OK(gevt_destroy(event));
  stream_finish(blocking);
}

static void blocking_streams_wait_for_the_default_one(void) {
  gate_t gate = GATE_CLOSED;
  gevt_stream_t blocking = stream_in(subject_context, GEVT_STREAM_DEFAULT);
  gevt_event_t event = event_new();
  int counter = 0;
  gate_close(&gate, NULL);
  CHECK_OK(gevt_stream_launch(blocking, count_up, &counter));
  CHECK_OK(gevt_record(event, blocking));
  CHECK_NOT_READY(gevt_query(event));
  CHECK_EQUAL(count_of(&counter), 0);
  gate_open(&gate);
  CHECK_OK(gevt_sync(event));
  CHECK(gate_passed(&gate));
  CHECK_EQUAL(count_of(&counter), 1);
  CHECK_OK(gevt_destroy(event));
  stream_finish(blocking);
}

/* Through the default stream, one blocking stream is ordered after another. */
static void default_stream_joins_blocking_ones(void) {
  gate_t gate = GATE_CLOSED;
  gevt_stream_t first = stream_in(subject_context, GEVT_STREAM_DEFAULT),
                second = stream_in(subject_context, GEVT_STREAM_DEFAULT);
  gevt_event_t middle = event_new(), last = event_new();
  int counter = 0;
  gate_close(&gate, first);
  CHECK_OK(gevt_stream_launch(NULL, count_up, &counter));
  CHECK_OK(gevt_record(middle, NULL));
  CHECK_OK(gevt_record(last, second));
  CHECK_NOT_READY(gevt_query(middle));
  CHECK_NOT_READY(gevt_query(last));
  gate_open(&gate);
  CHECK_OK(gevt_sync(last));
  CHECK(gate_passed(&gate));
  CHECK_EQUAL(count_of(&counter), 1);
  CHECK_OK(gevt_query(middle));
  CHECK_OK(gevt_destroy(middle));
  CHECK_OK(gevt_destroy(last));
  stream_finish(first);
  stream_finish(second);
}

/* Blocking streams order against the default one only, not against each other. */
static void blocking_streams_are_independent(void) {
  gate_t gate = GATE_CLOSED;
  gevt_stream_t first = stream_in(subject_context, GEVT_STREAM_DEFAULT),
                second = stream_in(subject_context, GEVT_STREAM_DEFAULT);
  gevt_event_t event = event_new();
  gate_close(&gate, first);
  CHECK_OK(gevt_record(event, second));
  CHECK_OK(gevt_sync(event));
  CHECK(!gate_passed(&gate));
  gate_open(&gate);
  CHECK_OK(gevt_destroy(event));
  stream_finish(first);
  stream_finish(second);
}

static void non_blocking_streams_are_exempt(void) {
  gate_t in_default = GATE_CLOSED, in_exempt = GATE_CLOSED;
  gevt_stream_t exempt = stream_new();
  gevt_event_t event = event_new();
  gate_close(&in_default, NULL);
  CHECK_OK(gevt_record(event, exempt));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_stream_sync(exempt));
  CHECK(!gate_passed(&in_default));
  gate_open(&in_default);
  CHECK_OK(gevt_stream_sync(NULL));
  gate_close(&in_exempt, exempt);
  CHECK_OK(gevt_record(event, NULL));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_stream_sync(NULL));
  CHECK(!gate_passed(&in_exempt));
  gate_open(&in_exempt);
  CHECK_OK(gevt_destroy(event));
  stream_finish(exempt);
}

/* A blocking stream that was destroyed with work in it still counts for the default stream's order. */
static void destroyed_blocking_stream_still_counts(void) {
  gate_t gate = GATE_CLOSED;
  gevt_stream_t blocking = stream_in(subject_context, GEVT_STREAM_DEFAULT);
  gevt_event_t event = event_new();
  gate_close(&gate, blocking);
  CHECK_OK(gevt_stream_destroy(blocking));
  CHECK_OK(gevt_record(event, NULL));
  CHECK_NOT_READY(gevt_query(event));
  gate_open(&gate);
  CHECK_OK(gevt_sync(event));
  CHECK(gate_passed(&gate));
  CHECK_OK(gevt_destroy(event));
}

/* Native 0 and 1 are the default stream itself; 2 is the calling thread's own, which is a blocking one. */
static void wrapped_default_streams(void) {
  gate_t in_default = GATE_CLOSED, in_own = GATE_CLOSED;
  gevt_stream_t zero = NULL, one = NULL, own = NULL;
  gevt_event_t event = event_new();
  CHECK_OK(gevt_stream_wrap(&zero, subject_context, (void *)(uintptr_t)0));
  CHECK_OK(gevt_stream_wrap(&one, subject_context, (void *)(uintptr_t)1));
  CHECK_OK(gevt_stream_wrap(&own, NULL, (void *)(uintptr_t)2));
  gate_close(&in_default, NULL);
  CHECK_NOT_READY(gevt_stream_query(zero));
  CHECK_NOT_READY(gevt_stream_query(one));
  CHECK_OK(gevt_record(event, own));
  CHECK_NOT_READY(gevt_query(event));
  gate_open(&in_default);
  CHECK_OK(gevt_sync(event));
  CHECK(gate_passed(&in_default));
  gate_close(&in_own, own);
  CHECK_OK(gevt_record(event, one));
  CHECK_NOT_READY(gevt_query(event));
  gate_open(&in_own);
  CHECK_OK(gevt_sync(event));
  CHECK(gate_passed(&in_own));
  /* Destroying such a handle ends the handle, not the stream. */
  CHECK_OK(gevt_stream_destroy(zero));
  CHECK_FAILS(gevt_stream_query(zero), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  CHECK_OK(gevt_stream_query(one));
  CHECK_OK(gevt_record(event, NULL));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_stream_destroy(one));
  CHECK_OK(gevt_stream_destroy(own));
  CHECK_OK(gevt_destroy(event));
}

/* Each thread has its own per-thread stream; a handle means that of the calling thread. */
static void *other_thread_own_stream(void *user) {
  gevt_stream_t shared = (gevt_stream_t)user, own = NULL;
  gevt_event_t event = event_new();
  CHECK_OK(gevt_stream_wrap(&own, subject_context, (void *)(uintptr_t)2));
  CHECK_OK(gevt_record(event, own));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_record(event, shared));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_stream_query(shared));
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_stream_destroy(own));
  return NULL;
}

static void per_thread_streams_differ(void) {
  gate_t gate = GATE_CLOSED;
  gevt_stream_t own = NULL;
  CHECK_OK(gevt_stream_wrap(&own, subject_context, (void *)(uintptr_t)2));
  gate_close(&gate, own);
  thread_join(thread_start(other_thread_own_stream, own));
  CHECK(!gate_passed(&gate));
  CHECK_NOT_READY(gevt_stream_query(own));
  gate_open(&gate);
  stream_finish(own);
}

/* A per-thread stream's work continues when its thread has ended. */
static void *leave_gate_body(void *user) {
  gevt_stream_t own = NULL;
  void **arguments = (void **)user;
  CHECK_OK(gevt_stream_wrap(&own, subject_context, (void *)(uintptr_t)2));
  gate_close((gate_t *)arguments[0], own);
  CHECK_OK(gevt_record((gevt_event_t)arguments[1], own));
  CHECK_OK(gevt_stream_destroy(own));
  return NULL;
}

static void per_thread_work_outlives_its_thread(void) {
  gate_t gate = GATE_CLOSED;
  gevt_event_t event = event_new(), in_default = event_new();
  void *arguments[2];
  arguments[0] = &gate;
  arguments[1] = event;
  thread_join(thread_start(leave_gate_body, arguments));
  CHECK_NOT_READY(gevt_query(event));
  /* And it still counts for the default stream's order. */
  CHECK_OK(gevt_record(in_default, NULL));
  CHECK_NOT_READY(gevt_query(in_default));
  gate_open(&gate);
  CHECK_OK(gevt_sync(in_default));
  CHECK_OK(gevt_query(event));
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_destroy(in_default));
}

/* Under load: in every interleaving, the default stream sees every blocking stream's earlier steps. */
static void default_stream_order_holds_under_load(void) {
  enum { STREAMS = 4, ROUNDS = 500 };
  gevt_stream_t streams[STREAMS];
  static step_t steps[ROUNDS];
  sequence_t sequence = {0, 0};
  int i, round;
  for (i = 0; i < STREAMS; i++) streams[i] = stream_in(subject_context, GEVT_STREAM_DEFAULT);
  for (round = 0; round < ROUNDS; round++) {
    /* The step in the default stream sees exactly the steps of all the streams before it in program order. */
    for (i = 0; i < STREAMS; i++) CHECK_OK(gevt_stream_launch(streams[i], count_up, &sequence.next));
    steps[round].sequence = &sequence;
    steps[round].number = round * (STREAMS + 1) + STREAMS;
    CHECK_OK(gevt_stream_launch(NULL, step_run, &steps[round]));
  }
  CHECK_OK(gevt_context_sync(subject_context));
  CHECK_EQUAL(count_of(&sequence.next), ROUNDS * (STREAMS + 1));
  CHECK_EQUAL(count_of(&sequence.wrong), 0);
  for (i = 0; i < STREAMS; i++) stream_finish(streams[i]);
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN(first_in_first_out);
  RUN(query_and_sync);
  RUN(create_flags);
  RUN(destroy_with_work);
  RUN_BUT_ON_VULKAN(default_stream_waits_for_blocking_ones, "its default stream is a stream like any other");
  RUN_BUT_ON_VULKAN(blocking_streams_wait_for_the_default_one, "its default stream is a stream like any other");
  RUN_BUT_ON_VULKAN(default_stream_joins_blocking_ones, "its default stream is a stream like any other");
  RUN(blocking_streams_are_independent);
  RUN(non_blocking_streams_are_exempt);
  RUN_BUT_ON_VULKAN(destroyed_blocking_stream_still_counts, "its default stream is a stream like any other");
  RUN_BUT_ON_VULKAN(wrapped_default_streams, "it has no stream of the calling thread");
  RUN_BUT_ON_VULKAN(per_thread_streams_differ, "it has no stream of the calling thread");
  RUN_BUT_ON_VULKAN(per_thread_work_outlives_its_thread, "it has no stream of the calling thread");
  RUN_BUT_ON_VULKAN(default_stream_order_holds_under_load, "its default stream is a stream like any other");
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
