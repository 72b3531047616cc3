/* Waiting for several events: sync_all and sync_any. */
#include "pending.h"

enum { COUNT = 4 };

static void of_none(void) {
  gevt_event_t event = NULL;
  size_t index;
  pattern_fill(&index, sizeof index);
  CHECK_OK(gevt_sync_all(&event, 0, 0));
  CHECK_OK(gevt_sync_all(NULL, 0, GEVT_TIMEOUT_INFINITE));
  CHECK_FAILS(gevt_sync_any(&index, &event, 0, 0), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_ARGUMENT);
  CHECK_FAILS(gevt_sync_any(&index, &event, 0, GEVT_TIMEOUT_INFINITE), GEVT_ERROR_INVALID_VALUE,
              GEVT_DETAIL_BAD_ARGUMENT);
  CHECK(pattern_intact(&index, sizeof index));
}

static void null_pointers(void) {
  gevt_event_t event = event_new();
  size_t index;
  pattern_fill(&index, sizeof index);
  CHECK_FAILS(gevt_sync_all(NULL, 1, 0), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_sync_any(&index, NULL, 1, 0), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_sync_any(NULL, &event, 1, 0), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK(pattern_intact(&index, sizeof index));
  CHECK_OK(gevt_destroy(event));
}

/* As every other pointer, the array's need not be aligned: programs that pack their structures pass such ones. */
static void arrays_that_are_not_aligned(void) {
  gevt_event_t events[2];
  char packed[1 + sizeof events];
  gevt_event_t *array = (gevt_event_t *)(void *)(packed + ((uintptr_t)packed % sizeof *events == 0));
  size_t index = 99;
  events[0] = event_new();
  events[1] = event_new();
  memcpy((void *)array, events, sizeof events);
  CHECK_OK(gevt_sync_all(array, 2, GEVT_TIMEOUT_INFINITE));
  CHECK_OK(gevt_sync_any(&index, array, 2, GEVT_TIMEOUT_INFINITE));
  CHECK_EQUAL(index, 0);
  CHECK_OK(gevt_destroy(events[1]));
  CHECK_FAILS(gevt_sync_all(array, 2, 0), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  CHECK_FAILS(gevt_sync_all(array, SIZE_MAX, 0), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_ARGUMENT);
  CHECK_OK(gevt_destroy(events[0]));
}

/* A bad handle anywhere is refused at once: with the gates closed and no timeout, waiting first would be for ever. */
static void bad_handles(void) {
  pending_t pending;
  gevt_event_t stale = event_stale();
  size_t index, place;
  pending_make(&pending, COUNT, NULL);
  pattern_fill(&index, sizeof index);
  for (place = 0; place < COUNT; place++) {
    gevt_event_t events[COUNT];
    memcpy(events, pending.events, sizeof events);
    events[place] = NULL;
    CHECK_FAILS(gevt_sync_all(events, COUNT, GEVT_TIMEOUT_INFINITE), GEVT_ERROR_INVALID_HANDLE,
                GEVT_DETAIL_NULL_HANDLE);
    CHECK_FAILS(gevt_sync_any(&index, events, COUNT, GEVT_TIMEOUT_INFINITE), GEVT_ERROR_INVALID_HANDLE,
                GEVT_DETAIL_NULL_HANDLE);
    events[place] = stale;
    CHECK_FAILS(gevt_sync_all(events, COUNT, GEVT_TIMEOUT_INFINITE), GEVT_ERROR_INVALID_HANDLE,
                GEVT_DETAIL_STALE_HANDLE);
    CHECK_FAILS(gevt_sync_any(&index, events, COUNT, GEVT_TIMEOUT_INFINITE), GEVT_ERROR_INVALID_HANDLE,
                GEVT_DETAIL_STALE_HANDLE);
    events[place] = (gevt_event_t)pending.streams[0];
    CHECK_FAILS(gevt_sync_all(events, COUNT, GEVT_TIMEOUT_INFINITE), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_WRONG_KIND);
    CHECK_FAILS(gevt_sync_any(&index, events, COUNT, GEVT_TIMEOUT_INFINITE), GEVT_ERROR_INVALID_HANDLE,
                GEVT_DETAIL_WRONG_KIND);
  }
  CHECK(pattern_intact(&index, sizeof index));
  pending_finish(&pending);
}

static void finished_and_unrecorded(void) {
  gevt_stream_t stream = stream_new();
  gevt_event_t events[3];
  size_t index = 99;
  int i;
  for (i = 0; i < 3; i++) events[i] = event_new();
  CHECK_OK(gevt_record(events[1], stream));
  CHECK_OK(gevt_sync(events[1]));
  CHECK_OK(gevt_sync_all(events, 3, 0));
  CHECK_OK(gevt_sync_all(events, 3, GEVT_TIMEOUT_INFINITE));
  /* The first completed one. */
  CHECK_OK(gevt_sync_any(&index, events, 3, 0));
  CHECK_EQUAL(index, 0);
  CHECK_OK(gevt_sync_any(&index, events, 1, GEVT_TIMEOUT_INFINITE));
  CHECK_EQUAL(index, 0);
  for (i = 0; i < 3; i++) CHECK_OK(gevt_destroy(events[i]));
  stream_finish(stream);
}

/* Duplicates are allowed, and the array is left as it was. */
static void the_same_twice(void) {
  static const int order[COUNT] = {1, 0, 2, 3};
  pending_t pending;
  gevt_event_t events[5], copy[5];
  size_t index = 99;
  pending_make(&pending, COUNT, order);
  events[0] = events[1] = events[3] = pending.events[0];
  events[2] = events[4] = pending.events[1];
  memcpy(copy, events, sizeof copy);
  CHECK_FAILS(gevt_sync_all(events, 5, 0), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  gate_open(&pending.gates[1]);
  CHECK_OK(gevt_sync_any(&index, events, 5, GEVT_TIMEOUT_INFINITE));
  CHECK_EQUAL(index, 2);
  gate_open(&pending.gates[0]);
  CHECK_OK(gevt_sync_all(events, 5, GEVT_TIMEOUT_INFINITE));
  CHECK(memcmp(copy, events, sizeof copy) == 0);
  pending_finish(&pending);
}

static void timeouts(void) {
  static const uint64_t lengths[] = {0, 1, 30 * MILLISECOND};
  pending_t pending;
  size_t index, i;
  pending_make(&pending, COUNT, NULL);
  pattern_fill(&index, sizeof index);
  for (i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    long long start = now_ns();
    CHECK_FAILS(gevt_sync_all(pending.events, COUNT, lengths[i]), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
    CHECK(now_ns() - start >= (long long)lengths[i]);
    start = now_ns();
    CHECK_FAILS(gevt_sync_any(&index, pending.events, COUNT, lengths[i]), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
    CHECK(now_ns() - start >= (long long)lengths[i]);
  }
  CHECK(pattern_intact(&index, sizeof index));
  pending_finish(&pending);
}

/* One timeout for all together, not one for each: 1,000 pending events and a second each would be half an hour. */
static void timeout_is_for_all_together(void) {
  enum { MANY = 1000 };
  gate_t gate = GATE_CLOSED;
  gevt_stream_t stream = stream_new();
  gevt_event_t events[MANY];
  long long start, took;
  size_t index;
  int i;
  /* Recorded before anything is pending: the driver creates its events then, and creating many may wait for the device. */
  for (i = 0; i < MANY; i++) {
    events[i] = event_new();
    CHECK_OK(gevt_record(events[i], stream));
  }
  CHECK_OK(gevt_stream_sync(stream));
  gate_close(&gate, stream);
  for (i = 0; i < MANY; i++) CHECK_OK(gevt_record(events[i], stream));
  start = now_ns();
  CHECK_STATUS(gevt_sync_all(events, MANY, SECOND), GEVT_ERROR_TIMEOUT);
  CHECK_STATUS(gevt_sync_any(&index, events, MANY, SECOND), GEVT_ERROR_TIMEOUT);
  took = now_ns() - start;
  CHECK(took >= 2 * SECOND);
  CHECK(took < HANG_LIMIT);
  gate_open(&gate);
  CHECK_OK(gevt_sync_all(events, MANY, GEVT_TIMEOUT_INFINITE));
  for (i = 0; i < MANY; i++) CHECK_OK(gevt_destroy(events[i]));
  stream_finish(stream);
}

/* A thread inside sync_all or sync_any. */
typedef struct waiter {
  pending_t *pending;
  int all;
  int tid;
  int returned;
  gevt_status_t status;
  size_t index;
} waiter_t;

static void *waiter_body(void *user) {
  waiter_t *waiter = (waiter_t *)user;
  thread_publish(&waiter->tid);
  if (waiter->all)
    waiter->status = gevt_sync_all(waiter->pending->events, COUNT, GEVT_TIMEOUT_INFINITE);
  else
    waiter->status = gevt_sync_any(&waiter->index, waiter->pending->events, COUNT, GEVT_TIMEOUT_INFINITE);
  __atomic_store_n(&waiter->returned, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

/* Returns when the thread waits inside gevt. A CUDA event without BLOCKING_SYNC may spin, so only the host must park. */
static pthread_t waiter_start(waiter_t *waiter) {
  pthread_t thread = thread_start(waiter_body, waiter);
  CHECK(subject_is_host() ? thread_await_parked(&waiter->tid) : thread_await_inside(&waiter->tid, thread));
  CHECK(!__atomic_load_n(&waiter->returned, __ATOMIC_SEQ_CST));
  return thread;
}

/* All numbers, from `first` on and round. */
static void order_from(int first, int *order) {
  int i;
  for (i = 0; i < COUNT; i++) order[i] = (first + i) % COUNT;
}

static void any_wakes_for_each(void) {
  int which;
  for (which = 0; which < COUNT; which++) {
    pending_t pending;
    int order[COUNT];
    waiter_t waiter = {NULL, 0, 0, 0, -1, 99};
    pthread_t thread;
    order_from(which, order);
    pending_make(&pending, COUNT, order);
    waiter.pending = &pending;
    thread = waiter_start(&waiter);
    gate_open(&pending.gates[which]);
    thread_join(thread);
    CHECK_STATUS(waiter.status, GEVT_SUCCESS);
    CHECK_EQUAL(waiter.index, which);
    pending_finish(&pending);
  }
}

static void all_waits_for_each(void) {
  int last;
  for (last = 0; last < COUNT; last++) {
    pending_t pending;
    int order[COUNT], i;
    waiter_t waiter = {NULL, 1, 0, 0, -1, 99};
    pthread_t thread;
    order_from((last + 1) % COUNT, order);
    pending_make(&pending, COUNT, order);
    waiter.pending = &pending;
    thread = waiter_start(&waiter);
    for (i = 0; i < COUNT - 1; i++) {
      gate_open(&pending.gates[order[i]]);
      CHECK_OK(gevt_sync(pending.events[order[i]]));
    }
    if (subject_is_host()) CHECK(thread_await_parked(&waiter.tid));
    CHECK(!__atomic_load_n(&waiter.returned, __ATOMIC_SEQ_CST));
    gate_open(&pending.gates[last]);
    thread_join(thread);
    CHECK_STATUS(waiter.status, GEVT_SUCCESS);
    pending_finish(&pending);
  }
}

/* Destroying one of them under the waiting thread does not end or spoil its wait. */
static void destroyed_meanwhile(void) {
  static const int backwards[COUNT] = {3, 2, 1, 0};
  int all;
  for (all = 0; all < 2; all++) {
    pending_t pending;
    gevt_event_t events[COUNT];
    waiter_t waiter = {NULL, 0, 0, 0, -1, 99};
    pthread_t thread;
    int i;
    pending_make(&pending, COUNT, backwards);
    memcpy(events, pending.events, sizeof events);
    waiter.pending = &pending;
    waiter.all = all;
    thread = waiter_start(&waiter);
    for (i = 0; i < COUNT; i++) CHECK_OK(gevt_destroy(events[i]));
    CHECK(!__atomic_load_n(&waiter.returned, __ATOMIC_SEQ_CST));
    for (i = COUNT - 1; i >= 0; i--) {
      gate_open(&pending.gates[i]);
      CHECK_OK(gevt_stream_sync(pending.streams[i]));
      /* The first to complete ends the wait for any, the last one that for all. */
      if (i == (all ? 0 : COUNT - 1)) thread_join(thread);
    }
    CHECK_STATUS(waiter.status, GEVT_SUCCESS);
    if (!all) CHECK_EQUAL(waiter.index, COUNT - 1);
    pending_finish_streams(&pending);
  }
}

/* The consumer's loop: take whichever is finished, until none is left. */
static void any_drains_a_set(void) {
  enum { MANY = 64 };
  gevt_stream_t streams[MANY];
  gevt_event_t events[MANY];
  int counter = 0, left = MANY, i;
  for (i = 0; i < MANY; i++) {
    streams[i] = stream_new();
    events[i] = event_new();
    CHECK_OK(gevt_stream_launch(streams[i], count_up, &counter));
    CHECK_OK(gevt_record(events[i], streams[i]));
  }
  while (left > 0) {
    size_t index = MANY;
    if (!CHECK_OK(gevt_sync_any(&index, events, (size_t)left, GEVT_TIMEOUT_INFINITE)) || !CHECK(index < (size_t)left))
      return;
    CHECK_OK(gevt_query(events[index]));
    CHECK_OK(gevt_destroy(events[index]));
    events[index] = events[--left];
  }
  CHECK_EQUAL(count_of(&counter), MANY);
  for (i = 0; i < MANY; i++) stream_finish(streams[i]);
}

/* A failed event ends no wait for all while another one is pending, in either order. */
static void all_waits_behind_a_failure(void) {
  enum { FAILURE = 719 };
  gevt_event_t failed = event_with(GEVT_EVENT_HOST_SIGNALED), held = event_with(GEVT_EVENT_HOST_SIGNALED);
  gevt_event_t orders[2][2], behind = event_new();
  gevt_stream_t stream = stream_new();
  int i;
  orders[0][0] = orders[1][1] = failed;
  orders[0][1] = orders[1][0] = behind;
  CHECK_OK(gevt_signal(failed, FAILURE));
  CHECK_OK(gevt_stream_wait(stream, held, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(behind, stream));
  for (i = 0; i < 2; i++) {
    CHECK_FAILS(gevt_sync_all(orders[i], 2, MILLISECOND), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  }
  CHECK_OK(gevt_signal(held, GEVT_SUCCESS));
  for (i = 0; i < 2; i++) {
    CHECK_FAILS(gevt_sync_all(orders[i], 2, GEVT_TIMEOUT_INFINITE), FAILURE, GEVT_DETAIL_EVENT_FAILED);
    CHECK_OK(gevt_query(behind));
  }
  CHECK_OK(gevt_destroy(failed));
  CHECK_OK(gevt_destroy(held));
  CHECK_OK(gevt_destroy(behind));
  stream_finish(stream);
}

/* The index says which event failed; no other error writes it. */
static void any_names_the_event_that_failed(void) {
  gevt_event_t events[3];
  size_t index = 99;
  int i;
  for (i = 0; i < 3; i++) events[i] = event_with(GEVT_EVENT_HOST_SIGNALED);
  CHECK_STATUS(gevt_sync_any(&index, events, 3, 0), GEVT_ERROR_TIMEOUT);
  CHECK_EQUAL(index, 99);
  CHECK_OK(gevt_signal(events[2], GEVT_ERROR_LAUNCH_FAILED));
  CHECK_FAILS(gevt_sync_any(&index, events, 3, GEVT_TIMEOUT_INFINITE), GEVT_ERROR_LAUNCH_FAILED,
              GEVT_DETAIL_EVENT_FAILED);
  CHECK_EQUAL(index, 2);
  CHECK_FAILS(gevt_sync_any(&index, &events[2], 1, GEVT_TIMEOUT_INFINITE), GEVT_ERROR_LAUNCH_FAILED,
              GEVT_DETAIL_EVENT_FAILED);
  CHECK_EQUAL(index, 0);
  /* One before it in the array that is complete comes first. */
  CHECK_OK(gevt_signal(events[1], GEVT_SUCCESS));
  CHECK_OK(gevt_sync_any(&index, events, 3, GEVT_TIMEOUT_INFINITE));
  CHECK_EQUAL(index, 1);
  for (i = 0; i < 3; i++) CHECK_OK(gevt_destroy(events[i]));
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN(of_none);
  RUN(null_pointers);
  RUN(arrays_that_are_not_aligned);
  RUN(bad_handles);
  RUN(finished_and_unrecorded);
  RUN(the_same_twice);
  RUN(timeouts);
  RUN(timeout_is_for_all_together);
  RUN(any_wakes_for_each);
  RUN(all_waits_for_each);
  RUN(all_waits_behind_a_failure);
  RUN(any_names_the_event_that_failed);
  RUN(destroyed_meanwhile);
  RUN(any_drains_a_set);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
