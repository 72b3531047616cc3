/* gevt borrows the driver's contexts, streams and events, and exports its own. Other code uses them too, so gevt must
   ask the driver every time. None of this creates a primary context. */
#include "owned.h"

static void contexts(void) {
  owned_context_t owned = owned_context_make();
  gevt_context_t again = NULL, bad;
  gevt_stream_t stream;
  gevt_event_t event;
  void *native = owned.native;
  CHECK_OK(gevt_context_wrap(&again, GEVT_BACKEND_CUDA, native));
  CHECK(again != owned.context);
  /* Two handles, one context. */
  event = event_in(owned);
  stream = stream_in(again, GEVT_STREAM_NON_BLOCKING);
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_sync(event));
  CHECK(event_info(event).context == owned.context);
  CHECK_EQUAL(event_info(event).backend, GEVT_BACKEND_CUDA);
  CHECK_EQUAL(event_info(event).device, 0);
  /* They outlast the handles. */
  CHECK_OK(gevt_context_close(again));
  CHECK_OK(gevt_context_close(owned.context));
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
  /* The context has no user left, and is still its owner's; it can be borrowed again. */
  CHECK_OK(gevt_context_wrap(&owned.context, GEVT_BACKEND_CUDA, native));
  CHECK_OK(gevt_context_sync(owned.context));
  pattern_fill(&bad, sizeof bad);
  CHECK_FAILS(gevt_context_wrap(&bad, GEVT_BACKEND_CUDA, NULL), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_context_wrap(NULL, GEVT_BACKEND_CUDA, native), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK(pattern_intact(&bad, sizeof bad));
  owned_context_finish(owned);
}

/* Everything that a stream is for, on a handle of it. */
static void stream_works(owned_context_t owned, gevt_stream_t stream) {
  gevt_event_t event = event_new(), other_event = event_in(owned);
  gevt_stream_t other = stream_in(owned.context, GEVT_STREAM_NON_BLOCKING);
  int counter = 0;
  CHECK_OK(gevt_record(other_event, other));
  CHECK_OK(gevt_stream_wait(stream, other_event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_stream_launch(stream, count_up, &counter));
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_sync(event));
  CHECK_EQUAL(count_of(&counter), 1);
  CHECK(event_info(event).context == owned.context);
  CHECK_OK(gevt_stream_launch(stream, count_up, &counter));
  CHECK_OK(gevt_stream_sync(stream));
  CHECK_EQUAL(count_of(&counter), 2);
  CHECK_OK(gevt_stream_query(stream));
  CHECK_OK(gevt_record_with_flags(event, stream, GEVT_RECORD_DEFAULT));
  CHECK_OK(gevt_sync_timeout(event, HANG_LIMIT));
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_destroy(other_event));
  stream_finish(other);
}

