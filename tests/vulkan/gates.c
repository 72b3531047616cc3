/* Waits across backends on a program's device that ends: what waits for its events hears of it, and its queues do not stand still.
   usage: gates [vulkan [CASE]] */
#include "program.h"
#include "layer.h"

static gevt_context_t host;
static gevt_stream_t host_stream;
static gevt_event_t held, first, second, batched, behind;

/* Behind the unsignaled event: an event of the device, a stream of the host that waits for that, and with `submits` a batch in the queue. */
static void wait_across(int submits) {
  CHECK_OK(gevt_stream_wait(stream, held, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(first, stream));
  CHECK_OK(gevt_stream_wait(host_stream, first, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(second, host_stream));
  if (submits) CHECK_OK(batch_submit(stream, 0, 1, NULL, &batched, 1));
  /* And back. */
  CHECK_OK(gevt_stream_wait(stream, second, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(behind, stream));
  CHECK_NOT_READY(gevt_query(second));
  CHECK_NOT_READY(gevt_query(behind));
}

static void all_fail(gevt_status_t status) {
  CHECK_STATUS(gevt_sync(second), status);
  CHECK_STATUS(gevt_query(first), status);
  CHECK_STATUS(gevt_query(behind), status);
  CHECK_STATUS(gevt_stream_sync(host_stream), status);
  CHECK_OK(gevt_signal(held, GEVT_SUCCESS));
}

ALONE_CASE(the_owner_closes_the_context, 0) {
  wait_across(1);
  CHECK_OK(gevt_context_close(context));
  context = NULL;
  all_fail(GEVT_ERROR_CONTEXT_IS_DESTROYED);
}

/* Threads wait in every way for an event that depends on the unsignaled one, and for one of an open batch. All learn that the context is
   destroyed. */
static int waiting;

static gevt_status_t wait_in(int way, gevt_event_t event) {
  gevt_event_t pair[2] = {held, event};
  size_t index;
  return way == 0   ? gevt_sync_helping(event, (uint64_t)HANG_LIMIT)
         : way == 1 ? gevt_sync_any(&index, pair, 2, (uint64_t)HANG_LIMIT)
                    : gevt_sync(event);
}

enum { WAYS = 3 };

static void *wait_for_one(void *user) {
  const int number = (int)(size_t)user;
  count_up(&waiting);
  CHECK_STATUS(wait_in(number / 2, number % 2 ? first : batched), GEVT_ERROR_CONTEXT_IS_DESTROYED);
  CHECK_DETAIL(GEVT_DETAIL_CONTEXT_LOST);
  return NULL;
}

ALONE_CASE(the_owner_closes_the_context_under_waiting_threads, 0) {
  gevt_vulkan_batch_t batch = batch_empty();
  pthread_t threads[2 * WAYS];
  int i;
  waiting = 0;
  CHECK_OK(gevt_stream_wait(stream, held, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(first, stream));
  CHECK_OK(gevt_vulkan_submit_begin(&batch, stream, &batched, 1));
  for (i = 0; i < 2 * WAYS; i++) threads[i] = thread_start(wait_for_one, (void *)(size_t)i);
  CHECK(count_await(&waiting, 2 * WAYS));
  sleep_ns(20 * MILLISECOND);
  CHECK_OK(gevt_context_close(context));
  context = NULL;
  for (i = 0; i < 2 * WAYS; i++) thread_join(threads[i]);
  CHECK_OK(gevt_signal(held, GEVT_SUCCESS));
}

ALONE_CASE(the_device_is_lost, 0) {
  wait_across(0);
  fault_arm(1, VK_ERROR_DEVICE_LOST, 1);
  all_fail(GEVT_ERROR_LAUNCH_FAILED);
  fault_disarm();
}

ALONE_CASE(the_signal_comes, 0) {
  wait_across(1);
  CHECK_OK(gevt_signal(held, GEVT_SUCCESS));
  CHECK_OK(gevt_sync(behind));
  CHECK_OK(gevt_query(batched));
}

ALONE_CASE(a_failure_comes, 0) {
  wait_across(1);
  CHECK_OK(gevt_signal(held, GEVT_ERROR_UNKNOWN));
  CHECK_STATUS(gevt_sync(behind), GEVT_ERROR_UNKNOWN);
  CHECK_STATUS(gevt_sync(second), GEVT_ERROR_UNKNOWN);
  CHECK_STATUS(gevt_query(batched), GEVT_ERROR_UNKNOWN);
}

ALONE_CASE(the_process_exits, 3) {
  wait_across(1);
  exit(check_failures() ? 1 : 3);
}

static void begin(const test_case_t *chosen) {
  (void)chosen;
  layer_choose();
  vk_open();
  layer_prove();
  vk_begin(1);
  host = context_on(GEVT_BACKEND_HOST);
  host_stream = stream_in(host, GEVT_STREAM_NON_BLOCKING);
  held = event_with(GEVT_EVENT_HOST_SIGNALED);
  first = untimed();
  second = untimed();
  batched = untimed();
  behind = untimed();
}

static void end(void) {
  gevt_event_t events[] = {held, first, second, batched, behind};
  int i;
  for (i = 0; i < 5; i++) CHECK_OK(gevt_destroy(events[i]));
  check_ignore(gevt_stream_sync(stream));
  CHECK_OK(gevt_stream_destroy(host_stream));
  CHECK_OK(gevt_stream_destroy(stream));
  CHECK_OK(gevt_context_close(host));
  stream = NULL;
  vk_end();
  CHECK_VK(vk.DeviceWaitIdle(vk.device));
  vk_close();
}

int main(int argc, char **argv) {
  return vk_main_alone(argc, argv, begin, 0, end);
}
