/* Large numbers: chains and fans of streams, queued functions, callbacks that follow each other, a million handles, names. */
#include "objects.h"

/* A chain of streams, each waiting for the one before: one step each, in order, many times round. */
static int chain_step;

static void chain_check_step(void *user) {
  int expected = (int)(intptr_t)user;
  CHECK_EQUAL(__atomic_fetch_add(&chain_step, 1, __ATOMIC_SEQ_CST), expected);
}

static void chain(void) {
  enum { STREAMS = 50, ROUNDS = 20 };
  gevt_stream_t streams[STREAMS];
  gevt_event_t events[STREAMS];
  int i, round;
  chain_step = 0;
  for (i = 0; i < STREAMS; i++) {
    streams[i] = stream_new();
    events[i] = event_with(GEVT_EVENT_DISABLE_TIMING);
  }
  for (round = 0; round < ROUNDS; round++) {
    for (i = 0; i < STREAMS; i++) {
      int before = (i + STREAMS - 1) % STREAMS;
      CHECK_OK(gevt_stream_wait(streams[i], events[before], GEVT_WAIT_DEFAULT));
      CHECK_OK(gevt_stream_launch(streams[i], chain_check_step, (void *)(intptr_t)(round * STREAMS + i)));
      CHECK_OK(gevt_record(events[i], streams[i]));
    }
  }
  CHECK_OK(gevt_sync(events[STREAMS - 1]));
  CHECK_EQUAL(count_of(&chain_step), STREAMS * ROUNDS);
  for (i = 0; i < STREAMS; i++) {
    CHECK_OK(gevt_destroy(events[i]));
    stream_finish(streams[i]);
  }
}

/* One stream waits for many, and many wait for one. */
typedef struct fan {
  gevt_stream_t source, sink;
  gevt_event_t go, events[100];
  gevt_stream_t streams[100];
} fan_t;

enum { FAN = sizeof((fan_t *)NULL)->events / sizeof(gevt_event_t) };

/* Each event is recorded once, because the driver must create its events before anything is pending: creating many may
   wait for the device. */
static void fan_make(fan_t *fan) {
  int i;
  fan->source = stream_new();
  fan->sink = stream_new();
  fan->go = event_new();
  CHECK_OK(gevt_record(fan->go, fan->source));
  for (i = 0; i < FAN; i++) {
    fan->streams[i] = stream_new();
    fan->events[i] = event_new();
    CHECK_OK(gevt_record(fan->events[i], fan->streams[i]));
    CHECK_OK(gevt_sync(fan->events[i]));
  }
  CHECK_OK(gevt_sync(fan->go));
}

static void fan_finish(fan_t *fan) {
  int i;
  for (i = 0; i < FAN; i++) {
    CHECK_OK(gevt_destroy(fan->events[i]));
    stream_finish(fan->streams[i]);
  }
  CHECK_OK(gevt_destroy(fan->go));
  stream_finish(fan->source);
  stream_finish(fan->sink);
}

/* On CUDA the one host function is the gate, which would block all others. */
static void fan_in_and_out(void) {
  gate_t gate = GATE_CLOSED;
  fan_t fan;
  int i, pending = 0, done = 0, before_sink = 0;
  fan_make(&fan);
  gate_close(&gate, fan.source);
  CHECK_OK(gevt_record(fan.go, fan.source));
  for (i = 0; i < FAN; i++) {
    CHECK_OK(gevt_stream_wait(fan.streams[i], fan.go, GEVT_WAIT_DEFAULT));
    if (subject_is_host()) CHECK_OK(gevt_stream_launch(fan.streams[i], count_up, &before_sink));
    CHECK_OK(gevt_record(fan.events[i], fan.streams[i]));
    CHECK_OK(gevt_stream_wait(fan.sink, fan.events[i], GEVT_WAIT_DEFAULT));
  }
  for (i = 0; i < FAN; i++) pending += gevt_query(fan.events[i]) == GEVT_ERROR_NOT_READY;
  CHECK_EQUAL(pending, FAN);
  CHECK_NOT_READY(gevt_stream_query(fan.sink));
  CHECK_EQUAL(count_of(&before_sink), 0);
  gate_open(&gate);
  CHECK_OK(gevt_stream_sync(fan.sink));
  for (i = 0; i < FAN; i++) done += gevt_query(fan.events[i]) == GEVT_SUCCESS;
  CHECK_EQUAL(done, FAN);
  if (subject_is_host()) CHECK_EQUAL(count_of(&before_sink), FAN);
  fan_finish(&fan);
}

/* Without a gate: the sink comes after all the functions, and each of them after the source's. */
static void fan_of_functions(void) {
  fan_t fan;
  int i, round, counter = 0;
  fan_make(&fan);
  for (round = 0; round < 5; round++) {
    CHECK_OK(gevt_stream_launch(fan.source, count_up, &counter));
    CHECK_OK(gevt_record(fan.go, fan.source));
    for (i = 0; i < FAN; i++) {
      CHECK_OK(gevt_stream_wait(fan.streams[i], fan.go, GEVT_WAIT_DEFAULT));
      CHECK_OK(gevt_stream_launch(fan.streams[i], count_up, &counter));
      CHECK_OK(gevt_record(fan.events[i], fan.streams[i]));
      CHECK_OK(gevt_stream_wait(fan.sink, fan.events[i], GEVT_WAIT_DEFAULT));
    }
    CHECK_OK(gevt_stream_sync(fan.sink));
    CHECK_EQUAL(count_of(&counter), (round + 1) * (FAN + 1));
  }
  fan_finish(&fan);
}

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

