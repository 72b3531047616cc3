/* A function of a stream that waits for what comes only after it, through streams of other backends: refused with ILLEGAL_STATE /
   WOULD_DEADLOCK, as within a backend. Functions of CUDA streams are not seen, as they run on the driver's threads.
   usage: deadlock_across [host|cuda|vulkan]     on cuda and vulkan: that backend, and the others */
#include "backends.h"

/* A function, a stream of another backend that waits for it, and one of its own backend that waits for that. */
typedef struct circle {
  gevt_context_t context;
  gevt_stream_t own, through, back;
  gevt_event_t own_end, through_end, back_end, held;
  gate_t go;
  int done;
} circle_t;

#define REFUSED(call) CHECK_FAILS(call, GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_WOULD_DEADLOCK)

static void wait_in_circle(void *user) {
  circle_t *circle = (circle_t *)user;
  gevt_event_t both[2];
  size_t index = 9;
  gate_pass(&circle->go);
  both[0] = circle->held;
  both[1] = circle->through_end;
  REFUSED(gevt_sync(circle->through_end));
  REFUSED(gevt_sync(circle->back_end));
  REFUSED(gevt_sync_timeout(circle->through_end, GEVT_TIMEOUT_INFINITE));
  REFUSED(gevt_sync_timeout(circle->back_end, (uint64_t)SECOND));
  REFUSED(gevt_sync_working(circle->through_end, GEVT_TIMEOUT_INFINITE));
  REFUSED(gevt_sync_all(both, 2, GEVT_TIMEOUT_INFINITE));
  /* The signal may still come. */
  CHECK_FAILS(gevt_sync_any(&index, both, 2, MILLISECOND), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  both[0] = circle->back_end;
  REFUSED(gevt_sync_any(&index, both, 2, GEVT_TIMEOUT_INFINITE));
  CHECK_EQUAL(index, 9);
  REFUSED(gevt_stream_sync(circle->through));
  REFUSED(gevt_stream_sync(circle->back));
  REFUSED(gevt_context_sync(circle->context));
  /* A poll does not wait, and nothing is known of who signals. */
  CHECK_FAILS(gevt_sync_timeout(circle->through_end, 0), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  CHECK_NOT_READY(gevt_query(circle->through_end));
  CHECK_FAILS(gevt_sync_timeout(circle->held, MILLISECOND), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  count_up(&circle->done);
}

static gevt_event_t recorded_behind(gevt_stream_t stream, gevt_event_t awaited) {
  gevt_event_t event = event_with(GEVT_EVENT_DISABLE_TIMING);
  if (awaited) CHECK_OK(gevt_stream_wait(stream, awaited, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(event, stream));
  return event;
}

static void a_circle(const backend_t *own, const backend_t *other) {
  const gate_t closed = GATE_CLOSED;
  circle_t circle;
  if (own->number == GEVT_BACKEND_CUDA) return;
  memset(&circle, 0, sizeof circle);
  circle.go = closed;
  circle.context = other->context;
  circle.held = event_with(GEVT_EVENT_HOST_SIGNALED);
  circle.own = on(own);
  circle.through = on(other);
  circle.back = on(own);
  CHECK_OK(gevt_stream_launch(circle.own, wait_in_circle, &circle));
  circle.own_end = recorded_behind(circle.own, NULL);
  circle.through_end = recorded_behind(circle.through, circle.own_end);
  circle.back_end = recorded_behind(circle.back, circle.through_end);
  gate_open(&circle.go);
  CHECK(count_await(&circle.done, 1));
  /* The refusals do no harm. */
  CHECK_OK(gevt_sync(circle.back_end));
  CHECK_OK(gevt_destroy(circle.own_end));
  CHECK_OK(gevt_destroy(circle.through_end));
  CHECK_OK(gevt_destroy(circle.back_end));
  CHECK_OK(gevt_destroy(circle.held));
  stream_finish(circle.own);
  stream_finish(circle.through);
  stream_finish(circle.back);
}

static void a_function_waits_for_itself(void) {
  for_each_pair(a_circle);
}

/* A function that waits for an event. */
typedef struct waiter {
  gevt_stream_t stream;
  gevt_event_t awaited, end;
  gate_t go;
  int done;
  gevt_status_t status;
} waiter_t;

static void wait_for_other(void *user) {
  waiter_t *waiter = (waiter_t *)user;
  gate_pass(&waiter->go);
  waiter->status = gevt_sync(waiter->awaited);
  count_up(&waiter->done);
}

/* Each waits for what stands behind the other, through a stream of the host: one of them is refused, and the other goes on. */
static void two_functions(const backend_t *one, const backend_t *other) {
  const gate_t closed = GATE_CLOSED;
  const backend_t *places[2];
  waiter_t waiters[2];
  gevt_stream_t between[2];
  int i;
  places[0] = one;
  places[1] = other;
  if (one->number == GEVT_BACKEND_CUDA || other->number == GEVT_BACKEND_CUDA) return;
  memset(waiters, 0, sizeof waiters);
  for (i = 0; i < 2; i++) {
    waiters[i].go = closed;
    waiters[i].stream = on(places[i]);
    CHECK_OK(gevt_stream_launch(waiters[i].stream, wait_for_other, &waiters[i]));
    waiters[i].end = recorded_behind(waiters[i].stream, NULL);
  }
  for (i = 0; i < 2; i++) {
    between[i] = on(&backends[0]);
    waiters[1 - i].awaited = recorded_behind(between[i], waiters[i].end);
  }
  gate_open(&waiters[0].go);
  gate_open(&waiters[1].go);
  for (i = 0; i < 2; i++) CHECK(count_await(&waiters[i].done, 1));
  CHECK_EQUAL((waiters[0].status == GEVT_ERROR_ILLEGAL_STATE) + (waiters[1].status == GEVT_ERROR_ILLEGAL_STATE), 1);
  CHECK_EQUAL((waiters[0].status == GEVT_SUCCESS) + (waiters[1].status == GEVT_SUCCESS), 1);
  for (i = 0; i < 2; i++) {
    CHECK_OK(gevt_sync(waiters[i].end));
    CHECK_OK(gevt_sync(waiters[i].awaited));
    CHECK_OK(gevt_destroy(waiters[i].end));
    CHECK_OK(gevt_destroy(waiters[i].awaited));
    stream_finish(waiters[i].stream);
    stream_finish(between[i]);
  }
}

static void functions_wait_for_each_other(void) {
  for_each_pair(two_functions);
}

/* A function may wait for other backends' streams that do not wait for it, and for gates that the program opens. */
typedef struct fair {
  gevt_event_t awaited, held;
  int began;
  gevt_status_t status;
} fair_t;

static void wait_fairly(void *user) {
  fair_t *fair = (fair_t *)user;
  count_up(&fair->began);
  fair->status = gevt_sync(fair->awaited);
}

static void a_fair_wait(const backend_t *own, const backend_t *other) {
  gevt_stream_t stream = on(own), through = on(other);
  fair_t fair;
  if (own->number != GEVT_BACKEND_CUDA) {
    memset(&fair, 0, sizeof fair);
    fair.held = event_with(GEVT_EVENT_HOST_SIGNALED);
    fair.awaited = recorded_behind(through, fair.held);
    CHECK_OK(gevt_stream_launch(stream, wait_fairly, &fair));
    CHECK(count_await(&fair.began, 1));
    CHECK_OK(gevt_signal(fair.held, GEVT_SUCCESS));
    CHECK_OK(gevt_stream_sync(stream));
    CHECK_EQUAL(fair.status, GEVT_SUCCESS);
    CHECK_OK(gevt_destroy(fair.held));
    CHECK_OK(gevt_destroy(fair.awaited));
  }
  stream_finish(stream);
  stream_finish(through);
}

static void others_are_waited_for(void) {
  for_each_pair(a_fair_wait);
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  backends_open();
  RUN(a_function_waits_for_itself);
  RUN(functions_wait_for_each_other);
  RUN(others_are_waited_for);
  backends_close();
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
