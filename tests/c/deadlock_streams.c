/* Host functions that wait for each other through streams: the one whose wait would close the circle is refused with ILLEGAL_STATE /
   WOULD_DEADLOCK, and no other. One place for functions is enough for all that may wait.
   usage: deadlock_streams [host|cuda] */
#include "objects.h"

enum { MOST = 100 };

/* A function that waits for an event once its gate is open, and keeps what came of it. */
typedef struct waiter {
  gevt_stream_t stream;
  gevt_event_t awaited;
  uint64_t timeout;
  gate_t go;
  int tid, done;
  gevt_status_t status;
  gevt_detail_t detail;
} waiter_t;

static void waiter_run(void *user) {
  waiter_t *waiter = (waiter_t *)user;
  gate_pass(&waiter->go);
  thread_publish(&waiter->tid);
  waiter->status = waiter->timeout ? gevt_sync_timeout(waiter->awaited, waiter->timeout) : gevt_sync(waiter->awaited);
  waiter->detail = waiter->status == GEVT_SUCCESS ? GEVT_DETAIL_NONE : gevt_last_detail();
  count_up(&waiter->done);
}

/* Its function is inside the gate when this returns: what the stream is given now stands behind it. */
static void waiter_begin(waiter_t *waiter) {
  const gate_t closed = GATE_CLOSED;
  memset(waiter, 0, sizeof *waiter);
  waiter->go = closed;
  waiter->stream = stream_new();
  CHECK_OK(gevt_stream_launch(waiter->stream, waiter_run, waiter));
  gate_await_entry(&waiter->go);
}

static void waiter_go(waiter_t *waiter, gevt_event_t awaited) {
  waiter->awaited = awaited;
  gate_open(&waiter->go);
}

static int waiter_was_refused(waiter_t *waiter) {
  return CHECK(count_await(&waiter->done, 1)) && CHECK_EQUAL(waiter->status, GEVT_ERROR_ILLEGAL_STATE) &&
         CHECK_EQUAL(waiter->detail, GEVT_DETAIL_WOULD_DEADLOCK);
}

static int waiter_was_let_through(waiter_t *waiter) {
  return CHECK(count_await(&waiter->done, 1)) && CHECK_EQUAL(waiter->status, GEVT_SUCCESS);
}

static gevt_event_t recorded_on(gevt_stream_t stream) {
  gevt_event_t event = event_new();
  CHECK_OK(gevt_record(event, stream));
  return event;
}

/* The function's stream, then `count` streams of which each waits for the one before it: the function waits for the last. */
static void through(int count) {
  gevt_stream_t streams[MOST];
  gevt_event_t events[MOST + 1];
  waiter_t waiter;
  int i;
  waiter_begin(&waiter);
  events[0] = recorded_on(waiter.stream);
  for (i = 0; i < count; i++) {
    streams[i] = stream_new();
    CHECK_OK(gevt_stream_wait(streams[i], events[i], GEVT_WAIT_DEFAULT));
    events[i + 1] = recorded_on(streams[i]);
  }
  waiter_go(&waiter, events[count]);
  if (!waiter_was_refused(&waiter)) printf("    through %d streams\n", count);
  CHECK_OK(gevt_sync(events[count]));
  for (i = 0; i < count; i++) stream_finish(streams[i]);
  for (i = 0; i <= count; i++) CHECK_OK(gevt_destroy(events[i]));
  stream_finish(waiter.stream);
}

static void a_chain_of_streams_is_followed(void) {
  through(0);
  through(1);
  through(2);
  through(3);
  through(MOST);
}

