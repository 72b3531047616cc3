/* A stream that waits for an event: order across streams, which record a wait means, flags, and many at once. */
#include "objects.h"

/* What a host function sees of another stream's gate. */
typedef struct witness {
  gate_t *gate;
  int ran;
  int gate_had_passed;
} witness_t;

static void witness_look(void *user) {
  witness_t *witness = (witness_t *)user;
  witness->gate_had_passed = gate_passed(witness->gate);
  __atomic_store_n(&witness->ran, 1, __ATOMIC_SEQ_CST);
}

static int witness_ran(witness_t *witness) {
  return __atomic_load_n(&witness->ran, __ATOMIC_SEQ_CST);
}

static void orders_two_streams(void) {
  gate_t gate = GATE_CLOSED;
  witness_t witness = {&gate, 0, 0};
  gevt_stream_t first = stream_new(), second = stream_new();
  gevt_event_t event = event_new(), behind = event_new();
  gate_close(&gate, first);
  CHECK_OK(gevt_record(event, first));
  CHECK_OK(gevt_stream_wait(second, event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_stream_launch(second, witness_look, &witness));
  CHECK_OK(gevt_record(behind, second));
  CHECK_NOT_READY(gevt_stream_query(second));
  CHECK_NOT_READY(gevt_query(behind));
  CHECK(!witness_ran(&witness));
  gate_open(&gate);
  CHECK_OK(gevt_sync(behind));
  CHECK(witness_ran(&witness));
  CHECK(witness.gate_had_passed);
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_destroy(behind));
  stream_finish(first);
  stream_finish(second);
}

static void unrecorded_and_finished_do_not_hold(void) {
  gevt_stream_t first = stream_new(), second = stream_new();
  gevt_event_t event = event_new();
  CHECK_OK(gevt_stream_wait(second, event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_stream_query(second));
  CHECK_OK(gevt_record(event, first));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_stream_wait(second, event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_stream_sync(second));
  CHECK_OK(gevt_stream_query(second));
  CHECK_OK(gevt_destroy(event));
  stream_finish(first);
  stream_finish(second);
}

/* An unrecorded event that is recorded after the wait does not hold the wait back. */
static void a_later_first_record_does_not_count(void) {
  gate_t gate = GATE_CLOSED;
  gevt_stream_t first = stream_new(), second = stream_new();
  gevt_event_t event = event_new();
  CHECK_OK(gevt_stream_wait(second, event, GEVT_WAIT_DEFAULT));
  gate_close(&gate, first);
  CHECK_OK(gevt_record(event, first));
  CHECK_OK(gevt_stream_sync(second));
  CHECK(!gate_passed(&gate));
  gate_open(&gate);
  CHECK_OK(gevt_destroy(event));
  stream_finish(first);
  stream_finish(second);
}

/* The wait was issued for the first record: it ends with it, though the event is pending again. */
static void keeps_the_record_it_saw(void) {
  gate_t first = GATE_CLOSED, second = GATE_CLOSED;
  gevt_stream_t stream = stream_new(), other = stream_new(), waiting = stream_new();
  gevt_event_t event = event_new();
  gate_close(&first, stream);
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_stream_wait(waiting, event, GEVT_WAIT_DEFAULT));
  gate_close_after(&first, &second, other);
  CHECK_OK(gevt_record(event, other));
  CHECK_NOT_READY(gevt_stream_query(waiting));
  gate_open(&first);
  CHECK_OK(gevt_stream_sync(waiting));
  CHECK(!gate_passed(&second));
  CHECK_NOT_READY(gevt_query(event));
  gate_open(&second);
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
  stream_finish(other);
  stream_finish(waiting);
}

/* The same the other way: a record that is done at once does not free a wait for the earlier one. */
static void is_not_freed_by_a_later_record(void) {
  gate_t gate = GATE_CLOSED;
  gevt_stream_t stream = stream_new(), idle = stream_new(), waiting = stream_new();
  gevt_event_t event = event_new();
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_stream_wait(waiting, event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(event, idle));
  CHECK_OK(gevt_sync(event));
  CHECK_NOT_READY(gevt_stream_query(waiting));
  gate_open(&gate);
  CHECK_OK(gevt_stream_sync(waiting));
  CHECK(gate_passed(&gate));
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
  stream_finish(idle);
  stream_finish(waiting);
}

