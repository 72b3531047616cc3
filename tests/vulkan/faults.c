/* Every Vulkan call that gevt makes fails in turn: out of host memory, out of device memory, device lost, timeout. It fails once, or from
   then on. gevt may not crash, hang, or leak an object. After a temporary failure, the same calls work. No call is made on a thread that can
   be cancelled: a driver may reach a cancellation point in any of them.
   usage: faults own|wrapped */
#include "batch.h"
#include "layer.h"

#include <signal.h>

/* The time limit of a wait, and roughly of a run. */
#define LIMIT ((uint64_t)HANG_LIMIT)
#define RUN_SECONDS 500

static const char *run_name;
static uint64_t run_at;
static int calls_pending;

static void on_alarm(int number) {
  (void)number;
  printf("FAILED: %s, call %llu (%s): it hangs\n", run_name, (unsigned long long)run_at,
         fault_function() ? fault_function() : "none");
  fflush(stdout);
  _exit(1);
}

/* Any failure is accepted if it has a message. No wait may end before its timeout, and no failure may be an internal error. */
static gevt_status_t answered(gevt_status_t status, const char *call) {
  if (status == GEVT_SUCCESS || status == GEVT_ERROR_NOT_READY) return status;
  if (status == GEVT_ERROR_TIMEOUT || gevt_last_detail() == GEVT_DETAIL_INTERNAL ||
      gevt_last_detail() == GEVT_DETAIL_NONE || !*gevt_last_message()) {
    check_failed(__FILE__, __LINE__, call);
    printf("    %s: %s: \"%s\"\n", gevt_status_name(status), gevt_detail_name(gevt_last_detail()), gevt_last_message());
  }
  return status;
}
#define ANSWERED(call) answered((call), #call)

static void count_answer(void *user, gevt_status_t status) {
  (void)status;
  __atomic_sub_fetch((int *)user, 1, __ATOMIC_SEQ_CST);
}

/* Every accepted callback is called exactly once. */
static int calls_answered(void) {
  long long deadline = now_ns() + HANG_LIMIT;
  while (count_of(&calls_pending) > 0) {
    if (now_ns() > deadline) return 0;
    sleep_ns(MILLISECOND / 10);
  }
  return count_of(&calls_pending) == 0;
}

/* If waits are to fail, the function runs until a thread waits for work queued after it. */
static int32_t run_result;
static uint64_t waits_before;

static void pass(void *user) {
  long long deadline = now_ns() + HANG_LIMIT;
  (void)user;
  while (run_result == VK_TIMEOUT && fault_calls("vkWaitSemaphores") == waits_before && now_ns() < deadline)
    sleep_ns(MILLISECOND / 10);
}

/* Typical work with streams and events, even after failures. Returns 0 if any call failed. */
static int use(gevt_stream_t stream, gevt_stream_t other) {
  gevt_event_t timed = NULL, end = NULL, plain = NULL, late = NULL;
  gevt_event_t pair[2];
  int64_t ns;
  size_t index;
  int failed = 0;
  failed += ANSWERED(gevt_create(&timed, GEVT_EVENT_DEFAULT)) != GEVT_SUCCESS;
  failed += ANSWERED(gevt_create(&end, GEVT_EVENT_DEFAULT)) != GEVT_SUCCESS;
  failed += ANSWERED(gevt_create(&plain, GEVT_EVENT_DISABLE_TIMING)) != GEVT_SUCCESS;
  failed += ANSWERED(gevt_create(&late, GEVT_EVENT_DISABLE_TIMING)) != GEVT_SUCCESS;
  failed += ANSWERED(gevt_record(timed, stream)) != GEVT_SUCCESS;
  failed += ANSWERED(gevt_stream_wait(other, timed, GEVT_WAIT_DEFAULT)) != GEVT_SUCCESS;
  failed += ANSWERED(gevt_record(plain, other)) != GEVT_SUCCESS;
  waits_before = fault_calls("vkWaitSemaphores");
  failed += ANSWERED(gevt_stream_launch(stream, pass, NULL)) != GEVT_SUCCESS;
  failed += ANSWERED(gevt_record(end, stream)) != GEVT_SUCCESS;
  if (ANSWERED(gevt_on_complete(end, count_answer, &calls_pending)) == GEVT_SUCCESS) {
    __atomic_add_fetch(&calls_pending, 1, __ATOMIC_SEQ_CST);
  } else {
    failed++;
  }
  check_ignore(ANSWERED(gevt_query(plain)));
  pair[0] = plain;
  pair[1] = end;
  failed += ANSWERED(gevt_sync_any(&index, pair, 2, LIMIT)) != GEVT_SUCCESS;
  failed += ANSWERED(gevt_sync_all(pair, 2, LIMIT)) != GEVT_SUCCESS;
  failed += ANSWERED(gevt_sync_timeout(end, LIMIT)) != GEVT_SUCCESS;
  failed += ANSWERED(gevt_elapsed_ns(&ns, timed, end)) != GEVT_SUCCESS;
  failed += ANSWERED(gevt_record(late, stream)) != GEVT_SUCCESS;
  failed += ANSWERED(gevt_stream_sync_timeout(stream, LIMIT)) != GEVT_SUCCESS;
  failed += ANSWERED(gevt_context_sync_timeout(NULL, LIMIT)) != GEVT_SUCCESS;
  failed += ANSWERED(gevt_query(late)) != GEVT_SUCCESS;
  /* Destroying succeeds even if the device reports errors. */
  if (timed) CHECK_OK(gevt_destroy(timed));
  if (end) CHECK_OK(gevt_destroy(end));
  if (plain) CHECK_OK(gevt_destroy(plain));
  if (late) CHECK_OK(gevt_destroy(late));
  return failed == 0;
}