/* Functions of which each waits for the next one's stream: the last one, which waits for the first, is told. */
static void around(int count, uint64_t timeout) {
  waiter_t waiters[MOST];
  gevt_event_t events[MOST];
  int i;
  for (i = 0; i < count; i++) {
    waiter_begin(&waiters[i]);
    events[i] = recorded_on(waiters[i].stream);
  }
  waiters[count - 1].timeout = timeout;
  for (i = 0; i < count; i++) {
    waiter_go(&waiters[i], events[(i + 1) % count]);
    /* Each is asleep in gevt before the next one waits. */
    if (i < count - 1) CHECK(thread_await_parked(&waiters[i].tid));
    /* Under valgrind a thread that waits for its turn sleeps, too. */
    if (subject_tool()) sleep_ns(200 * MILLISECOND);
  }
  for (i = 0; i < count; i++) CHECK(count_await(&waiters[i].done, 1));
  {
    int refused = 0, fine = 0;
    for (i = 0; i < count; i++) {
      refused += waiters[i].detail == GEVT_DETAIL_WOULD_DEADLOCK;
      fine += waiters[i].status == GEVT_SUCCESS;
    }
    CHECK_EQUAL(refused, 1);
    CHECK_EQUAL(fine, count - 1);
  }
  for (i = 0; i < count; i++) {
    stream_finish(waiters[i].stream);
    CHECK_OK(gevt_destroy(events[i]));
  }
}

static void of_functions_in_a_circle_one_is_refused(void) {
  around(2, 0);
  around(3, 0);
  around(2, HANG_LIMIT);
  around(MOST, 0);
}

/* A function that waits with a timeout goes on some day: nobody is refused because of it. */
static void a_wait_with_a_timeout_closes_no_circle(void) {
  waiter_t patient, other;
  gevt_event_t behind_patient, behind_other;
  waiter_begin(&patient);
  waiter_begin(&other);
  behind_patient = recorded_on(patient.stream);
  behind_other = recorded_on(other.stream);
  patient.timeout = 50 * MILLISECOND;
  waiter_go(&patient, behind_other);
  CHECK(thread_await_parked(&patient.tid));
  waiter_go(&other, behind_patient);
  waiter_was_let_through(&other);
  CHECK(count_await(&patient.done, 1));
  CHECK_EQUAL(patient.status, GEVT_ERROR_TIMEOUT);
  stream_finish(patient.stream);
  stream_finish(other.stream);
  CHECK_OK(gevt_destroy(behind_patient));
  CHECK_OK(gevt_destroy(behind_other));
}