static void outlasts_the_event(void) {
  gate_t gate = GATE_CLOSED;
  witness_t witness = {&gate, 0, 0};
  gevt_stream_t first = stream_new(), second = stream_new();
  gevt_event_t event = event_new();
  gate_close(&gate, first);
  CHECK_OK(gevt_record(event, first));
  CHECK_OK(gevt_stream_wait(second, event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_stream_launch(second, witness_look, &witness));
  CHECK_OK(gevt_destroy(event));
  CHECK_FAILS(gevt_stream_wait(second, event, GEVT_WAIT_DEFAULT), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  CHECK_NOT_READY(gevt_stream_query(second));
  gate_open(&gate);
  CHECK_OK(gevt_stream_sync(second));
  CHECK(witness.gate_had_passed);
  stream_finish(first);
  stream_finish(second);
}

static void wait_flags(void) {
  static const uint32_t bad[] = {2, 3, 4, 0x80000000, 0xffffffff};
  gevt_stream_t stream = stream_new();
  gevt_event_t event = event_new();
  size_t i;
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_stream_wait(stream, event, GEVT_WAIT_DEFAULT));
  CHECK_FAILS(gevt_stream_wait(stream, event, GEVT_WAIT_EXTERNAL), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_NOT_CAPTURING);
  for (i = 0; i < sizeof bad / sizeof *bad; i++) {
    CHECK_FAILS(gevt_stream_wait(stream, event, bad[i]), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_FLAGS);
  }
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
}

/* A refused wait must not hold the stream back. */
static void refused_wait_does_nothing(void) {
  gate_t gate = GATE_CLOSED;
  gevt_stream_t first = stream_new(), second = stream_new();
  gevt_event_t event = event_new();
  gate_close(&gate, first);
  CHECK_OK(gevt_record(event, first));
  CHECK_FAILS(gevt_stream_wait(second, event, GEVT_WAIT_EXTERNAL), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_NOT_CAPTURING);
  CHECK_FAILS(gevt_stream_wait(second, event, 2), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_FLAGS);
  CHECK_FAILS(gevt_stream_wait(second, NULL, GEVT_WAIT_DEFAULT), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_NULL_HANDLE);
  CHECK_OK(gevt_stream_query(second));
  gate_open(&gate);
  CHECK_OK(gevt_destroy(event));
  stream_finish(first);
  stream_finish(second);
}

static void default_stream_waits(void) {
  gate_t gate = GATE_CLOSED;
  gevt_stream_t stream = stream_new();
  gevt_event_t event = event_new(), behind = event_new();
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_stream_wait(NULL, event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(behind, NULL));
  CHECK_NOT_READY(gevt_query(behind));
  gate_open(&gate);
  CHECK_OK(gevt_sync(behind));
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_destroy(behind));
  stream_finish(stream);
}

/* A stream has always reached its own earlier events. */
static void own_event_does_not_hold(void) {
  gate_t gate = GATE_CLOSED;
  gevt_stream_t stream = stream_new();
  gevt_event_t event = event_new();
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_stream_wait(stream, event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_stream_wait(stream, event, GEVT_WAIT_DEFAULT));
  gate_open(&gate);
  CHECK_OK(gevt_stream_sync(stream));
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
}

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
  RUN(orders_two_streams);
  RUN(unrecorded_and_finished_do_not_hold);
  RUN(a_later_first_record_does_not_count);
  RUN(keeps_the_record_it_saw);
  RUN(is_not_freed_by_a_later_record);
  RUN(outlasts_the_event);
  RUN(wait_flags);
  RUN(refused_wait_does_nothing);
  RUN(default_stream_waits);
  RUN(own_event_does_not_hold);
  RUN(chain);
  RUN(fan_in_and_out);
  RUN(fan_of_functions);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