/* A real stream and the three special ones, with no context current, another one, and their own. */
static void streams(void) {
  owned_context_t owned = owned_context_make(), other = owned_context_make();
  void *current[3];
  int i;
  current[0] = NULL;
  current[1] = other.native;
  current[2] = owned.native;
  for (i = 0; i < 3; i++) {
    owned_stream_t real = owned_stream_make(owned);
    uintptr_t special;
    CHECK_EQUAL(driver.context_set_current(current[i]), 0);
    stream_works(owned, real.stream);
    for (special = 0; special <= 2; special++) {
      gevt_stream_t stream = NULL;
      CHECK_OK(gevt_stream_wrap(&stream, owned.context, (void *)special));
      stream_works(owned, stream);
      CHECK_OK(gevt_stream_destroy(stream));
      CHECK_FAILS(gevt_stream_query(stream), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
    }
    CHECK(current_native() == current[i]);
    CHECK_EQUAL(driver.context_set_current(NULL), 0);
    owned_stream_finish(real);
  }
  owned_context_finish(owned);
  owned_context_finish(other);
}

/* The default stream that is meant is that of the handle's context, not of the current one: a blocking stream holds back the
   default stream of its own context only. */
static void default_streams_are_of_their_context(void) {
  owned_context_t owned = owned_context_make(), other = owned_context_make();
  gevt_stream_t blocking = stream_in(owned.context, GEVT_STREAM_DEFAULT);
  uintptr_t special;
  for (special = 0; special <= 2; special++) {
    gate_t gate = GATE_CLOSED;
    int behind = 0;
    gevt_stream_t here = NULL, there = NULL;
    gevt_event_t event = event_in(owned), other_event = event_in(other);
    CHECK_OK(gevt_stream_wrap(&here, owned.context, (void *)special));
    CHECK_OK(gevt_stream_wrap(&there, other.context, (void *)special));
    CHECK_EQUAL(driver.context_set_current(special ? other.native : NULL), 0);
    gate_close(&gate, blocking);
    /* The per-thread stream is a blocking one: the default stream orders the two. */
    if (special == 2) {
      CHECK_OK(gevt_context_set_current(owned.context));
      CHECK_OK(gevt_stream_launch(NULL, count_up, &behind));
    }
    CHECK_OK(gevt_record(event, here));
    CHECK_NOT_READY(gevt_query(event));
    CHECK_NOT_READY(gevt_stream_query(here));
    CHECK_OK(gevt_record(other_event, there));
    CHECK_OK(gevt_sync(other_event));
    CHECK_OK(gevt_stream_sync(there));
    CHECK(!gate_passed(&gate));
    gate_open(&gate);
    CHECK_OK(gevt_sync(event));
    CHECK(gate_passed(&gate));
    CHECK_OK(gevt_context_set_current(NULL));
    CHECK_EQUAL(driver.context_set_current(NULL), 0);
    CHECK_OK(gevt_destroy(event));
    CHECK_OK(gevt_destroy(other_event));
    CHECK_OK(gevt_stream_destroy(here));
    CHECK_OK(gevt_stream_destroy(there));
  }
  stream_finish(blocking);
  owned_context_finish(owned);
  owned_context_finish(other);
}

static void of_another_context(void) {
  owned_context_t owned = owned_context_make(), other = owned_context_make();
  owned_stream_t real = owned_stream_make(owned);
  gevt_stream_t wrong;
  gevt_event_t event = event_in(other), wrapped = NULL;
  void *native = native_event_in(other);
  pattern_fill(&wrong, sizeof wrong);
  CHECK_FAILS(gevt_stream_wrap(&wrong, other.context, real.native), GEVT_ERROR_INVALID_HANDLE,
              GEVT_DETAIL_CONTEXT_MISMATCH);
  CHECK_EQUAL(driver.context_set_current(other.native), 0);
  CHECK_FAILS(gevt_stream_wrap(&wrong, NULL, real.native), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_CONTEXT_MISMATCH);
  CHECK_EQUAL(driver.context_set_current(NULL), 0);
  CHECK(pattern_intact(&wrong, sizeof wrong));
  CHECK_FAILS(gevt_record(event, real.stream), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_CONTEXT_MISMATCH);
  CHECK_OK(gevt_wrap(&wrapped, other.context, native, GEVT_EVENT_DEFAULT));
  CHECK_FAILS(gevt_record(wrapped, real.stream), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_CONTEXT_MISMATCH);
  CHECK_OK(gevt_query(wrapped));
  CHECK_OK(gevt_stream_query(real.stream));
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_destroy(wrapped));
  CHECK_EQUAL(driver.event_destroy(native), 0);
  owned_stream_finish(real);
  owned_context_finish(owned);
  owned_context_finish(other);
}

