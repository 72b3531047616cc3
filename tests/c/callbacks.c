/* gevt_on_complete: when, how often and on which thread a callback runs, and what it may do. */
#include "objects.h"

typedef struct call {
  int count;
  gevt_status_t status;
  pthread_t thread;
  gate_t *gate;
  int gate_had_passed;
} call_t;

static void note_call(void *user, gevt_status_t status) {
  call_t *call = (call_t *)user;
  call->status = status;
  call->thread = pthread_self();
  if (call->gate) call->gate_had_passed = gate_passed(call->gate);
  __atomic_add_fetch(&call->count, 1, __ATOMIC_SEQ_CST);
}

static void runs_after_completion(void) {
  gate_t gate = GATE_CLOSED;
  call_t call;
  gevt_stream_t stream = stream_new();
  gevt_event_t event = event_new();
  memset(&call, 0, sizeof call);
  call.gate = &gate;
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_on_complete(event, note_call, &call));
  CHECK_EQUAL(count_of(&call.count), 0);
  gate_open(&gate);
  CHECK(count_await(&call.count, 1));
  CHECK_EQUAL(call.status, GEVT_SUCCESS);
  CHECK(call.gate_had_passed);
  CHECK(!pthread_equal(call.thread, pthread_self()));
  /* Once only: not for the next record. */
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
  CHECK_EQUAL(count_of(&call.count), 1);
}

static void finished_event_calls_too(void) {
  call_t call;
  gevt_stream_t stream = stream_new();
  gevt_event_t event = event_new();
  memset(&call, 0, sizeof call);
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_on_complete(event, note_call, &call));
  CHECK(count_await(&call.count, 1));
  CHECK_EQUAL(call.status, GEVT_SUCCESS);
  CHECK(!pthread_equal(call.thread, pthread_self()));
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
}

/* Nothing was recorded, so there is nothing to wait for; a strict event refuses, as it does a query. */
static void unrecorded_event(void) {
  call_t call;
  gevt_event_t event = event_new(), strict = event_with(GEVT_EVENT_STRICT);
  memset(&call, 0, sizeof call);
  CHECK_OK(gevt_on_complete(event, note_call, &call));
  CHECK(count_await(&call.count, 1));
  CHECK_EQUAL(call.status, GEVT_SUCCESS);
  CHECK(!pthread_equal(call.thread, pthread_self()));
  CHECK_FAILS(gevt_on_complete(strict, note_call, &call), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_NOT_RECORDED);
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_destroy(strict));
  CHECK_EQUAL(count_of(&call.count), 1);
}

static void several_on_one_event(void) {
  enum { COUNT = 100 };
  gate_t gate = GATE_CLOSED;
  call_t calls[COUNT];
  gevt_stream_t stream = stream_new();
  gevt_event_t event = event_new();
  int i;
  memset(calls, 0, sizeof calls);
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(event, stream));
  for (i = 0; i < COUNT; i++) CHECK_OK(gevt_on_complete(event, note_call, &calls[i]));
  gate_open(&gate);
  for (i = 0; i < COUNT; i++) CHECK(count_await(&calls[i].count, 1));
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
  for (i = 0; i < COUNT; i++) CHECK_EQUAL(count_of(&calls[i].count), 1);
}

/* Like a wait, a callback belongs to the record that it was registered for. */
static void keeps_the_record_it_saw(void) {
  gate_t first = GATE_CLOSED, second = GATE_CLOSED;
  call_t call;
  gevt_stream_t stream = stream_new(), other = stream_new();
  gevt_event_t event = event_new();
  memset(&call, 0, sizeof call);
  gate_close(&first, stream);
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_on_complete(event, note_call, &call));
  gate_close_after(&first, &second, other);
  CHECK_OK(gevt_record(event, other));
  gate_open(&first);
  CHECK(count_await(&call.count, 1));
  CHECK(!gate_passed(&second));
  CHECK_NOT_READY(gevt_query(event));
  gate_open(&second);
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
  stream_finish(other);
  CHECK_EQUAL(count_of(&call.count), 1);
}

/* The caller's `user` waits for its call: destroying the event does not take the call away. */
static void outlasts_the_event(void) {
  gate_t gate = GATE_CLOSED;
  call_t call;
  gevt_stream_t stream = stream_new();
  gevt_event_t event = event_new();
  memset(&call, 0, sizeof call);
  call.gate = &gate;
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_on_complete(event, note_call, &call));
  CHECK_OK(gevt_destroy(event));
  CHECK_EQUAL(count_of(&call.count), 0);
  gate_open(&gate);
  CHECK(count_await(&call.count, 1));
  CHECK_EQUAL(call.status, GEVT_SUCCESS);
  CHECK(call.gate_had_passed);
  stream_finish(stream);
  CHECK_EQUAL(count_of(&call.count), 1);
}

