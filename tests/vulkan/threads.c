/* Four threads that submit batches to one queue, and 100,000 events on it. */
#include "program.h"

enum { THREADS = 4, SUBMITS = 1000, FLIGHT = 8 };

/* Each thread keeps some submits in flight, waits for the oldest, and queries the others. A thread's last event must not complete before an
   earlier one: values reach the queue in order. */
static void *submit_in_turn(void *user) {
  gevt_event_t flight[FLIGHT][2];
  int at, i, wrong = 0, early = 0;
  (void)user;
  for (i = 0; i < FLIGHT; i++) {
    flight[i][0] = untimed();
    flight[i][1] = untimed();
  }
  for (i = 0; i < SUBMITS; i++) {
    at = i % FLIGHT;
    wrong += gevt_sync(flight[at][0]) != GEVT_SUCCESS || gevt_sync(flight[at][1]) != GEVT_SUCCESS;
    wrong += batch_submit(stream, 0, 1, NULL, flight[at], 2) != GEVT_SUCCESS;
    if (gevt_query(flight[at][1]) == GEVT_SUCCESS) {
      int other;
      for (other = 0; other < FLIGHT; other++) early += gevt_query(flight[other][0]) != GEVT_SUCCESS;
    }
  }
  for (i = 0; i < FLIGHT; i++) {
    wrong += gevt_sync(flight[i][1]) != GEVT_SUCCESS;
    wrong += gevt_destroy(flight[i][0]) != GEVT_SUCCESS || gevt_destroy(flight[i][1]) != GEVT_SUCCESS;
  }
  CHECK_EQUAL(wrong, 0);
  CHECK_EQUAL(early, 0);
  return NULL;
}

WRAPPED(four_threads_on_one_queue) {
  run_threads(THREADS, submit_in_turn, NULL);
}

/* Plain records, batches, failed batches, waits and destroys together on one queue. */
static void *submit_everything(void *user) {
  int id = *(int *)user, i, wrong = 0;
  for (i = 0; i < SUBMITS / 4; i++) {
    gevt_event_t event = event_with(i % 3 ? GEVT_EVENT_DISABLE_TIMING : GEVT_EVENT_DEFAULT);
    gevt_event_t batched = untimed();
    wrong += gevt_record(event, stream) != GEVT_SUCCESS;
    wrong += gevt_stream_wait(stream, event, GEVT_WAIT_DEFAULT) != GEVT_SUCCESS;
    if ((i + id) % 5 == 0) {
      gevt_vulkan_batch_t batch = batch_empty();
      wrong += gevt_vulkan_submit_begin(&batch, stream, &batched, 1) != GEVT_SUCCESS;
      wrong += gevt_vulkan_submit_end(stream, &batch, VK_ERROR_OUT_OF_HOST_MEMORY) != GEVT_SUCCESS;
      wrong += gevt_sync(batched) == GEVT_SUCCESS;
    } else {
      wrong += batch_submit(stream, 0, 1, NULL, &batched, 1) != GEVT_SUCCESS;
      if (i % 2) wrong += gevt_sync(batched) != GEVT_SUCCESS;
    }
    if (i % 4 == 0) wrong += gevt_sync(event) != GEVT_SUCCESS;
    wrong += gevt_destroy(event) != GEVT_SUCCESS || gevt_destroy(batched) != GEVT_SUCCESS;
  }
  CHECK_EQUAL(wrong, 0);
  return NULL;
}

WRAPPED(everything_together) {
  pthread_t threads[THREADS];
  int ids[THREADS], i;
  for (i = 0; i < THREADS; i++) {
    ids[i] = i;
    threads[i] = thread_start(submit_everything, &ids[i]);
  }
  for (i = 0; i < THREADS; i++) thread_join(threads[i]);
}

/* All alive at once, recorded in batches of a hundred, half of them with callbacks. */
WRAPPED(a_hundred_thousand_events) {
  enum { EVENTS = 100000, EACH = 100 };
  gevt_event_t *events = (gevt_event_t *)calloc(EVENTS, sizeof *events);
  int i, wrong = 0, calls = 0;
  if (!CHECK(events != NULL)) return;
  for (i = 0; i < EVENTS; i++) wrong += gevt_create(&events[i], GEVT_EVENT_DISABLE_TIMING) != GEVT_SUCCESS;
  for (i = 0; i < EVENTS; i += EACH) wrong += batch_submit(stream, 0, 1, NULL, events + i, EACH) != GEVT_SUCCESS;
  for (i = 0; i < EVENTS; i += 10) wrong += gevt_on_complete(events[i], count_call, &calls) != GEVT_SUCCESS;
  wrong += gevt_sync(events[EVENTS - 1]) != GEVT_SUCCESS;
  for (i = 0; i < EVENTS; i++) wrong += gevt_query(events[i]) != GEVT_SUCCESS;
  CHECK_EQUAL(wrong, 0);
  CHECK(count_await(&calls, EVENTS / 10));
  for (i = 0; i < EVENTS; i++) wrong += gevt_destroy(events[i]) != GEVT_SUCCESS;
  CHECK_EQUAL(wrong, 0);
  free(events);
}

VK_MAIN
