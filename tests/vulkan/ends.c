/* Ends with work on a program's device: exit, fork and dlclose, and the exit of a program that has let its device go.
   usage: ends [vulkan [CASE]] */
#include "batch.h"
#include "layer.h"

#include "cases.h"

static gevt_context_t context;
static gevt_stream_t stream;

static void *wait_for_ever(void *user) {
  check_ignore(gevt_sync((gevt_event_t)user));
  return NULL;
}

static void never_called(void *user, gevt_status_t status) {
  (void)user;
  (void)status;
}

/* A blocked queue, a waiting thread, a callback, and an open batch. */
static void leave_work_under_way(void) {
  gevt_event_t event = event_new(), batched = event_with(GEVT_EVENT_DISABLE_TIMING), point = NULL;
  VkSemaphore gate = vk_timeline();
  static gevt_vulkan_batch_t batch;
  point = vk_point_event(context, gate, 2);
  vk_hold(0, gate, 1);
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_on_complete(event, never_called, NULL));
  thread_start(wait_for_ever, event);
  thread_start(wait_for_ever, point);
  batch = batch_empty();
  CHECK_OK(gevt_vulkan_submit_begin(&batch, stream, &batched, 1));
}

/* A process without gevt that exits with a blocked queue. */
static void plain_exit(void) {
  vk_open();
  vk_hold(0, vk_timeline(), 1);
  exit(3);
}

static void exit_with_work_under_way(void) {
  leave_work_under_way();
  exit(check_failures() ? 1 : 3);
}

/* A host function holds up work in the queue and on the host. Exit lets all of it finish, because a driver may wait for its queues then. */
enum { HELD = 4 };
static gevt_event_t held[HELD];
static uint64_t held_semaphores[HELD], held_values[HELD];

static void exit_behind_a_host_function(void) {
  static gate_t gates[2] = {GATE_CLOSED, GATE_CLOSED};
  gevt_stream_t other = vk_stream(context, 0, 1);
  int i;
  for (i = 0; i < HELD; i++) held[i] = event_with(i % 2 ? GEVT_EVENT_DEFAULT : GEVT_EVENT_DISABLE_TIMING);
  gate_close(&gates[0], other);
  CHECK_OK(batch_submit(other, 0, 1, NULL, &held[0], 1));
  /* Queued after that work, and ahead of another such batch. */
  CHECK_OK(gevt_record(held[1], stream));
  gate_close(&gates[1], stream);
  CHECK_OK(batch_submit(stream, 0, 1, NULL, &held[2], 1));
  /* On the host. */
  CHECK_OK(gevt_stream_launch(other, gate_pass, &gates[1]));
  CHECK_OK(gevt_record(held[3], other));
  for (i = 0; i < HELD; i++) {
    CHECK_NOT_READY(gevt_query(held[i]));
    CHECK_OK(gevt_vulkan_point(&held_semaphores[i], &held_values[i], held[i]));
  }
  exit(check_failures() ? 1 : 3);
}

/* After gevt's exit handler and before the driver's. */
static void nothing_is_held(void) {
  VkSemaphoreWaitInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, NULL, 0, HELD, NULL, NULL};
  VkSemaphore semaphores[HELD];
  memcpy(semaphores, held_semaphores, sizeof semaphores);
  info.pSemaphores = semaphores;
  info.pValues = held_values;
  CHECK_FAILS(gevt_query(held[0]), GEVT_ERROR_DEINITIALIZED, GEVT_DETAIL_EXITING);
  CHECK_VK(vk.WaitSemaphores(vk.device, &info, (uint64_t)HANG_LIMIT));
  if (check_failures()) {
    fflush(stdout);
    _exit(1);
  }
}

/* gevt closes its own devices on its own threads, and exit may come first. */
static void *open_and_close(void *user) {
  int round;
  (void)user;
  for (round = 0; round < 20; round++) {
    gevt_context_t own = NULL;
    gevt_event_t event = NULL;
    if (gevt_context_open(&own, GEVT_BACKEND_VULKAN, 0) != GEVT_SUCCESS) break;
    if (gevt_create(&event, GEVT_EVENT_DEFAULT) != GEVT_SUCCESS) break;
    check_ignore(gevt_context_set_current(own));
    check_ignore(gevt_record(event, NULL));
    check_ignore(gevt_context_set_current(NULL));
    CHECK_OK(gevt_destroy(event));
    CHECK_OK(gevt_context_close(own));
  }
  return NULL;
}

static void exit_while_devices_end(void) {
  gevt_context_t own = NULL;
  int i;
  for (i = 0; i < 3; i++) thread_start(open_and_close, NULL);
  CHECK_OK(gevt_context_open(&own, GEVT_BACKEND_VULKAN, 0));
  CHECK_OK(gevt_context_close(own));
  sleep_ns((now_ns() % 20) * MILLISECOND);
  exit(check_failures() ? 1 : 3);
}

/* One of gevt's threads is destroying a device: the driver's teardown waits for it. At exit, gevt does not destroy devices that the program
   has not closed. */
static void exit_while_a_device_ends_slowly(void) {
  gevt_context_t own = NULL, other = NULL;
  long long deadline = now_ns() + HANG_LIMIT;
  fault_end_slowly(1500);
  CHECK_OK(gevt_context_open(&own, GEVT_BACKEND_VULKAN, 0));
  layer_prove();
  CHECK_OK(gevt_context_close(own));
  while (fault_calls("vkDestroyDevice") == 0 && now_ns() < deadline) sleep_ns(MILLISECOND / 10);
  CHECK_EQUAL(fault_calls("vkDestroyDevice"), 1);
  CHECK_OK(gevt_context_open(&other, GEVT_BACKEND_VULKAN, 0));
  exit(check_failures() ? 1 : 3);
}