/* A device that gevt opens. */
static int run_own(void) {
  gevt_context_t context = NULL;
  gevt_stream_t stream = NULL, other = NULL;
  int fine = 0;
  if (ANSWERED(gevt_context_open(&context, GEVT_BACKEND_VULKAN, 0)) != GEVT_SUCCESS) return 0;
  CHECK_OK(gevt_context_set_current(context));
  if (ANSWERED(gevt_stream_create(&stream, context, GEVT_STREAM_DEFAULT)) == GEVT_SUCCESS &&
      ANSWERED(gevt_stream_create(&other, context, GEVT_STREAM_NON_BLOCKING)) == GEVT_SUCCESS) {
    fine = use(stream, other);
  }
  if (other) CHECK_OK(gevt_stream_destroy(other));
  if (stream) CHECK_OK(gevt_stream_destroy(stream));
  CHECK_OK(gevt_context_set_current(NULL));
  CHECK_OK(gevt_context_close(context));
  return fine;
}

/* The program's submit with events in it. The program's calls may also fail, as the driver's would. */
static int use_batches(gevt_stream_t stream) {
  gevt_event_t start = NULL, end = NULL;
  VkCommandBuffer commands;
  VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
  gevt_vulkan_batch_t batch = batch_empty();
  gevt_event_t both[2];
  int64_t ns;
  int failed = 0;
  fault_spare(1);
  commands = vk_commands_begin();
  fault_spare(0);
  failed += ANSWERED(gevt_create_in(&start, NULL, GEVT_EVENT_DEFAULT)) != GEVT_SUCCESS;
  failed += ANSWERED(gevt_create_in(&end, NULL, GEVT_EVENT_DEFAULT)) != GEVT_SUCCESS;
  both[0] = start;
  both[1] = end;
  if (start)
    failed += ANSWERED(gevt_vulkan_write_time(start, commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT)) != GEVT_SUCCESS;
  if (end)
    failed += ANSWERED(gevt_vulkan_write_time(end, commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT)) != GEVT_SUCCESS;
  fault_spare(1);
  VK_MUST(vk.EndCommandBuffer(commands));
  fault_spare(0);
  if (failed == 0 && ANSWERED(gevt_vulkan_submit_begin(&batch, stream, both, 2)) == GEVT_SUCCESS) {
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    result = batch_pass_on(&batch, vk.queues[0], commands);
    pthread_setcancelstate(before, &before);
    failed += ANSWERED(gevt_vulkan_submit_end(stream, &batch, result)) != GEVT_SUCCESS;
    failed += result != VK_SUCCESS;
    failed += ANSWERED(gevt_sync_timeout(end, LIMIT)) != GEVT_SUCCESS;
    failed += ANSWERED(gevt_elapsed_ns(&ns, start, end)) != GEVT_SUCCESS;
  } else {
    failed++;
  }
  CHECK(vk_is_given_back());
  if (start) CHECK_OK(gevt_destroy(start));
  if (end) CHECK_OK(gevt_destroy(end));
  fault_spare(1);
  /* A gevt thread may be about to submit the work queued after a host function. */
  vk_lock(&vk);
  check_ignore((gevt_status_t)vk.QueueWaitIdle(vk.queues[0]));
  vk_unlock(&vk);
  vk_commands_free(commands);
  fault_spare(0);
  return failed == 0;
}

