/* Many waits at once: chains of streams, one stream that waits for many, and many that wait for one. */
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

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN(chain);
  RUN(fan_in_and_out);
  RUN(fan_of_functions);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