/* The device is destroyed, then the process exits. gevt's context was closed before. */
static void exit_after_the_device(void) {
  gevt_event_t event = event_new();
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_context_close(context));
  CHECK_VK(vk.DeviceWaitIdle(vk.device));
  vk_close();
  exit(check_failures() ? 1 : 3);
}

/* In the child, every call is refused, destroying succeeds, and the program's lock functions are not called. */
static void fork_with_work_under_way(void) {
  gevt_event_t event = event_new(), batched = event_with(GEVT_EVENT_DISABLE_TIMING);
  gevt_vulkan_batch_t batch = batch_empty();
  uint64_t semaphore, value;
  pid_t child;
  CHECK_OK(gevt_record(event, stream));
  fflush(stdout);
  child = fork();
  if (child == 0) {
    gevt_vulkan_queue_t queue = vk_told_queue(0, 1);
    gevt_vulkan_device_t device = vk_told_device();
    gevt_context_t other;
    gevt_stream_t another;
    gevt_event_t point;
    CHECK_FAILS(gevt_query(event), GEVT_ERROR_NOT_INITIALIZED, GEVT_DETAIL_FORKED);
    CHECK_FAILS(gevt_record(event, stream), GEVT_ERROR_NOT_INITIALIZED, GEVT_DETAIL_FORKED);
    CHECK_FAILS(gevt_vulkan_submit_begin(&batch, stream, &batched, 1), GEVT_ERROR_NOT_INITIALIZED, GEVT_DETAIL_FORKED);
    CHECK_FAILS(gevt_vulkan_submit_end(stream, &batch, 0), GEVT_ERROR_NOT_INITIALIZED, GEVT_DETAIL_FORKED);
    CHECK_FAILS(gevt_vulkan_point(&semaphore, &value, event), GEVT_ERROR_NOT_INITIALIZED, GEVT_DETAIL_FORKED);
    CHECK_FAILS(gevt_vulkan_wrap_device(&other, &device), GEVT_ERROR_NOT_INITIALIZED, GEVT_DETAIL_FORKED);
    CHECK_FAILS(gevt_vulkan_wrap_queue(&another, context, &queue), GEVT_ERROR_NOT_INITIALIZED, GEVT_DETAIL_FORKED);
    CHECK_FAILS(gevt_vulkan_wrap_point(&point, context, 1, 1), GEVT_ERROR_NOT_INITIALIZED, GEVT_DETAIL_FORKED);
    CHECK_FAILS(gevt_vulkan_write_time(event, (VkCommandBuffer)&value, 1), GEVT_ERROR_NOT_INITIALIZED,
                GEVT_DETAIL_FORKED);
    CHECK_OK(gevt_destroy(event));
    CHECK_OK(gevt_stream_destroy(stream));
    CHECK_OK(gevt_context_close(context));
    CHECK_EQUAL(vk.locked, 0);
    fflush(stdout);
    _exit(check_failures() ? 1 : 0);
  }
  CHECK_EQUAL(child_end(child), 0);
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_destroy(batched));
  stream_finish(stream);
  CHECK_OK(gevt_context_close(context));
  vk_close();
  exit(check_failures() ? 1 : 3);
}

/* After gevt's exit handler, every call is refused and destroying succeeds. */
static gevt_event_t last_event;

static void after_the_end(void) {
  gevt_vulkan_batch_t batch = batch_empty();
  CHECK_FAILS(gevt_record(last_event, stream), GEVT_ERROR_DEINITIALIZED, GEVT_DETAIL_EXITING);
  CHECK_FAILS(gevt_vulkan_submit_begin(&batch, stream, &last_event, 1), GEVT_ERROR_DEINITIALIZED, GEVT_DETAIL_EXITING);
  CHECK_OK(gevt_destroy(last_event));
  CHECK_OK(gevt_stream_destroy(stream));
  CHECK_OK(gevt_context_close(context));
  if (check_failures()) {
    fflush(stdout);
    _exit(1);
  }
}

static void calls_after_the_end(void) {
  last_event = event_new();
  CHECK_OK(gevt_record(last_event, stream));
  exit(check_failures() ? 1 : 3);
}

static const test_case_t table[] = {
    {"exit_with_work_under_way", exit_with_work_under_way, ALONE, 3},
    {"exit_behind_a_host_function", exit_behind_a_host_function, ALONE, 3},
    {"exit_while_devices_end", exit_while_devices_end, ALONE, 3},
    {"exit_while_a_device_ends_slowly", exit_while_a_device_ends_slowly, ALONE, 3},
    {"plain_exit", plain_exit, ALONE, 3},
    {"exit_after_the_device", exit_after_the_device, ALONE, 3},
    {"fork_with_work_under_way", fork_with_work_under_way, ALONE, 3},
    {"calls_after_the_end", calls_after_the_end, ALONE, 3},
};

static void begin(const test_case_t *chosen) {
  if (chosen->body == plain_exit) return;
  if (chosen->body == exit_while_a_device_ends_slowly) {
    layer_choose();
    return;
  }
  if (chosen->body == calls_after_the_end) atexit(after_the_end);
  vk_open();
  if (chosen->body == exit_behind_a_host_function) atexit(nothing_is_held);
  context = vk_wrap();
  stream = vk_stream(context, 0, 1);
}

static const test_cases_t cases = {table, sizeof table / sizeof *table, begin, NULL, 3, NULL};

int main(int argc, char **argv) {
  subject_choose(argc, argv);
  return cases_main(&cases, argc, argv);
}