static void refusals(void) {
  call_t call;
  gevt_event_t event = event_new(), stale = event_stale();
  gevt_stream_t stream = stream_new();
  memset(&call, 0, sizeof call);
  CHECK_FAILS(gevt_on_complete(event, NULL, &call), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_on_complete(NULL, note_call, &call), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_NULL_HANDLE);
  CHECK_FAILS(gevt_on_complete(stale, note_call, &call), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  CHECK_FAILS(gevt_on_complete((gevt_event_t)stream, note_call, &call), GEVT_ERROR_INVALID_HANDLE,
              GEVT_DETAIL_WRONG_KIND);
  CHECK_FAILS(gevt_stream_launch(stream, NULL, &call), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
  CHECK_EQUAL(count_of(&call.count), 0);
}

/* The user pointer belongs to the caller: NULL is as good as any. */
static int null_user_calls;

static void note_null_user(void *user, gevt_status_t status) {
  CHECK(user == NULL);
  CHECK_EQUAL(status, GEVT_SUCCESS);
  count_up(&null_user_calls);
}

static void null_user(void) {
  gevt_event_t event = event_new();
  CHECK_OK(gevt_record(event, NULL));
  CHECK_OK(gevt_on_complete(event, note_null_user, NULL));
  CHECK(count_await(&null_user_calls, 1));
  CHECK_OK(gevt_destroy(event));
}

/* Everything that a callback may do, its own event's end included. */
typedef struct busy {
  gevt_event_t own;
  gevt_stream_t stream;
  int inner;
  int done;
} busy_t;

static void inner_call(void *user, gevt_status_t status) {
  CHECK_EQUAL(status, GEVT_SUCCESS);
  count_up(user);
}

static void busy_call(void *user, gevt_status_t status) {
  busy_t *busy = (busy_t *)user;
  gevt_event_t event = NULL;
  gevt_event_info_t info;
  gevt_context_t context = NULL;
  int64_t ns;
  CHECK_EQUAL(status, GEVT_SUCCESS);
  CHECK_OK(gevt_query(busy->own));
  CHECK_OK(gevt_sync(busy->own));
  CHECK_OK(gevt_elapsed_ns(&ns, busy->own, busy->own));
  CHECK_OK(gevt_set_name(busy->own, "finished"));
  info.size = sizeof info;
  CHECK_OK(gevt_get_info(&info, busy->own));
  CHECK_EQUAL(info.state, GEVT_STATE_COMPLETE);
  CHECK_OK(gevt_create(&event, GEVT_EVENT_DEFAULT));
  CHECK_OK(gevt_record(event, busy->stream));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_on_complete(event, inner_call, &busy->inner));
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_stream_launch(busy->stream, count_up, &busy->inner));
  CHECK_OK(gevt_stream_sync(busy->stream));
  CHECK_OK(gevt_context_get_current(&context));
  CHECK_FAILS(gevt_query(NULL), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_NULL_HANDLE);
  CHECK_OK(gevt_on_complete(busy->own, inner_call, &busy->inner));
  CHECK_OK(gevt_destroy(busy->own));
  CHECK_FAILS(gevt_query(busy->own), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  count_up(&busy->done);
}

static void may_call_everything(void) {
  gate_t gate = GATE_CLOSED;
  gevt_stream_t stream = stream_new();
  busy_t busy;
  memset(&busy, 0, sizeof busy);
  busy.own = event_new();
  busy.stream = stream_new();
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(busy.own, stream));
  CHECK_OK(gevt_on_complete(busy.own, busy_call, &busy));
  gate_open(&gate);
  CHECK(count_await(&busy.done, 1));
  CHECK(count_await(&busy.inner, 3));
  stream_finish(stream);
  stream_finish(busy.stream);
}

/* A callback that takes its time holds back neither its own event's waiters nor any stream. */
static void blocking_call(void *user, gevt_status_t status) {
  CHECK_EQUAL(status, GEVT_SUCCESS);
  gate_pass(user);
}

static void blocking_call_holds_nothing_back(void) {
  gate_t in_call = GATE_CLOSED, in_stream = GATE_CLOSED;
  gevt_stream_t stream = stream_new(), other = stream_new();
  gevt_event_t event = event_new(), later = event_new();
  int counter = 0;
  gate_close(&in_stream, stream);
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_on_complete(event, blocking_call, &in_call));
  gate_open(&in_stream);
  gate_await_entry(&in_call);
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_stream_launch(stream, count_up, &counter));
  CHECK_OK(gevt_record(later, stream));
  CHECK_OK(gevt_sync(later));
  CHECK_OK(gevt_stream_launch(other, count_up, &counter));
  CHECK_OK(gevt_stream_sync(other));
  CHECK_EQUAL(count_of(&counter), 2);
  CHECK(!gate_passed(&in_call));
  gate_open(&in_call);
  gate_await_passage(&in_call);
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_destroy(later));
  stream_finish(stream);
  stream_finish(other);
}

/* Nor other callbacks, those of events that end while it runs or that are recorded only then; however many there are, and whichever threads
   run them. */
static void blocking_calls_hold_no_others_back(void) {
  enum { CALLS = 5 };
  gate_t in_calls[CALLS] = {GATE_CLOSED, GATE_CLOSED, GATE_CLOSED, GATE_CLOSED, GATE_CLOSED};
  gate_t in_streams[CALLS] = {GATE_CLOSED, GATE_CLOSED, GATE_CLOSED, GATE_CLOSED, GATE_CLOSED};
  gevt_stream_t stream = stream_new();
  gevt_event_t events[CALLS];
  for (int i = 0; i < CALLS; i++) {
    events[i] = event_new();
    gate_close(&in_streams[i], stream);
    CHECK_OK(gevt_record(events[i], stream));
    CHECK_OK(gevt_on_complete(events[i], blocking_call, &in_calls[i]));
    gate_open(&in_streams[i]);
    gate_await_entry(&in_calls[i]);
  }
  for (int i = 0; i < CALLS; i++) {
    CHECK(!gate_passed(&in_calls[i]));
    gate_open(&in_calls[i]);
    gate_await_passage(&in_calls[i]);
    CHECK_OK(gevt_destroy(events[i]));
  }
  stream_finish(stream);
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

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN(runs_after_completion);
  RUN(finished_event_calls_too);
  RUN(unrecorded_event);
  RUN(several_on_one_event);
  RUN(keeps_the_record_it_saw);
  RUN(outlasts_the_event);
  RUN(refusals);
  RUN(null_user);
  RUN(may_call_everything);
  RUN(blocking_call_holds_nothing_back);
  RUN(blocking_calls_hold_no_others_back);
  RUN(relay);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