/* The program's device, created again for each run, because a lost device stays lost. */
static int run_wrapped(void) {
  gevt_vulkan_device_t device;
  gevt_vulkan_queue_t queue;
  gevt_context_t context = NULL;
  gevt_stream_t stream = NULL;
  int fine = 0;
  fault_spare(1);
  vk_open_device();
  fault_spare(0);
  device = vk_told_device();
  queue = vk_told_queue(0, 1);
  if (ANSWERED(gevt_vulkan_wrap_device(&context, &device)) == GEVT_SUCCESS) {
    CHECK_OK(gevt_context_set_current(context));
    if (ANSWERED(gevt_vulkan_wrap_queue(&stream, context, &queue)) == GEVT_SUCCESS) {
      fine = use(stream, stream);
      fine &= use_batches(stream);
    }
    if (stream) CHECK_OK(gevt_stream_destroy(stream));
    CHECK_OK(gevt_context_set_current(NULL));
    CHECK_OK(gevt_context_close(context));
  }
  CHECK(vk_is_given_back());
  /* Work of the closed context may still run. The owner waits for it before destroying the device. */
  fault_spare(1);
  check_ignore((gevt_status_t)vk.DeviceWaitIdle(vk.device));
  vk_close_device();
  fault_spare(0);
  return fine;
}

/* Returns how many calls could have failed; 0 if the failure came too late. */
static int one_run(int (*run)(void), const char *name, uint64_t at, int32_t result, int lasting, int64_t live) {
  int before = check_failures(), fine, hit;
  const char *function;
  run_name = name;
  run_at = at;
  calls_pending = 0;
  alarm(RUN_SECONDS);
  fault_arm(at, result, lasting);
  fine = run();
  hit = fault_function() != NULL;
  function = fault_function();
  fault_disarm();
  if (!hit && !fine) CHECK(fine);
  if (!CHECK(calls_answered())) printf("    a callback was not called\n");
  if (!CHECK(layer_await(live))) fault_print_live();
  if (!CHECK_EQUAL(gevt_live_events(), 0)) printf("    events\n");
  alarm(0);
  if (check_failures() != before)
    printf("  %s: FAILED at call %llu, %s\n", name, (unsigned long long)at, function ? function : "none");
  return hit;
}

static void in_turn(int (*run)(void), const char *name, int32_t result, int lasting) {
  int64_t live;
  uint64_t at, tried = 0;
  int hit = 1;
  run_result = result;
  /* What is left after a run without a failure may stay, such as an instance. */
  fault_arm(0, result, lasting);
  calls_pending = 0;
  CHECK(run());
  fault_disarm();
  CHECK(calls_answered());
  sleep_ns(50 * MILLISECOND);
  live = fault_live();
  /* A wait reads a counter hundreds of times: of the later calls every seventh will do. */
  for (at = 1; hit && check_failures() < 20; at += at < 80 ? 1 : 7) {
    hit = one_run(run, name, at, result, lasting, live);
    tried += (uint64_t)hit;
  }
  printf("%s: %llu calls failed in turn\n", name, (unsigned long long)tried);
  CHECK(tried > 0);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    int32_t result;
    int lasting;
  } ways[] = {
      {"out of host memory, once", VK_ERROR_OUT_OF_HOST_MEMORY, 0},
      {"out of device memory, once", VK_ERROR_OUT_OF_DEVICE_MEMORY, 0},
      {"device lost, once", VK_ERROR_DEVICE_LOST, 0},
      {"time out, once", VK_TIMEOUT, 0},
      {"out of host memory, for good", VK_ERROR_OUT_OF_HOST_MEMORY, 1},
      {"device lost, for good", VK_ERROR_DEVICE_LOST, 1},
  };
  int is_own, only = argc > 2 ? atoi(argv[2]) : -1, way;
  if (argc < 2) return 2;
  is_own = strcmp(argv[1], "own") == 0;
  subject_program = argv[0];
  setvbuf(stdout, NULL, _IOLBF, 0);
  setenv("GEVT_BACKEND", "vulkan", 1);
  signal(SIGALRM, on_alarm);
  layer_choose();
  subject_prove_library();
  fault_spare(1);
  vk_open();
  fault_spare(0);
  layer_prove();
  fault_spare(1);
  vk_close_device();
  fault_spare(0);
  for (way = 0; way < (int)(sizeof ways / sizeof *ways); way++) {
    if (only >= 0 && only != way) continue;
    subject_case(ways[way].name);
    in_turn(is_own ? run_own : run_wrapped, ways[way].name, ways[way].result, ways[way].lasting);
  }
  if (!CHECK(fault_cancelable() == NULL)) printf("    %s\n", fault_cancelable());
  return subject_end();
}
