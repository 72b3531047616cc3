/* Ends with work on a program's device: exit, fork and dlclose, and the exit of a program that has let its device go.
   usage: ends [vulkan [CASE]] */
#include "program.h"
#include "layer.h"

static void *wait_for_ever(void *user) {
  check_ignore(gevt_sync((gevt_event_t)user));
  return NULL;
}

static void never_called(void *user, gevt_status_t status) {
  (void)user, (void)status;
}

/* A blocked queue, a waiting thread, a callback, and an open batch. */
static void leave_work_under_way(void) {
  gevt_event_t event = event_new(), batched = untimed(), point = vk_point_event(context, queue_gate, 2);
  static gevt_vulkan_batch_t batch;
  queue_hold();
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_on_complete(event, never_called, NULL));
  thread_start(wait_for_ever, event);
  thread_start(wait_for_ever, point);
  batch = batch_empty();
  CHECK_OK(gevt_vulkan_submit_begin(&batch, stream, &batched, 1));
}

/* A process without gevt that exits with a blocked queue. */
ALONE_CASE(plain_exit, 3) {
  vk_open();
  vk_hold(0, vk_timeline(), 1);
  exit(3);
}

ALONE_CASE(exit_with_work_under_way, 3) {
  leave_work_under_way();
  exit(check_failures() ? 1 : 3);
}

/* A host function holds up work in the queue and on the host. Exit lets all of it finish, because a driver may wait for its queues then. */
enum { HELD = 4 };
static gevt_event_t held[HELD];
static uint64_t held_semaphores[HELD], held_values[HELD];

ALONE_CASE(exit_behind_a_host_function, 3) {
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

static void exit_if_failed(void) {
  fflush(stdout);
  if (check_failures()) _exit(1);
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
  exit_if_failed();
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

ALONE_CASE(exit_while_devices_end, 3) {
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
ALONE_CASE(exit_while_a_device_ends_slowly, 3) {
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

static void device_close(void) {
  vk_semaphore_destroy(queue_gate);
  vk_close();
}

/* The device is destroyed, then the process exits. gevt's context was closed before. */
ALONE_CASE(exit_after_the_device, 3) {
  gevt_event_t event = event_new();
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_context_close(context));
  CHECK_VK(vk.DeviceWaitIdle(vk.device));
  device_close();
  exit(check_failures() ? 1 : 3);
}

/* In the child, every call is refused, destroying succeeds, and the program's lock functions are not called. */
ALONE_CASE(fork_with_work_under_way, 3) {
  gevt_event_t event = event_new(), batched = untimed();
  gevt_vulkan_batch_t batch = batch_empty();
  pid_t child;
  CHECK_OK(gevt_record(event, stream));
  fflush(stdout);
  child = fork();
  if (child == 0) {
    CHECK_FAILS(gevt_query(event), GEVT_ERROR_NOT_INITIALIZED, GEVT_DETAIL_FORKED);
    CHECK_FAILS(gevt_record(event, stream), GEVT_ERROR_NOT_INITIALIZED, GEVT_DETAIL_FORKED);
    CHECK_FAILS(gevt_vulkan_submit_begin(&batch, stream, &batched, 1), GEVT_ERROR_NOT_INITIALIZED, GEVT_DETAIL_FORKED);
    CHECK_FAILS(gevt_vulkan_submit_end(stream, &batch, 0), GEVT_ERROR_NOT_INITIALIZED, GEVT_DETAIL_FORKED);
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
  device_close();
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
  exit_if_failed();
}

ALONE_CASE(calls_after_the_end, 3) {
  last_event = event_new();
  CHECK_OK(gevt_record(last_event, stream));
  exit(check_failures() ? 1 : 3);
}

static void begin(const test_case_t *chosen) {
  if (chosen->body == plain_exit) return;
  if (chosen->body == exit_while_a_device_ends_slowly) {
    layer_choose();
    return;
  }
  if (chosen->body == calls_after_the_end) atexit(after_the_end);
  vk_open();
  if (chosen->body == exit_behind_a_host_function) atexit(nothing_is_held);
  vk_begin(1);
}

int main(int argc, char **argv) {
  return vk_main_alone(argc, argv, begin, 3, NULL);
}