/* Streams that meet again behind another function, and what the own stream was given after the event: no circle. */
static void a_diamond_is_no_circle(void) {
  waiter_t waiter;
  gate_t gate = GATE_CLOSED;
  gevt_stream_t source = stream_new(), left = stream_new(), right = stream_new(), last = stream_new();
  gevt_event_t top, sides[2], bottom, later;
  waiter_begin(&waiter);
  gate_close(&gate, source);
  top = recorded_on(source);
  CHECK_OK(gevt_stream_wait(left, top, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_stream_wait(right, top, GEVT_WAIT_DEFAULT));
  sides[0] = recorded_on(left);
  sides[1] = recorded_on(right);
  CHECK_OK(gevt_stream_wait(last, sides[0], GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_stream_wait(last, sides[1], GEVT_WAIT_DEFAULT));
  bottom = recorded_on(last);
  /* Behind the event, and so no part of what it waits for. */
  later = recorded_on(waiter.stream);
  CHECK_OK(gevt_stream_wait(last, later, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_stream_wait(source, later, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_stream_wait(waiter.stream, bottom, GEVT_WAIT_DEFAULT));
  waiter_go(&waiter, bottom);
  CHECK(thread_await_parked(&waiter.tid));
  gate_open(&gate);
  waiter_was_let_through(&waiter);
  stream_finish(waiter.stream);
  stream_finish(source);
  stream_finish(left);
  stream_finish(right);
  stream_finish(last);
  CHECK_OK(gevt_destroy(top));
  CHECK_OK(gevt_destroy(sides[0]));
  CHECK_OK(gevt_destroy(sides[1]));
  CHECK_OK(gevt_destroy(bottom));
  CHECK_OK(gevt_destroy(later));
}

/* Every form of waiting. */
typedef struct forms {
  gevt_stream_t other;
  gevt_event_t events[2];
  gevt_event_t shared;
  gate_t go;
  int done;
} forms_t;

#define REFUSED(call) CHECK_FAILS(call, GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_WOULD_DEADLOCK)

static void forms_run(void *user) {
  forms_t *forms = (forms_t *)user;
  size_t index = 99;
  gate_pass(&forms->go);
  REFUSED(gevt_sync(forms->events[1]));
  REFUSED(gevt_sync_timeout(forms->events[1], HANG_LIMIT));
  REFUSED(gevt_sync_all(forms->events, 2, GEVT_TIMEOUT_INFINITE));
  REFUSED(gevt_sync_any(&index, forms->events + 1, 1, GEVT_TIMEOUT_INFINITE));
  REFUSED(gevt_sync_any(&index, forms->events, 2, GEVT_TIMEOUT_INFINITE));
  REFUSED(gevt_stream_sync(forms->other));
  REFUSED(gevt_stream_sync_timeout(forms->other, HANG_LIMIT));
  REFUSED(gevt_context_sync(subject_context));
  REFUSED(gevt_context_sync_timeout(subject_context, HANG_LIMIT));
  REFUSED(gevt_sync(forms->shared));
  CHECK_FAILS(gevt_sync_timeout(forms->events[1], 0), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  CHECK_NOT_READY(gevt_query(forms->events[1]));
  count_up(&forms->done);
}

static void every_form_of_waiting_is_refused(void) {
  gevt_stream_t stream = stream_new();
  const gate_t closed = GATE_CLOSED;
  forms_t forms;
  memset(&forms, 0, sizeof forms);
  forms.go = closed;
  forms.other = stream_new();
  CHECK_OK(gevt_stream_launch(stream, forms_run, &forms));
  gate_await_entry(&forms.go);
  forms.events[0] = recorded_on(stream);
  CHECK_OK(gevt_stream_wait(forms.other, forms.events[0], GEVT_WAIT_DEFAULT));
  forms.events[1] = recorded_on(forms.other);
  forms.shared = event_with(GEVT_EVENT_DISABLE_TIMING | GEVT_EVENT_INTERPROCESS);
  CHECK_OK(gevt_record(forms.shared, forms.other));
  gate_open(&forms.go);
  stream_finish(stream);
  stream_finish(forms.other);
  CHECK_EQUAL(forms.done, 1);
  CHECK_OK(gevt_destroy(forms.events[0]));
  CHECK_OK(gevt_destroy(forms.events[1]));
  CHECK_OK(gevt_destroy(forms.shared));
}

/* A hundred functions deep, each launches the next and waits for it, with one place. */
typedef struct level {
  gevt_stream_t stream;
  struct level *next;
  int done;
} level_t;

static void descend(void *user) {
  level_t *level = (level_t *)user;
  if (level->next) {
    gevt_event_t event = event_new();
    CHECK_OK(gevt_stream_launch(level->next->stream, descend, level->next));
    CHECK_OK(gevt_record(event, level->next->stream));
    CHECK_OK(gevt_sync(event));
    CHECK_EQUAL(count_of(&level->next->done), 1);
    CHECK_OK(gevt_destroy(event));
  }
  count_up(&level->done);
}

static void nested_waits_need_one_place(void) {
  static level_t levels[MOST];
  int i;
  CHECK_OK(gevt_host_set_threads(1));
  for (i = 0; i < MOST; i++) {
    levels[i].stream = stream_new();
    levels[i].next = i + 1 < MOST ? &levels[i + 1] : NULL;
  }
  CHECK_OK(gevt_stream_launch(levels[0].stream, descend, &levels[0]));
  for (i = 0; i < MOST; i++) stream_finish(levels[i].stream);
  CHECK_EQUAL(levels[0].done, 1);
  CHECK_OK(gevt_host_set_threads(0));
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN_ON_HOST(a_chain_of_streams_is_followed);
  RUN_ON_HOST(of_functions_in_a_circle_one_is_refused);
  RUN_ON_HOST(a_wait_with_a_timeout_closes_no_circle);
  RUN_ON_HOST(a_diamond_is_no_circle);
  RUN_ON_HOST(every_form_of_waiting_is_refused);
  RUN_ON_HOST(nested_waits_need_one_place);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