/* A chain of callbacks: each records its event again and registers the next. */
typedef struct relay {
  gevt_event_t event;
  gevt_stream_t stream;
  int rounds;
} relay_t;

static void relay_call(void *user, gevt_status_t status) {
  relay_t *relay = (relay_t *)user;
  /* Counted first: the next callback may run before this one has returned. */
  int round = __atomic_add_fetch(&relay->rounds, 1, __ATOMIC_SEQ_CST);
  CHECK_EQUAL(status, GEVT_SUCCESS);
  if (round == 1000) return;
  CHECK_OK(gevt_record(relay->event, relay->stream));
  CHECK_OK(gevt_on_complete(relay->event, relay_call, relay));
}

static void relay(void) {
  relay_t state;
  memset(&state, 0, sizeof state);
  state.event = event_new();
  state.stream = stream_new();
  CHECK_OK(gevt_record(state.event, state.stream));
  CHECK_OK(gevt_on_complete(state.event, relay_call, &state));
  CHECK(count_await(&state.rounds, 1000));
  CHECK_EQUAL(event_info(state.event).record_count, 1000);
  CHECK_OK(gevt_destroy(state.event));
  stream_finish(state.stream);
}

static int compare_handles(const void *left, const void *right) {
  uintptr_t a = *(const uintptr_t *)left, b = *(const uintptr_t *)right;
  return a < b ? -1 : a > b;
}

/* One slot is used over and over here, a million times, and its old values must all stay dead. */
static void values_never_repeat(void) {
  enum { COUNT = 1000000 };
  uintptr_t *values = (uintptr_t *)malloc(COUNT * sizeof *values);
  size_t i, repeated = 0, nulls = 0, accepted = 0;
  if (!CHECK(values != NULL)) return;
  for (i = 0; i < COUNT; i++) {
    gevt_event_t event = NULL;
    if (gevt_create(&event, GEVT_EVENT_DEFAULT) != GEVT_SUCCESS || gevt_destroy(event) != GEVT_SUCCESS) break;
    values[i] = (uintptr_t)event;
  }
  CHECK_EQUAL(i, COUNT);
  for (i = 0; i < COUNT; i += 1000) accepted += gevt_query((gevt_event_t)values[i]) != GEVT_ERROR_INVALID_HANDLE;
  qsort(values, COUNT, sizeof *values, compare_handles);
  for (i = 0; i < COUNT; i++) {
    nulls += values[i] == 0;
    if (i > 0) repeated += values[i] == values[i - 1];
  }
  CHECK_EQUAL(repeated, 0);
  CHECK_EQUAL(nulls, 0);
  CHECK_EQUAL(accepted, 0);
  free(values);
}

/* Many at once, destroyed in another order than made: every handle stays its own. */
static void many_live(void) {
  enum { COUNT = 20000 };
  gevt_event_t *events = (gevt_event_t *)calloc(COUNT, sizeof *events);
  size_t before = gevt_live_events(), wrong = 0, i;
  char name[32];
  if (!CHECK(events != NULL)) return;
  for (i = 0; i < COUNT; i++) {
    snprintf(name, sizeof name, "event %u", (unsigned)i);
    wrong +=
        gevt_create(&events[i], GEVT_EVENT_DEFAULT) != GEVT_SUCCESS || gevt_set_name(events[i], name) != GEVT_SUCCESS;
  }
  CHECK_EQUAL(gevt_live_events(), before + COUNT);
  for (i = 0; i < COUNT; i += 2) wrong += gevt_destroy(events[i]) != GEVT_SUCCESS;
  for (i = 1; i < COUNT; i += 2) {
    snprintf(name, sizeof name, "event %u", (unsigned)i);
    wrong += strcmp(event_info(events[i]).name, name) != 0;
    wrong += gevt_query(events[i - 1]) != GEVT_ERROR_INVALID_HANDLE || gevt_last_detail() != GEVT_DETAIL_STALE_HANDLE;
  }
  for (i = 1; i < COUNT; i += 2) wrong += gevt_destroy(events[i]) != GEVT_SUCCESS;
  CHECK_EQUAL(wrong, 0);
  CHECK_EQUAL(gevt_live_events(), before);
  free(events);
}

/* What a message says of the stream; each call of it fails. */
static const char *said_of(gevt_stream_t stream) {
  CHECK_FAILS(gevt_stream_launch(stream, NULL, NULL), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  return gevt_last_message();
}

static void *name_body(void *user) {
  gevt_stream_t stream = (gevt_stream_t)user;
  int i;
  for (i = 0; i < 2000; i++) CHECK_OK(gevt_stream_set_name(stream, i % 3 == 0 ? NULL : i % 3 == 1 ? "one" : "another"));
  return NULL;
}

static void named_by_many_threads(void) {
  gevt_stream_t stream = stream_new();
  pthread_t threads[4];
  int i;
  for (i = 0; i < 4; i++) threads[i] = thread_start(name_body, stream);
  for (i = 0; i < 2000; i++) {
    const char *said = said_of(stream);
    CHECK(strstr(said, "(stream 0x") || strstr(said, "(stream \"one\")") || strstr(said, "(stream \"another\")"));
  }
  for (i = 0; i < 4; i++) thread_join(threads[i]);
  stream_finish(stream);
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN(chain);
  RUN(fan_in_and_out);
  RUN(fan_of_functions);
  RUN(first_in_first_out);
  RUN_BUT_ON_VULKAN(default_stream_order_holds_under_load, "its default stream is a stream like any other");
  RUN(relay);
  RUN(values_never_repeat);
  RUN(many_live);
  RUN(named_by_many_threads);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
