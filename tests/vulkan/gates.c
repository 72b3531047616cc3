/* Waits across backends on a program's device that ends: what waits for its events hears of it, and its queues do not stand still.
   usage: gates [vulkan [CASE]] */
#include "batch.h"
#include "layer.h"

#include "cases.h"

static gevt_context_t host, context;
static gevt_stream_t stream, host_stream;
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

static void the_owner_closes_the_context(void) {
  wait_across(1);
  CHECK_OK(gevt_context_close(context));
  context = NULL;
  all_fail(GEVT_ERROR_CONTEXT_IS_DESTROYED);
}

/* Threads wait in every way for an event that depends on the unsignaled one, and for one of an open batch. All learn that the context is
   destroyed. */
static int waiting;

static void *wait_helping(void *user) {
  count_up(&waiting);
  CHECK_FAILS(gevt_sync_helping((gevt_event_t)user, (uint64_t)HANG_LIMIT), GEVT_ERROR_CONTEXT_IS_DESTROYED,
              GEVT_DETAIL_CONTEXT_LOST);
  return NULL;
}

static void *wait_for_any(void *user) {
  gevt_event_t pair[2];
  size_t index;
  pair[0] = held;
  pair[1] = (gevt_event_t)user;
  count_up(&waiting);
  CHECK_FAILS(gevt_sync_any(&index, pair, 2, (uint64_t)HANG_LIMIT), GEVT_ERROR_CONTEXT_IS_DESTROYED,
              GEVT_DETAIL_CONTEXT_LOST);
  return NULL;
}

static void *wait_blocking(void *user) {
  count_up(&waiting);
  CHECK_FAILS(gevt_sync((gevt_event_t)user), GEVT_ERROR_CONTEXT_IS_DESTROYED, GEVT_DETAIL_CONTEXT_LOST);
  return NULL;
}

static void the_owner_closes_the_context_under_waiting_threads(void) {
  static void *(*const ways[])(void *) = {wait_helping, wait_for_any, wait_blocking};
  enum { WAYS = 3 };
  gevt_vulkan_batch_t batch = batch_empty();
  pthread_t threads[2 * WAYS];
  int i;
  waiting = 0;
  CHECK_OK(gevt_stream_wait(stream, held, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(first, stream));
  CHECK_OK(gevt_vulkan_submit_begin(&batch, stream, &batched, 1));
  for (i = 0; i < 2 * WAYS; i++) threads[i] = thread_start(ways[i / 2], i % 2 ? first : batched);
  CHECK(count_await(&waiting, 2 * WAYS));
  sleep_ns(20 * MILLISECOND);
  CHECK_OK(gevt_context_close(context));
  context = NULL;
  for (i = 0; i < 2 * WAYS; i++) thread_join(threads[i]);
  CHECK_OK(gevt_signal(held, GEVT_SUCCESS));
}

static void the_device_is_lost(void) {
  wait_across(0);
  fault_arm(1, VK_ERROR_DEVICE_LOST, 1);
  all_fail(GEVT_ERROR_LAUNCH_FAILED);
  fault_disarm();
}

static void the_signal_comes(void) {
  wait_across(1);
  CHECK_OK(gevt_signal(held, GEVT_SUCCESS));
  CHECK_OK(gevt_sync(behind));
  CHECK_OK(gevt_query(batched));
}

static void a_failure_comes(void) {
  wait_across(1);
  CHECK_OK(gevt_signal(held, GEVT_ERROR_UNKNOWN));
  CHECK_STATUS(gevt_sync(behind), GEVT_ERROR_UNKNOWN);
  CHECK_STATUS(gevt_sync(second), GEVT_ERROR_UNKNOWN);
  CHECK_STATUS(gevt_query(batched), GEVT_ERROR_UNKNOWN);
}

static void the_process_exits(void) {
  wait_across(1);
  exit(check_failures() ? 1 : 3);
}

static const test_case_t table[] = {
    {"the_signal_comes", the_signal_comes, ALONE, 0},
    {"a_failure_comes", a_failure_comes, ALONE, 0},
    {"the_owner_closes_the_context", the_owner_closes_the_context, ALONE, 0},
    {"the_owner_closes_the_context_under_waiting_threads", the_owner_closes_the_context_under_waiting_threads, ALONE,
     0},
    {"the_device_is_lost", the_device_is_lost, ALONE, 0},
    {"the_process_exits", the_process_exits, ALONE, 3},
};

static void begin(const test_case_t *chosen) {
  (void)chosen;
  layer_choose();
  vk_open();
  layer_prove();
  CHECK_OK(gevt_context_open(&host, GEVT_BACKEND_HOST, 0));
  context = vk_wrap();
  stream = vk_stream(context, 0, 1);
  host_stream = stream_in(host, GEVT_STREAM_NON_BLOCKING);
  held = event_with(GEVT_EVENT_HOST_SIGNALED);
  first = event_with(GEVT_EVENT_DISABLE_TIMING);
  second = event_with(GEVT_EVENT_DISABLE_TIMING);
  batched = event_with(GEVT_EVENT_DISABLE_TIMING);
  behind = event_with(GEVT_EVENT_DISABLE_TIMING);
}

static void end(void) {
  CHECK_OK(gevt_destroy(held));
  CHECK_OK(gevt_destroy(first));
  CHECK_OK(gevt_destroy(second));
  CHECK_OK(gevt_destroy(batched));
  CHECK_OK(gevt_destroy(behind));
  CHECK_OK(gevt_stream_destroy(stream));
  CHECK_OK(gevt_stream_destroy(host_stream));
  if (context) CHECK_OK(gevt_context_close(context));
  CHECK_OK(gevt_context_close(host));
  CHECK_EQUAL(gevt_live_events(), 0);
  CHECK_VK(vk.DeviceWaitIdle(vk.device));
  vk_close();
}

static const test_cases_t cases = {table, sizeof table / sizeof *table, begin, NULL, 0, end};

int main(int argc, char **argv) {
  subject_choose(argc, argv);
  return cases_main(&cases, argc, argv);
}
