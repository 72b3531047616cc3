/* Ends with work on a program's device: exit, fork and dlclose, and the exit of a program that has let its device go.
   usage: ends [vulkan [CASE]] */
#include "batch.h"

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

/* A queue that stands still, a thread that waits, a callback, a batch that is open. */
static void leave_work_under_way(void) {
  gevt_event_t event = event_new(), batched = event_with(GEVT_EVENT_DISABLE_TIMING), point = NULL;
  VkSemaphore gate = vk_timeline();
  static gevt_vulkan_batch_t batch;
  CHECK_OK(gevt_vulkan_adopt_point(&point, context, vk_bits(gate), 2));
  vk_hold(0, gate, 1);
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_on_complete(event, never_called, NULL));
  thread_start(wait_for_ever, event);
  thread_start(wait_for_ever, point);
  batch = batch_empty();
  CHECK_OK(gevt_vulkan_submit_begin(&batch, stream, &batched, 1));
}

static void exit_with_work_under_way(void) {
  leave_work_under_way();
  exit(check_failures() ? 1 : 3);
}

/* The device goes, then the process; gevt's context was closed before. */
static void exit_after_the_device(void) {
  gevt_event_t event = event_new();
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_context_close(context));
  CHECK_VK(vk.DeviceWaitIdle(vk.device));
  vk_close();
  exit(check_failures() ? 1 : 3);
}

/* In the child every call is refused, an end succeeds, and no lock function of the program's is called. */
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
    CHECK_FAILS(gevt_vulkan_adopt_device(&other, &device), GEVT_ERROR_NOT_INITIALIZED, GEVT_DETAIL_FORKED);
    CHECK_FAILS(gevt_vulkan_adopt_queue(&another, context, &queue), GEVT_ERROR_NOT_INITIALIZED, GEVT_DETAIL_FORKED);
    CHECK_FAILS(gevt_vulkan_adopt_point(&point, context, 1, 1), GEVT_ERROR_NOT_INITIALIZED, GEVT_DETAIL_FORKED);
    CHECK_FAILS(gevt_vulkan_write_time(event, &value, 1), GEVT_ERROR_NOT_INITIALIZED, GEVT_DETAIL_FORKED);
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

/* After the end of gevt each call is refused and an end succeeds. */
static gevt_event_t kept;

static void after_the_end(void) {
  gevt_vulkan_batch_t batch = batch_empty();
  CHECK_FAILS(gevt_record(kept, stream), GEVT_ERROR_DEINITIALIZED, GEVT_DETAIL_EXITING);
  CHECK_FAILS(gevt_vulkan_submit_begin(&batch, stream, &kept, 1), GEVT_ERROR_DEINITIALIZED, GEVT_DETAIL_EXITING);
  CHECK_OK(gevt_destroy(kept));
  CHECK_OK(gevt_stream_destroy(stream));
  CHECK_OK(gevt_context_close(context));
  if (check_failures()) {
    fflush(stdout);
    _exit(1);
  }
}

static void calls_after_the_end(void) {
  kept = event_new();
  CHECK_OK(gevt_record(kept, stream));
  exit(check_failures() ? 1 : 3);
}

static const test_case_t table[] = {
    {"exit_with_work_under_way", exit_with_work_under_way, ALONE, 3},
    {"exit_after_the_device", exit_after_the_device, ALONE, 3},
    {"fork_with_work_under_way", fork_with_work_under_way, ALONE, 3},
    {"calls_after_the_end", calls_after_the_end, ALONE, 3},
};

static void begin(const test_case_t *chosen) {
  if (chosen->body == calls_after_the_end) atexit(after_the_end);
  vk_open();
  context = vk_adopt();
  stream = vk_stream(context, 0, 1);
}

static const char *reason_to_skip(const test_case_t *chosen) {
  (void)chosen;
  return NULL;
}

static const test_cases_t cases = {table, sizeof table / sizeof *table, begin, reason_to_skip, 3, NULL};

int main(int argc, char **argv) {
  subject_choose(argc, argv);
  return cases_main(&cases, argc, argv);
}
