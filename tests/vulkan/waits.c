/* Waits of the host for events of one queue: any, all, timeouts, callbacks, whole streams and contexts, while the queue stands still. */
#include "program.h"
#include "layer.h"

enum { EVENTS = 8 };

/* Each event waits for a different gate, and the gates open in order. */
static void make(gevt_event_t *events) {
  int i;
  for (i = 0; i < EVENTS; i++) {
    events[i] = event_with(i % 2 ? GEVT_EVENT_DISABLE_TIMING : GEVT_EVENT_DEFAULT);
    queue_hold();
    CHECK_OK(gevt_record(events[i], stream));
  }
}

/* One after the other: the validation layers take a gap for a signal that is still to come. */
static void open_all(void) {
  int i;
  for (i = 0; i < EVENTS; i++) vk_signal(queue_gate, (uint64_t)i + 1);
}

WRAPPED(any_and_all) {
  gevt_event_t events[EVENTS], turned[EVENTS];
  size_t index;
  int i;
  make(events);
  for (i = 0; i < EVENTS; i++) turned[EVENTS - 1 - i] = events[i];
  pattern_fill(&index, sizeof index);
  CHECK_FAILS(gevt_sync_any(&index, turned, EVENTS, 1000000), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  CHECK(pattern_intact(&index, sizeof index));
  CHECK_FAILS(gevt_sync_all(turned, EVENTS, 1000000), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  for (i = 0; i < EVENTS; i++) {
    vk_signal(queue_gate, (uint64_t)i + 1);
    CHECK_OK(gevt_sync_any(&index, turned, (size_t)(EVENTS - i), (uint64_t)HANG_LIMIT));
    CHECK_EQUAL(index, EVENTS - 1 - i);
    if (i + 1 < EVENTS) CHECK_FAILS(gevt_sync_all(turned, EVENTS, 0), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  }
  CHECK_OK(gevt_sync_all(turned, EVENTS, 0));
}

static uint64_t counter_reads_of_a_timeout(gevt_event_t event) {
  const uint64_t before = fault_calls("vkGetSemaphoreCounterValue");
  CHECK_FAILS(gevt_sync_timeout(event, 2000000), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  return fault_calls("vkGetSemaphoreCounterValue") - before;
}

/* After a long wait, which spun in vain, the next ones sleep at once. */
WRAPPED(spinning_in_vain_is_not_repeated) {
  gevt_event_t event = event_new();
  queue_hold();
  CHECK_OK(gevt_record(event, stream));
  counter_reads_of_a_timeout(event);
  CHECK(counter_reads_of_a_timeout(event) <= 10);
  queue_release();
  CHECK_OK(gevt_sync(event));
}

static void *sync_thread(void *user) {
  CHECK_OK(gevt_sync((gevt_event_t)user));
  return NULL;
}

WRAPPED(callbacks_and_threads) {
  gevt_event_t events[EVENTS];
  pthread_t threads[EVENTS];
  int calls[EVENTS] = {0}, i;
  make(events);
  for (i = 0; i < EVENTS; i++) {
    CHECK_OK(gevt_on_complete(events[i], count_call, &calls[i]));
    threads[i] = thread_start(sync_thread, events[i]);
  }
  for (i = 0; i < EVENTS; i++) {
    CHECK_EQUAL(count_of(&calls[i]), 0);
    vk_signal(queue_gate, (uint64_t)i + 1);
    CHECK(count_await(&calls[i], 1));
    thread_join(threads[i]);
  }
  /* A callback of a completed event. */
  CHECK_OK(gevt_on_complete(events[0], count_call, &calls[0]));
  CHECK(count_await(&calls[0], 2));
}

WRAPPED(streams_and_contexts) {
  gevt_event_t events[EVENTS];
  make(events);
  CHECK_NOT_READY(gevt_stream_query(stream));
  CHECK_FAILS(gevt_stream_sync_timeout(stream, 1000000), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  CHECK_FAILS(gevt_context_sync_timeout(context, 1000000), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  open_all();
  CHECK_OK(gevt_stream_sync_timeout(stream, (uint64_t)HANG_LIMIT));
  CHECK_OK(gevt_context_sync_timeout(context, (uint64_t)HANG_LIMIT));
  CHECK_OK(gevt_stream_query(stream));
}

/* A context waits for the work of streams that have been destroyed, also of one that serves another use since. */
WRAPPED(destroyed_streams) {
  gevt_event_t event = untimed();
  gevt_stream_t first = vk_stream(context, 0, 1), second;
  CHECK_OK(gevt_stream_destroy(first));
  second = vk_stream(context, 0, 1);
  queue_hold();
  CHECK_OK(gevt_record(event, second));
  CHECK_FAILS(gevt_context_sync_timeout(context, MILLISECOND), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  CHECK_OK(gevt_stream_destroy(second));
  CHECK_FAILS(gevt_context_sync_timeout(context, MILLISECOND), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  queue_release();
  CHECK_OK(gevt_context_sync(context));
  CHECK_OK(gevt_query(event));
}

/* Events of several streams of one device. */
enum { STREAMS = 4, ALL = 3 * STREAMS };

static void *sync_all_of(void *user) {
  CHECK_OK(gevt_sync_all((gevt_event_t *)user, ALL, (uint64_t)HANG_LIMIT));
  return NULL;
}

static void *sync_any_of(void *user) {
  size_t index = 99;
  CHECK_OK(gevt_sync_any(&index, (gevt_event_t *)user, ALL, (uint64_t)HANG_LIMIT));
  CHECK(index < ALL);
  return NULL;
}

/* Starts the wait, and returns once it has made more calls of the driver than one that finds the events done. */
static void start_wait(pthread_t *thread, int for_any, gevt_event_t *events) {
  const char *function = for_any ? "vkGetSemaphoreCounterValue" : "vkWaitSemaphores";
  const uint64_t enough = fault_calls(function) + (for_any ? 10 * ALL : 1);
  *thread = thread_start(for_any ? sync_any_of : sync_all_of, events);
  while (fault_calls(function) < enough) sleep_ns(MILLISECOND / 10);
}

WRAPPED(several_streams) {
  gevt_stream_t streams[STREAMS];
  pthread_t threads[2];
  gevt_event_t events[ALL], failed[2], list[ALL + 2];
  gevt_vulkan_batch_t batch = batch_empty();
  size_t index;
  int i;
  for (i = 0; i < STREAMS; i++) streams[i] = vk_stream(context, 0, 1);
  queue_hold();
  for (i = 0; i < ALL; i++) {
    list[i] = events[i] = event_with(i % 2 ? GEVT_EVENT_DISABLE_TIMING : GEVT_EVENT_BLOCKING_SYNC);
    CHECK_OK(gevt_record(events[i], streams[i % STREAMS]));
  }
  for (i = 0; i < 2; i++) start_wait(&threads[i], i, events);
  CHECK_FAILS(gevt_sync_all(events, ALL, MILLISECOND), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  CHECK_FAILS(gevt_sync_any(&index, events, ALL, MILLISECOND), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  queue_release();
  for (i = 0; i < 2; i++) thread_join(threads[i]);
  CHECK_OK(gevt_sync_all(events, ALL, (uint64_t)HANG_LIMIT));
  CHECK_OK(gevt_sync_any(&index, events, ALL, 0));
  CHECK_EQUAL(index, 0);
  /* The first failure in the array is the result. */
  for (i = 0; i < 2; i++) {
    failed[i] = list[ALL - 1 + 2 * i] = untimed();
    CHECK_OK(gevt_vulkan_submit_begin(&batch, streams[i], &failed[i], 1));
    CHECK_OK(gevt_vulkan_submit_end(streams[i], &batch, i ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_UNKNOWN));
  }
  list[ALL] = events[ALL - 1];
  for (i = 0; i < ALL; i++) CHECK_OK(gevt_record(events[i], streams[i % STREAMS]));
  CHECK_FAILS(gevt_sync_all(list, ALL + 2, (uint64_t)HANG_LIMIT), GEVT_ERROR_UNKNOWN, GEVT_DETAIL_SUBMIT_FAILED);
}

/* Events of two backends in one call. */
WRAPPED(together_with_the_host) {
  gevt_stream_t other = stream_in(context_on(GEVT_BACKEND_HOST), GEVT_STREAM_NON_BLOCKING);
  gevt_event_t events[EVENTS], mixed[2];
  gate_t closed = GATE_CLOSED;
  size_t index = 9;
  make(events);
  mixed[0] = events[0];
  mixed[1] = untimed();
  gate_close(&closed, other);
  CHECK_OK(gevt_record(mixed[1], other));
  CHECK_FAILS(gevt_sync_any(&index, mixed, 2, 1000000), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  gate_open(&closed);
  CHECK_OK(gevt_sync_any(&index, mixed, 2, (uint64_t)HANG_LIMIT));
  CHECK_EQUAL(index, 1);
  CHECK_FAILS(gevt_sync_all(mixed, 2, 1000000), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  open_all();
  CHECK_OK(gevt_sync_all(mixed, 2, (uint64_t)HANG_LIMIT));
  CHECK_OK(gevt_stream_sync(stream));
}

int main(int argc, char **argv) {
  layer_choose();
  return vk_main(argc, argv, layer_prove);
}
