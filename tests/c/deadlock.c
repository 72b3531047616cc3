/* Calls of gevt in a host function: one that would wait for the function's own stream is refused with ILLEGAL_STATE /
   WOULD_DEADLOCK instead of hanging. */
#include "objects.h"

typedef struct trial {
  void (*body)(struct trial *);
  gevt_stream_t stream;
  gevt_event_t before; /* recorded on the stream before the host function */
  gevt_event_t later;  /* recorded on it after */
  gevt_event_t elsewhere;
  gate_t go; /* opened once everything is recorded */
  gate_t other;
  int done;
} trial_t;

static void trial_function(void *user) {
  trial_t *trial = (trial_t *)user;
  gate_pass(&trial->go);
  trial->body(trial);
  count_up(&trial->done);
}

/* Runs `body` inside a host function of a stream on which `later` is recorded after it. */
static void trial_run_on(gevt_stream_t stream, void (*body)(trial_t *)) {
  const gate_t closed = GATE_CLOSED;
  gevt_stream_t other = stream_new();
  trial_t trial;
  memset(&trial, 0, sizeof trial);
  trial.body = body;
  trial.stream = stream;
  trial.before = event_new();
  trial.later = event_new();
  trial.elsewhere = event_new();
  trial.go = closed;
  trial.other = closed;
  CHECK_OK(gevt_record(trial.before, stream));
  CHECK_OK(gevt_stream_launch(stream, trial_function, &trial));
  CHECK_OK(gevt_record(trial.later, stream));
  gate_close(&trial.other, other);
  CHECK_OK(gevt_record(trial.elsewhere, other));
  gate_open(&trial.go);
  CHECK(count_await(&trial.done, 1));
  gate_open(&trial.other);
  /* The refusal does no harm to the stream. */
  CHECK_OK(gevt_sync(trial.later));
  CHECK_OK(gevt_stream_sync(stream));
  CHECK_OK(gevt_destroy(trial.before));
  CHECK_OK(gevt_destroy(trial.later));
  CHECK_OK(gevt_destroy(trial.elsewhere));
  stream_finish(other);
}

static void trial_run(void (*body)(trial_t *)) {
  gevt_stream_t stream = stream_new();
  trial_run_on(stream, body);
  stream_finish(stream);
}

static void sync_own_stream(trial_t *trial) {
  CHECK_FAILS(gevt_stream_sync(trial->stream), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_WOULD_DEADLOCK);
}

static void sync_own_context(trial_t *trial) {
  (void)trial;
  CHECK_FAILS(gevt_context_sync(subject_context), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_WOULD_DEADLOCK);
}

static void sync_later_event(trial_t *trial) {
  CHECK_FAILS(gevt_sync(trial->later), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_WOULD_DEADLOCK);
  CHECK_FAILS(gevt_sync_timeout(trial->later, GEVT_TIMEOUT_INFINITE), GEVT_ERROR_ILLEGAL_STATE,
              GEVT_DETAIL_WOULD_DEADLOCK);
}

/* At once: `elsewhere` does not complete before this host function returns. */
static void sync_all_with_later_event(trial_t *trial) {
  gevt_event_t events[3];
  events[0] = trial->before;
  events[1] = trial->elsewhere;
  events[2] = trial->later;
  CHECK_FAILS(gevt_sync_all(events, 3, GEVT_TIMEOUT_INFINITE), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_WOULD_DEADLOCK);
}