/* Whatever gevt remembers of the event, a record that went past gevt must be seen in each way of asking. */
static void record_past_gevt_is_seen(gevt_event_t event, void *native, owned_stream_t real) {
  gate_t gate = GATE_CLOSED;
  size_t index = 99;
  CHECK_OK(gevt_query(event));
  CHECK_OK(gevt_query(event));
  gate_close(&gate, real.stream);
  CHECK_EQUAL(driver.event_record(native, real.native), 0);
  CHECK_NOT_READY(gevt_query(event));
  CHECK_EQUAL(event_info(event).state, GEVT_STATE_PENDING);
  CHECK_FAILS(gevt_sync_timeout(event, 0), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  CHECK_FAILS(gevt_sync_timeout(event, 5 * MILLISECOND), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  CHECK_FAILS(gevt_sync_any(&index, &event, 1, 0), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  gate_open(&gate);
  CHECK_OK(gevt_sync(event));
  CHECK(gate_passed(&gate));
  CHECK_OK(gevt_query(event));
  CHECK_EQUAL(driver.event_query(native), 0);
}

static void natives_given_out(void) {
  owned_context_t owned = owned_context_make();
  owned_stream_t real = owned_stream_make(owned);
  gevt_event_t event = event_in(owned), unrecorded = event_in(owned), unbound = event_new();
  void *native = NULL, *again = NULL, *none;
  pattern_fill(&none, sizeof none);
  CHECK_FAILS(gevt_native(&none, unbound), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_NOT_BOUND);
  CHECK_FAILS(gevt_native(NULL, event), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK(pattern_intact(&none, sizeof none));
  CHECK_OK(gevt_record(event, real.stream));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_native(&native, event));
  CHECK_OK(gevt_native(&again, event));
  CHECK(native != NULL && native == again);
  record_past_gevt_is_seen(event, native, real);
  record_past_gevt_is_seen(event, native, real);
  /* A record through gevt uses the same native event. */
  CHECK_OK(gevt_record(event, real.stream));
  CHECK_EQUAL(driver.event_sync(native), 0);
  CHECK_OK(gevt_native(&again, event));
  CHECK(native == again);
  record_past_gevt_is_seen(event, native, real);
  /* And one that gevt never recorded. */
  CHECK_OK(gevt_native(&native, unrecorded));
  record_past_gevt_is_seen(unrecorded, native, real);
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_destroy(unrecorded));
  CHECK_OK(gevt_destroy(unbound));
  owned_stream_finish(real);
  owned_context_finish(owned);
}

/* One thread asks for the native events while another one records their events for the first time. */
enum { GIVEN = 300 };

typedef struct giving {
  gevt_event_t events[GIVEN];
  void *natives[GIVEN];
  int recording, asking;
} giving_t;

static void *ask_for_natives(void *user) {
  giving_t *giving = (giving_t *)user;
  int i;
  for (i = 0; i < GIVEN; i++) {
    count_up(&giving->asking);
    while (count_of(&giving->recording) <= i) sched_yield();
    CHECK_OK(gevt_native(&giving->natives[i], giving->events[i]));
  }
  return NULL;
}

/* The native event that is given is the one of the record, which is pending. */
static void natives_given_out_during_the_first_record(void) {
  static giving_t giving;
  owned_context_t owned = owned_context_make();
  owned_stream_t real = owned_stream_make(owned);
  gate_t gate = GATE_CLOSED;
  pthread_t asking;
  int i;
  for (i = 0; i < GIVEN; i++) giving.events[i] = event_in(owned);
  gate_close(&gate, real.stream);
  asking = thread_start(ask_for_natives, &giving);
  for (i = 0; i < GIVEN; i++) {
    while (count_of(&giving.asking) <= i) sched_yield();
    count_up(&giving.recording);
    CHECK_OK(gevt_record(giving.events[i], real.stream));
  }
  thread_join(asking);
  for (i = 0; i < GIVEN; i++) {
    CHECK_NOT_READY(gevt_query(giving.events[i]));
    CHECK_EQUAL(driver.event_query(giving.natives[i]), GEVT_ERROR_NOT_READY);
  }
  gate_open(&gate);
  for (i = 0; i < GIVEN; i++) {
    CHECK_OK(gevt_sync(giving.events[i]));
    CHECK_OK(gevt_destroy(giving.events[i]));
  }
  owned_stream_finish(real);
  owned_context_finish(owned);
}

static void events(void) {
  owned_context_t owned = owned_context_make();
  owned_stream_t real = owned_stream_make(owned);
  void *native = native_event_in(owned), *later = native_event_in(owned), *same = NULL;
  gevt_event_t event = NULL, end = NULL, bad;
  gate_t gate = GATE_CLOSED;
  float ms = -1;
  CHECK_OK(gevt_wrap(&event, owned.context, native, GEVT_EVENT_DEFAULT));
  CHECK_OK(gevt_wrap(&end, owned.context, later, GEVT_EVENT_DEFAULT));
  CHECK(event_info(event).context == owned.context);
  CHECK_OK(gevt_native(&same, event));
  CHECK(same == native);
  record_past_gevt_is_seen(event, native, real);
  CHECK_OK(gevt_record(event, real.stream));
  CHECK_EQUAL(driver.event_sync(native), 0);
  record_past_gevt_is_seen(event, native, real);
  /* The driver supplies their times, even if the program recorded them. */
  CHECK_EQUAL(driver.event_record(later, real.native), 0);
  CHECK_OK(gevt_sync(end));
  CHECK_OK(gevt_elapsed(&ms, event, end));
  CHECK(ms >= 0);
  /* A destroy while it is pending leaves the event to its owner. */
  gate_close(&gate, real.stream);
  CHECK_OK(gevt_record(event, real.stream));
  CHECK_NOT_READY(gevt_query(event));
  CHECK_OK(gevt_destroy(event));
  CHECK_EQUAL(driver.event_query(native), GEVT_ERROR_NOT_READY);
  gate_open(&gate);
  CHECK_EQUAL(driver.event_sync(native), 0);
  CHECK_EQUAL(driver.event_destroy(native), 0);
  CHECK_OK(gevt_destroy(end));
  CHECK_EQUAL(driver.event_destroy(later), 0);
  pattern_fill(&bad, sizeof bad);
  CHECK_FAILS(gevt_wrap(&bad, owned.context, NULL, 0), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_wrap(&bad, owned.context, same, 8), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_FLAGS);
  CHECK(pattern_intact(&bad, sizeof bad));
  owned_stream_finish(real);
  owned_context_finish(owned);
}

/* A thread in a wait with a timeout, and a callback. */
typedef struct waiter {
  gevt_event_t event;
  int tid;
  gevt_status_t status;
} waiter_t;

static void *waiter_body(void *user) {
  waiter_t *waiter = (waiter_t *)user;
  thread_publish(&waiter->tid);
  waiter->status = gevt_sync_timeout(waiter->event, HANG_LIMIT);
  return NULL;
}

static void note_call(void *user, gevt_status_t status) {
  CHECK_EQUAL(status, GEVT_SUCCESS);
  count_up(user);
}

/* The driver's event knows only its last record; waits keep the record that they saw. */
static void waits_keep_their_record(void) {
  owned_context_t owned = owned_context_make();
  owned_stream_t stream = owned_stream_make(owned), other = owned_stream_make(owned);
  gevt_event_t event = event_in(owned);
  int round;
  for (round = 0; round < 3; round++) {
    gate_t first = GATE_CLOSED, second = GATE_CLOSED;
    waiter_t waiter = {NULL, 0, -1};
    int called = 0;
    pthread_t thread;
    waiter.event = event;
    gate_close(&first, stream.stream);
    CHECK_OK(gevt_record(event, stream.stream));
    CHECK_OK(gevt_on_complete(event, note_call, &called));
    thread = thread_start(waiter_body, &waiter);
    CHECK(thread_await_parked(&waiter.tid));
    gate_close_after(&first, &second, other.stream);
    CHECK_OK(gevt_record(event, other.stream));
    CHECK_EQUAL(count_of(&called), 0);
    gate_open(&first);
    thread_join(thread);
    CHECK_STATUS(waiter.status, GEVT_SUCCESS);
    CHECK(count_await(&called, 1));
    CHECK(!gate_passed(&second));
    CHECK_NOT_READY(gevt_query(event));
    gate_open(&second);
    CHECK_OK(gevt_sync(event));
    CHECK_EQUAL(count_of(&called), 1);
  }
  CHECK_OK(gevt_destroy(event));
  owned_stream_finish(stream);
  owned_stream_finish(other);
  owned_context_finish(owned);
}

/* None of these needs a device, and none may start one. */
static void unbound_events_need_no_context(void) {
  gevt_event_t event = event_new();
  gevt_event_info_t info = event_info(event);
  size_t index = 99;
  int called = 0;
  CHECK(info.context == NULL);
  CHECK_OK(gevt_query(event));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_sync_timeout(event, 0));
  CHECK_OK(gevt_sync_all(&event, 1, GEVT_TIMEOUT_INFINITE));
  CHECK_OK(gevt_sync_any(&index, &event, 1, GEVT_TIMEOUT_INFINITE));
  CHECK_OK(gevt_on_complete(event, note_call, &called));
  CHECK(count_await(&called, 1));
  CHECK_OK(gevt_set_name(event, "unbound"));
  CHECK_OK(gevt_destroy(event));
  CHECK(current_native() == NULL);
}

int main(int argc, char **argv) {
  owned_begin(argc, argv);
  RUN_WITHOUT_PRIMARY(unbound_events_need_no_context);
  RUN_WITHOUT_PRIMARY(contexts);
  RUN_WITHOUT_PRIMARY(streams);
  RUN_WITHOUT_PRIMARY(default_streams_are_of_their_context);
  RUN_WITHOUT_PRIMARY(of_another_context);
  RUN_WITHOUT_PRIMARY(natives_given_out);
  RUN_WITHOUT_PRIMARY(natives_given_out_during_the_first_record);
  RUN_WITHOUT_PRIMARY(events);
  RUN_WITHOUT_PRIMARY(waits_keep_their_record);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
