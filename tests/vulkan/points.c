/* Timeline semaphore points: gevt's, when the program waits for them, and the program's, as gevt events. */
#include "batch.h"

static gevt_context_t context;

static gevt_status_t point_of(gevt_event_t event, VkSemaphore *semaphore, uint64_t *value) {
  uint64_t bits = 0;
  gevt_status_t status = gevt_vulkan_point(&bits, value, event);
  if (status == GEVT_SUCCESS) memcpy(semaphore, &bits, sizeof bits);
  return status;
}

/* The program waits for a gevt event on the host and in a queue, with its own calls. */
static void the_program_waits_for_an_event(void) {
  gevt_stream_t stream = vk_stream(context, 0, 1);
  gevt_event_t event = event_with(GEVT_EVENT_DISABLE_TIMING);
  VkSemaphore gate = vk_timeline(), done = vk_timeline(), semaphore = VK_NULL_HANDLE;
  VkSemaphoreWaitInfo wait = {VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, NULL, 0, 1, NULL, NULL};
  VkSemaphoreSubmitInfo wait_for, signal = vk_point(done, 1);
  uint64_t value = 0, one = 1;
  vk_hold(0, gate, 1);
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(point_of(event, &semaphore, &value));
  wait.pSemaphores = &semaphore;
  wait.pValues = &value;
  CHECK_EQUAL(vk.WaitSemaphores(vk.device, &wait, 0), VK_TIMEOUT);
  wait_for = vk_point(semaphore, value);
  vk_lock(&vk);
  CHECK_VK(vk_submit(vk.queues[vk.queue_count - 1], NULL, &wait_for, 1, &signal, 1));
  vk_unlock(&vk);
  vk_signal(gate, 1);
  CHECK_VK(vk.WaitSemaphores(vk.device, &wait, (uint64_t)HANG_LIMIT));
  CHECK_OK(gevt_sync(event));
  wait.pSemaphores = &done;
  wait.pValues = &one;
  CHECK_VK(vk.WaitSemaphores(vk.device, &wait, (uint64_t)HANG_LIMIT));
  /* A completed event also has a point. */
  CHECK_OK(point_of(event, &semaphore, &value));
  wait.pSemaphores = &semaphore;
  wait.pValues = &value;
  CHECK_VK(vk.WaitSemaphores(vk.device, &wait, 0));
  CHECK_OK(gevt_stream_sync(stream));
  CHECK_VK(vk.QueueWaitIdle(vk.queues[vk.queue_count - 1]));
}

/* A value of the program's semaphore as an event: queried, waited for by the host with a timeout and by a stream, any and all. */
static void a_point_of_the_programs(void) {
  gevt_stream_t stream = vk_stream(context, 0, 1);
  VkSemaphore own = vk_timeline();
  gevt_event_t first = NULL, second = NULL, behind = event_with(GEVT_EVENT_DISABLE_TIMING);
  gevt_event_t both[2];
  size_t index = 9;
  int calls = 0;
  first = vk_point_event(context, own, 1);
  second = vk_point_event(context, own, 2);
  both[0] = second;
  both[1] = first;
  CHECK_NOT_READY(gevt_query(first));
  CHECK_EQUAL(event_info(first).state, GEVT_STATE_PENDING);
  CHECK_FAILS(gevt_sync_timeout(first, 1000000), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  CHECK_OK(gevt_on_complete(second, count_call, &calls));
  CHECK_OK(gevt_stream_wait(stream, second, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(behind, stream));
  vk_signal(own, 1);
  CHECK_OK(gevt_sync_any(&index, both, 2, (uint64_t)HANG_LIMIT));
  CHECK_EQUAL(index, 1);
  CHECK_OK(gevt_query(first));
  CHECK_NOT_READY(gevt_query(second));
  CHECK_NOT_READY(gevt_query(behind));
  CHECK_EQUAL(count_of(&calls), 0);
  vk_signal(own, 2);
  CHECK_OK(gevt_sync_all(both, 2, (uint64_t)HANG_LIMIT));
  CHECK_OK(gevt_sync(behind));
  CHECK(count_await(&calls, 1));
}

static void refused(void) {
  gevt_event_t event = event_with(GEVT_EVENT_DISABLE_TIMING), dead = event_stale(), out;
  VkSemaphore own = vk_timeline();
  uint64_t semaphore, value;
  pattern_fill(&out, sizeof out);
  /* An event that was never recorded needs no wait. */
  CHECK_OK(gevt_vulkan_point(&semaphore, &value, event));
  CHECK_EQUAL(semaphore, 0);
  CHECK_EQUAL(value, 0);
  pattern_fill(&semaphore, sizeof semaphore);
  pattern_fill(&value, sizeof value);
  CHECK_FAILS(gevt_vulkan_point(&semaphore, &value, dead), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  CHECK_FAILS(gevt_vulkan_point(&semaphore, &value, NULL), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_NULL_HANDLE);
  CHECK_FAILS(gevt_vulkan_point(NULL, &value, event), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_vulkan_point(&semaphore, NULL, event), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK(pattern_intact(&semaphore, sizeof semaphore) && pattern_intact(&value, sizeof value));
  CHECK_FAILS(gevt_vulkan_wrap_point(NULL, context, vk_bits(own), 1), GEVT_ERROR_INVALID_VALUE,
              GEVT_DETAIL_NULL_POINTER);
  CHECK(gevt_vulkan_wrap_point(&out, context, 0, 1) != GEVT_SUCCESS);
  CHECK(gevt_vulkan_wrap_point(&out, (gevt_context_t)event, vk_bits(own), 1) != GEVT_SUCCESS);
  CHECK(pattern_intact(&out, sizeof out));
}

/* The point is the program's: gevt does not record it. */
static void cannot_be_recorded(void) {
  gevt_stream_t stream = vk_stream(context, 0, 1);
  VkSemaphore own = vk_timeline();
  gevt_event_t event = NULL, timed = event_new();
  float ms;
  event = vk_point_event(context, own, 1);
  CHECK_STATUS(gevt_record(event, stream), GEVT_ERROR_NOT_SUPPORTED);
  CHECK_NOT_READY(gevt_query(event));
  CHECK_STATUS(batch_submit(stream, 0, 1, NULL, &event, 1), GEVT_ERROR_NOT_SUPPORTED);
  CHECK_EQUAL(vk.locked, 0);
  vk_signal(own, 1);
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_record(timed, stream));
  CHECK_OK(gevt_sync(timed));
  CHECK(gevt_elapsed(&ms, event, timed) != GEVT_SUCCESS);
}

int main(int argc, char **argv) {
  subject_choose(argc, argv);
  vk_open();
  context = vk_wrap();
  RUN(the_program_waits_for_an_event);
  RUN(a_point_of_the_programs);
  RUN(refused);
  RUN(cannot_be_recorded);
  CHECK_EQUAL(gevt_live_events(), 0);
  CHECK_OK(gevt_context_close(context));
  vk_close();
  return subject_end();
}
