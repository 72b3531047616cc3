/* Waiting on the host: sync and its timeout form, parked threads, and events destroyed or recorded again meanwhile. */
#include "pending.h"

/* One thread in gevt_sync, and what it saw when it came back. */
typedef struct waiter {
  pthread_t thread;
  gevt_event_t event;
  uint64_t timeout_ns;
  gate_t *gate;
  int tid;
  int returned;
  int saw_passage;
  gevt_status_t status;
} waiter_t;

static void *waiter_body(void *user) {
  waiter_t *waiter = (waiter_t *)user;
  thread_publish(&waiter->tid);
  waiter->status =
      waiter->timeout_ns == 0 ? gevt_sync(waiter->event) : gevt_sync_timeout(waiter->event, waiter->timeout_ns);
  waiter->saw_passage = gate_passed(waiter->gate);
  __atomic_store_n(&waiter->returned, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

/* Returns when the thread waits inside gevt. A CUDA event without BLOCKING_SYNC may spin, so only the host must park. */
static void waiter_start(waiter_t *waiter, gevt_event_t event, uint64_t timeout_ns, gate_t *gate) {
  memset(waiter, 0, sizeof *waiter);
  waiter->event = event;
  waiter->timeout_ns = timeout_ns;
  waiter->gate = gate;
  waiter->thread = thread_start(waiter_body, waiter);
  CHECK(subject_is_host() ? thread_await_parked(&waiter->tid) : thread_await_inside(&waiter->tid, waiter->thread));
  CHECK(!__atomic_load_n(&waiter->returned, __ATOMIC_SEQ_CST));
}

static void waiter_finish(waiter_t *waiter) {
  thread_join(waiter->thread);
  CHECK_STATUS(waiter->status, GEVT_SUCCESS);
  CHECK(waiter->saw_passage);
}

static void waits_until_done(uint32_t flags, uint64_t timeout_ns) {
  gate_t gate = GATE_CLOSED;
  gevt_stream_t stream = stream_new();
  gevt_event_t event = event_with(flags);
  waiter_t waiter;
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(event, stream));
  waiter_start(&waiter, event, timeout_ns, &gate);
  gate_open(&gate);
  waiter_finish(&waiter);
  CHECK_OK(gevt_query(event));
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
}

static void sync_waits(void) {
  uint32_t flags;
  for (flags = 0; flags < 4; flags++) waits_until_done(flags, 0);
}

/* The longest timeouts must not wrap round to the past. */
static void long_timeouts(void) {
  static const uint64_t timeouts[] = {
      GEVT_TIMEOUT_INFINITE, GEVT_TIMEOUT_INFINITE - 1, INT64_MAX, (uint64_t)INT64_MAX + 1, 3600ull * SECOND,
  };
  size_t i;
  for (i = 0; i < sizeof timeouts / sizeof *timeouts; i++) waits_until_done(GEVT_EVENT_DEFAULT, timeouts[i]);
}

static void finished_returns_at_once(void) {
  gevt_stream_t stream = stream_new();
  gevt_event_t event = event_new();
  int i;
  for (i = 0; i < 2; i++) {
    CHECK_OK(gevt_sync(event));
    CHECK_OK(gevt_sync_timeout(event, 0));
    CHECK_OK(gevt_sync_timeout(event, 1));
    CHECK_OK(gevt_sync_timeout(event, GEVT_TIMEOUT_INFINITE));
    CHECK_OK(gevt_record(event, stream));
    CHECK_OK(gevt_sync(event));
  }
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
}

static void timeout_runs_out(void) {
  static const uint64_t timeouts[] = {0, 1, 1000, 20 * MILLISECOND, 150 * MILLISECOND};
  gate_t gate = GATE_CLOSED;
  gevt_stream_t stream = stream_new();
  gevt_event_t event = event_new();
  size_t i;
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(event, stream));
  for (i = 0; i < sizeof timeouts / sizeof *timeouts; i++) {
    long long start = now_ns(), took;
    CHECK_FAILS(gevt_sync_timeout(event, timeouts[i]), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
    took = now_ns() - start;
    CHECK(took >= (long long)timeouts[i]);
    CHECK(took < HANG_LIMIT);
  }
  CHECK_NOT_READY(gevt_query(event));
  gate_open(&gate);
  CHECK_OK(gevt_sync_timeout(event, HANG_LIMIT));
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
}

/* Two threads inside keep the event's resources: they return SUCCESS, though every new call is refused. */
static void destroyed_meanwhile(void) {
  gate_t gate = GATE_CLOSED;
  gevt_stream_t stream = stream_new();
  gevt_event_t event = event_new();
  waiter_t first, second, third;
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(event, stream));
  waiter_start(&first, event, 0, &gate);
  waiter_start(&second, event, 0, &gate);
  waiter_start(&third, event, HANG_LIMIT, &gate);
  CHECK_OK(gevt_destroy(event));
  CHECK_FAILS(gevt_sync(event), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  CHECK_FAILS(gevt_sync_timeout(event, 0), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  CHECK(!__atomic_load_n(&first.returned, __ATOMIC_SEQ_CST));
  CHECK(!__atomic_load_n(&second.returned, __ATOMIC_SEQ_CST));
  CHECK(!__atomic_load_n(&third.returned, __ATOMIC_SEQ_CST));
  gate_open(&gate);
  waiter_finish(&first);
  waiter_finish(&second);
  waiter_finish(&third);
  stream_finish(stream);
}

/* A sync waits for the record that it saw, not for a later one. */
static void rerecorded_meanwhile(void) {
  gate_t first = GATE_CLOSED, second = GATE_CLOSED;
  gevt_stream_t stream = stream_new(), other = stream_new();
  gevt_event_t event = event_new();
  waiter_t waiter;
  gate_close(&first, stream);
  CHECK_OK(gevt_record(event, stream));
  waiter_start(&waiter, event, 0, &first);
  gate_close_after(&first, &second, other);
  CHECK_OK(gevt_record(event, other));
  gate_open(&first);
  waiter_finish(&waiter);
  CHECK(!gate_passed(&second));
  CHECK_NOT_READY(gevt_query(event));
  gate_open(&second);
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
  stream_finish(other);
}

static void many_threads_wake(void) {
  enum { COUNT = 16 };
  gate_t gate = GATE_CLOSED;
  gevt_stream_t stream = stream_new();
  gevt_event_t event = event_new();
  waiter_t waiters[COUNT];
  int i;
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(event, stream));
  for (i = 0; i < COUNT; i++) waiter_start(&waiters[i], event, i % 2 ? HANG_LIMIT : 0, &gate);
  gate_open(&gate);
  for (i = 0; i < COUNT; i++) waiter_finish(&waiters[i]);
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
}

/* Threads that wait for one event and threads whose events differ must not take each other's wakes. */
static void each_wakes_for_its_own(void) {
  enum { COUNT = 8 };
  static const int backwards[COUNT] = {7, 6, 5, 4, 3, 2, 1, 0};
  pending_t pending;
  waiter_t waiters[COUNT];
  int i;
  pending_make(&pending, COUNT, backwards);
  for (i = 0; i < COUNT; i++) waiter_start(&waiters[i], pending.events[i], 0, &pending.gates[i]);
  for (i = COUNT - 1; i >= 0; i--) {
    gate_open(&pending.gates[i]);
    waiter_finish(&waiters[i]);
    if (i > 0) CHECK(!__atomic_load_n(&waiters[i - 1].returned, __ATOMIC_SEQ_CST));
  }
  pending_finish(&pending);
}

/* No wake is lost in the short time between the look at the event and the parking. */
static void no_lost_wake(void) {
  gevt_stream_t stream = stream_new();
  gevt_event_t event = event_new();
  int counter = 0, i;
  for (i = 1; i <= 20000; i++) {
    CHECK_OK(gevt_stream_launch(stream, count_up, &counter));
    CHECK_OK(gevt_record(event, stream));
    CHECK_OK(gevt_sync(event));
    if (!CHECK_EQUAL(count_of(&counter), i)) break;
  }
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN(finished_returns_at_once);
  RUN(sync_waits);
  RUN(long_timeouts);
  RUN(timeout_runs_out);
  RUN(destroyed_meanwhile);
  RUN(rerecorded_meanwhile);
  RUN(many_threads_wake);
  RUN(each_wakes_for_its_own);
  RUN(no_lost_wake);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