/* Refused only if each of the events comes after the function: `elsewhere` can still be done before. */
static void sync_any_with_later_event(trial_t *trial) {
  gevt_event_t events[2], own[2];
  size_t index = 99;
  events[0] = trial->later;
  events[1] = trial->elsewhere;
  own[0] = trial->later;
  own[1] = event_new();
  CHECK_OK(gevt_record(own[1], trial->stream));
  CHECK_FAILS(gevt_sync_any(&index, events, 1, GEVT_TIMEOUT_INFINITE), GEVT_ERROR_ILLEGAL_STATE,
              GEVT_DETAIL_WOULD_DEADLOCK);
  CHECK_FAILS(gevt_sync_any(&index, own, 2, GEVT_TIMEOUT_INFINITE), GEVT_ERROR_ILLEGAL_STATE,
              GEVT_DETAIL_WOULD_DEADLOCK);
  CHECK_FAILS(gevt_sync_any(&index, own, 2, 0), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  CHECK_FAILS(gevt_sync_all(own, 2, 0), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  CHECK_FAILS(gevt_sync_any(&index, events, 2, MILLISECOND), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  CHECK_EQUAL(index, 99);
  gate_open(&trial->other);
  CHECK_OK(gevt_sync_any(&index, events, 2, GEVT_TIMEOUT_INFINITE));
  CHECK_EQUAL(index, 1);
  CHECK_OK(gevt_sync(trial->elsewhere));
  CHECK_OK(gevt_destroy(own[1]));
}

static void sync_event_recorded_here(trial_t *trial) {
  gevt_event_t event = event_new();
  CHECK_OK(gevt_record(event, trial->stream));
  CHECK_NOT_READY(gevt_query(event));
  CHECK_FAILS(gevt_sync(event), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_WOULD_DEADLOCK);
  CHECK_OK(gevt_destroy(event));
}

/* Calls that do not wait for the function's stream are allowed, on that stream as well. */
static void allowed_calls(trial_t *trial) {
  CHECK_NOT_READY(gevt_query(trial->later));
  CHECK_NOT_READY(gevt_stream_query(trial->stream));
  CHECK_OK(gevt_query(trial->before));
  CHECK_OK(gevt_sync(trial->before));
  CHECK_OK(gevt_stream_wait(trial->stream, trial->before, GEVT_WAIT_DEFAULT));
  CHECK_FAILS(gevt_sync_timeout(trial->elsewhere, 0), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  gate_open(&trial->other);
  CHECK_OK(gevt_sync(trial->elsewhere));
}

static void stream_in_its_function(void) {
  trial_run(sync_own_stream);
}

static void context_in_its_function(void) {
  trial_run(sync_own_context);
}

static void event_in_its_function(void) {
  trial_run(sync_later_event);
  trial_run(sync_event_recorded_here);
}

static void several_events_in_its_function(void) {
  trial_run(sync_all_with_later_event);
  trial_run(sync_any_with_later_event);
}

static void default_stream_in_its_function(void) {
  trial_run_on(NULL, sync_own_stream);
  trial_run_on(NULL, sync_later_event);
  trial_run_on(NULL, sync_own_context);
}

static void allowed_in_its_function(void) {
  trial_run(allowed_calls);
}

/* What gevt knows without a driver may be asked in a host function of any backend. */
typedef struct known {
  gevt_event_t finished;
  gevt_event_t unrecorded;
  int done;
} known_t;

static void ask_known(void *user) {
  known_t *known = (known_t *)user;
  gevt_event_t event = NULL;
  size_t index = 99;
  CHECK_OK(gevt_query(known->finished));
  CHECK_OK(gevt_sync(known->finished));
  CHECK_OK(gevt_sync_timeout(known->finished, 0));
  CHECK_OK(gevt_sync_any(&index, &known->finished, 1, GEVT_TIMEOUT_INFINITE));
  CHECK_EQUAL(index, 0);
  CHECK_EQUAL(event_info(known->finished).state, GEVT_STATE_COMPLETE);
  CHECK_OK(gevt_query(known->unrecorded));
  CHECK_OK(gevt_sync(known->unrecorded));
  CHECK_FAILS(gevt_query(NULL), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_NULL_HANDLE);
  CHECK_OK(gevt_create(&event, GEVT_EVENT_DEFAULT));
  CHECK_OK(gevt_set_name(event, "made in a function"));
  CHECK_OK(gevt_destroy(event));
  CHECK_FAILS(gevt_query(event), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  count_up(&known->done);
}

static void known_in_a_function(void) {
  gevt_stream_t stream = stream_new();
  known_t known;
  memset(&known, 0, sizeof known);
  known.finished = event_new();
  known.unrecorded = event_new();
  CHECK_OK(gevt_record(known.finished, stream));
  CHECK_OK(gevt_sync(known.finished));
  CHECK_OK(gevt_stream_launch(stream, ask_known, &known));
  CHECK_OK(gevt_stream_sync(stream));
  CHECK_EQUAL(count_of(&known.done), 1);
  CHECK_OK(gevt_destroy(known.finished));
  CHECK_OK(gevt_destroy(known.unrecorded));
  stream_finish(stream);
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN(known_in_a_function);
  /* A CUDA host function may not call the driver, which these calls would. */
  RUN_ON_HOST(stream_in_its_function);
  RUN_ON_HOST(context_in_its_function);
  RUN_ON_HOST(event_in_its_function);
  RUN_ON_HOST(several_events_in_its_function);
  RUN_ON_HOST(default_stream_in_its_function);
  RUN_ON_HOST(allowed_in_its_function);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
