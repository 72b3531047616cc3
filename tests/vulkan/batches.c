/* Events in the program's own submits: order, collected waits, failed submits, and canceled batches. */
#include "program.h"

static void records_are_pending_until_the_queue_gets_there(int with_lock) {
  gevt_event_t events[3];
  int i;
  for (i = 0; i < 3; i++) events[i] = untimed();
  queue_hold();
  CHECK_OK(batch_submit(stream, 0, with_lock, NULL, events, 3));
  for (i = 0; i < 3; i++) {
    CHECK_NOT_READY(gevt_query(events[i]));
    CHECK_EQUAL(event_info(events[i]).state, GEVT_STATE_PENDING);
    CHECK_EQUAL(event_info(events[i]).backend, GEVT_BACKEND_VULKAN);
    CHECK(event_info(events[i]).context == context);
    CHECK_FAILS(gevt_sync_timeout(events[i], 1000000), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  }
  CHECK_NOT_READY(gevt_stream_query(stream));
  queue_release();
  for (i = 0; i < 3; i++) CHECK_OK(gevt_sync(events[i]));
  for (i = 0; i < 3; i++) {
    CHECK_OK(gevt_query(events[i]));
    CHECK_EQUAL(event_info(events[i]).state, GEVT_STATE_COMPLETE);
  }
  CHECK_OK(gevt_stream_sync(stream));
  CHECK_OK(gevt_stream_query(stream));
}

WRAPPED(with_lock_functions) {
  records_are_pending_until_the_queue_gets_there(1);
}

/* A queue is wrapped with or without a lock, once for the lifetime of its context. gevt cannot submit by itself on one that it cannot lock. */
WRAPPED(without_lock_functions) {
  gevt_event_t event;
  vk_end();
  vk_begin(0);
  event = untimed();
  records_are_pending_until_the_queue_gets_there(0);
  CHECK_FAILS(gevt_record(event, stream), GEVT_ERROR_NOT_SUPPORTED, GEVT_DETAIL_UNSUPPORTED);
  CHECK_EQUAL(event_info(event).state, GEVT_STATE_UNRECORDED);
  CHECK_OK(batch_submit(stream, 0, 0, NULL, &event, 1));
  CHECK_OK(gevt_sync(event));
}

/* A batch without records still takes the waits, and the stream still advances. */
WRAPPED(without_records) {
  int i;
  for (i = 0; i < 3; i++) CHECK_OK(batch_submit(stream, 0, 1, NULL, NULL, 0));
  CHECK_OK(gevt_stream_sync(stream));
}

/* A wait for an event is collected into the next batch. Work queued after it also waits. */
WRAPPED(waits_go_into_the_next_batch) {
  VkSemaphore own = vk_timeline();
  gevt_event_t open = vk_point_event(context, own, 1), behind = untimed();
  CHECK_OK(gevt_stream_wait(stream, open, GEVT_WAIT_DEFAULT));
  CHECK_OK(batch_submit(stream, 0, 1, NULL, &behind, 1));
  CHECK_FAILS(gevt_sync_timeout(behind, 2000000), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  CHECK_NOT_READY(gevt_query(behind));
  vk_signal(own, 1);
  CHECK_OK(gevt_sync(behind));
}

/* A batch waits for a host function of another stream on the same queue. The timestamp queued after that function must not wait for the
   batch. */
WRAPPED(waits_for_another_streams_host_function) {
  gevt_stream_t second = vk_stream(context, 0, 1);
  gevt_event_t timed = event_new(), behind = untimed(), last = event_new();
  gate_t host = GATE_CLOSED;
  gate_close(&host, stream);
  CHECK_OK(gevt_record(timed, stream));
  CHECK_OK(gevt_stream_wait(second, timed, GEVT_WAIT_DEFAULT));
  CHECK_OK(batch_submit(second, 0, 1, NULL, &behind, 1));
  CHECK_OK(gevt_record(last, stream));
  CHECK_NOT_READY(gevt_query(timed));
  CHECK_NOT_READY(gevt_query(behind));
  gate_open(&host);
  CHECK_OK(gevt_sync_timeout(behind, HANG_LIMIT));
  CHECK_OK(gevt_sync_timeout(last, HANG_LIMIT));
}

/* A submit that failed is taken back: its events fail, and later records and waits work. */
enum { CANCEL = 1 };

static void failed_submit_is_taken_back(int32_t result, gevt_status_t expected) {
  gevt_event_t failed[2], after = untimed(), alone = untimed();
  int round, i;
  for (i = 0; i < 2; i++) failed[i] = untimed();
  for (round = 0; round < 20; round++) {
    gevt_vulkan_batch_t batch = batch_empty();
    CHECK_OK(gevt_vulkan_submit_begin(&batch, stream, failed, 2));
    CHECK_OK(result == CANCEL ? gevt_vulkan_submit_cancel(stream, &batch)
                              : gevt_vulkan_submit_end(stream, &batch, result));
    CHECK_EQUAL(vk.locked, 0);
    CHECK_FAILS(gevt_vulkan_submit_cancel(stream, &batch), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_BATCH);
    for (i = 0; i < 2; i++) {
      CHECK_FAILS(gevt_query(failed[i]), expected, GEVT_DETAIL_SUBMIT_FAILED);
      CHECK_FAILS(gevt_sync(failed[i]), expected, GEVT_DETAIL_SUBMIT_FAILED);
      CHECK_EQUAL(event_info(failed[i]).state, GEVT_STATE_FAILED);
    }
    CHECK_OK(batch_submit(stream, 0, 1, NULL, &after, 1));
    CHECK_OK(gevt_sync(after));
    CHECK_OK(gevt_record(alone, stream));
    CHECK_OK(gevt_sync(alone));
  }
  /* The same event, recorded again. */
  CHECK_OK(batch_submit(stream, 0, 1, NULL, failed, 2));
  for (i = 0; i < 2; i++) CHECK_OK(gevt_sync(failed[i]));
}

WRAPPED(failed_and_canceled_submits) {
  failed_submit_is_taken_back(VK_ERROR_OUT_OF_HOST_MEMORY, GEVT_ERROR_OUT_OF_MEMORY);
  failed_submit_is_taken_back(VK_ERROR_OUT_OF_DEVICE_MEMORY, GEVT_ERROR_OUT_OF_MEMORY);
  failed_submit_is_taken_back(VK_ERROR_UNKNOWN, GEVT_ERROR_UNKNOWN);
  failed_submit_is_taken_back(CANCEL, GEVT_ERROR_ILLEGAL_STATE);
}

/* The waits that a failed batch took are still required. */
WRAPPED(failed_batch_keeps_the_waits) {
  VkSemaphore own = vk_timeline();
  gevt_event_t open = vk_point_event(context, own, 1), behind = untimed();
  gevt_vulkan_batch_t batch = batch_empty();
  CHECK_OK(gevt_stream_wait(stream, open, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_vulkan_submit_begin(&batch, stream, &behind, 1));
  CHECK_OK(gevt_vulkan_submit_end(stream, &batch, VK_ERROR_OUT_OF_HOST_MEMORY));
  CHECK_OK(batch_submit(stream, 0, 1, NULL, &behind, 1));
  CHECK_FAILS(gevt_sync_timeout(behind, 2000000), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  vk_signal(own, 1);
  CHECK_OK(gevt_sync(behind));
}

/* A wait for an event whose submit failed ends when the queue reaches it, if not earlier. No thread waits forever. */
WRAPPED(failed_event_holds_nobody) {
  gevt_event_t failed = untimed(), behind = untimed();
  gevt_vulkan_batch_t batch = batch_empty();
  CHECK_OK(gevt_vulkan_submit_begin(&batch, stream, &failed, 1));
  CHECK_OK(gevt_vulkan_submit_end(stream, &batch, VK_ERROR_OUT_OF_HOST_MEMORY));
  check_ignore(gevt_stream_wait(stream, failed, GEVT_WAIT_DEFAULT));
  check_ignore(gevt_record(behind, stream));
  CHECK(gevt_sync_timeout(behind, HANG_LIMIT) != GEVT_ERROR_TIMEOUT);
  check_ignore(gevt_stream_sync(stream));
}

/* A thread waits for an event in a batch that then fails. */
static void *wait_for_failure(void *user) {
  CHECK(gevt_sync((gevt_event_t)user) != GEVT_SUCCESS);
  return NULL;
}

WRAPPED(thread_waits_while_the_batch_fails) {
  gevt_event_t event = untimed();
  gevt_vulkan_batch_t batch = batch_empty();
  pthread_t thread;
  CHECK_OK(gevt_vulkan_submit_begin(&batch, stream, &event, 1));
  thread = thread_start(wait_for_failure, event);
  sleep_ns(20 * MILLISECOND);
  CHECK_OK(gevt_vulkan_submit_end(stream, &batch, VK_ERROR_OUT_OF_HOST_MEMORY));
  thread_join(thread);
}

/* The event is destroyed, or recorded elsewhere, between begin and end. */
WRAPPED(destroyed_in_between) {
  gevt_event_t event = untimed();
  gevt_vulkan_batch_t batch = batch_empty();
  CHECK_OK(gevt_vulkan_submit_begin(&batch, stream, &event, 1));
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_vulkan_submit_end(stream, &batch, batch_pass_on(&batch, vk.queues[0], NULL)));
}

/* gevt_record and the program's batches take turns on one queue. */
WRAPPED(mixed_with_plain_records) {
  enum { ROUNDS = 200 };
  gevt_event_t plain[ROUNDS], batched[ROUNDS];
  int i, wrong = 0;
  queue_hold();
  for (i = 0; i < ROUNDS; i++) {
    plain[i] = event_new();
    batched[i] = untimed();
    CHECK_OK(gevt_record(plain[i], stream));
    CHECK_OK(batch_submit(stream, 0, 1, NULL, &batched[i], 1));
  }
  for (i = 0; i < ROUNDS; i++)
    wrong += gevt_query(plain[i]) != GEVT_ERROR_NOT_READY || gevt_query(batched[i]) != GEVT_ERROR_NOT_READY;
  CHECK_EQUAL(wrong, 0);
  queue_release();
  CHECK_OK(gevt_sync(batched[ROUNDS - 1]));
  for (i = 0; i < ROUNDS; i++) wrong += gevt_query(plain[i]) != GEVT_SUCCESS || gevt_query(batched[i]) != GEVT_SUCCESS;
  CHECK_EQUAL(wrong, 0);
}

/* While a batch is open, its thread's other calls on the queue are refused. Other threads block until the batch ends. */
static void *record_in_the_meantime(void *user) {
  gevt_event_t event = untimed();
  CHECK_OK(gevt_record(event, (gevt_stream_t)user));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_destroy(event));
  return NULL;
}

WRAPPED(other_calls_while_a_batch_is_open) {
  gevt_event_t event = untimed(), other = untimed();
  gevt_vulkan_batch_t batch = batch_empty(), second = batch_empty();
  pthread_t thread;
  CHECK_OK(gevt_vulkan_submit_begin(&batch, stream, &event, 1));
  CHECK_FAILS(gevt_record(other, stream), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_BATCH);
  CHECK_FAILS(gevt_vulkan_submit_begin(&second, stream, &other, 1), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_BATCH);
  CHECK_EQUAL(event_info(other).state, GEVT_STATE_UNRECORDED);
  CHECK_NOT_READY(gevt_query(event));
  CHECK_FAILS(gevt_sync_timeout(event, 1000000), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  thread = thread_start(record_in_the_meantime, stream);
  CHECK_OK(gevt_vulkan_submit_end(stream, &batch, batch_pass_on(&batch, vk.queues[0], NULL)));
  thread_join(thread);
  CHECK_OK(gevt_sync(event));
}

WRAPPED(misused) {
  gevt_event_t event = untimed(), both[2] = {event, event_stale()};
  gevt_vulkan_batch_t batch = batch_empty(), unknown = batch_empty(), again;
  CHECK_FAILS(gevt_vulkan_submit_begin(NULL, stream, &event, 1), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_vulkan_submit_begin(&batch, stream, NULL, 1), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_vulkan_submit_begin(&batch, stream, both, 2), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  both[1] = event;
  CHECK_STATUS(gevt_vulkan_submit_begin(&batch, stream, both, 2), GEVT_ERROR_INVALID_VALUE);
  CHECK_EQUAL(event_info(event).state, GEVT_STATE_UNRECORDED);
  batch.size = 3;
  CHECK_FAILS(gevt_vulkan_submit_begin(&batch, stream, &event, 1), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_ARGUMENT);
  /* None of them left the queue locked. */
  CHECK_EQUAL(vk.locked, 0);
  CHECK_FAILS(gevt_vulkan_submit_end(stream, &unknown, 0), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_BATCH);
  CHECK_FAILS(gevt_vulkan_submit_end(stream, NULL, VK_SUCCESS), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_vulkan_submit_cancel(stream, &unknown), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_BATCH);
  CHECK_FAILS(gevt_vulkan_submit_cancel(stream, NULL), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  batch = batch_empty();
  CHECK_OK(gevt_vulkan_submit_begin(&batch, stream, &event, 1));
  again = batch;
  CHECK_OK(gevt_vulkan_submit_end(stream, &batch, batch_pass_on(&batch, vk.queues[0], NULL)));
  CHECK_FAILS(gevt_vulkan_submit_end(stream, &again, 0), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_BATCH);
  CHECK_EQUAL(vk.locked, 0);
  CHECK_OK(gevt_sync(event));
}

VK_MAIN
