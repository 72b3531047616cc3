/* Timeline semaphore points: gevt's, when the program waits for them, and the program's, as gevt events. */
#include "program.h"

static gevt_status_t point_of(gevt_event_t event, VkSemaphore *semaphore, uint64_t *value) {
  uint64_t bits = 0;
  gevt_status_t status = gevt_vulkan_point(&bits, value, event);
  if (status == GEVT_SUCCESS) memcpy(semaphore, &bits, sizeof bits);
  return status;
}

/* The program waits for a gevt event on the host and in a queue, with its own calls. */
WRAPPED(the_program_waits_for_an_event) {
  gevt_event_t event = untimed();
  VkSemaphore done = vk_timeline(), semaphore = VK_NULL_HANDLE;
  VkSemaphoreWaitInfo wait = {VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, NULL, 0, 1, NULL, NULL};
  VkSemaphoreSubmitInfo wait_for, signal = vk_point(done, 1);
  uint64_t value = 0, one = 1;
  queue_hold();
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(point_of(event, &semaphore, &value));
  wait.pSemaphores = &semaphore;
  wait.pValues = &value;
  CHECK_EQUAL(vk.WaitSemaphores(vk.device, &wait, 0), VK_TIMEOUT);
  wait_for = vk_point(semaphore, value);
  vk_lock(&vk);
  CHECK_VK(vk_submit(vk.queues[vk.queue_count - 1], NULL, &wait_for, 1, &signal, 1));
  vk_unlock(&vk);
  queue_release();
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
WRAPPED(a_point_of_the_programs) {
  VkSemaphore own = vk_timeline();
  gevt_event_t first = vk_point_event(context, own, 1), second = vk_point_event(context, own, 2), behind = untimed();
  gevt_event_t both[2] = {second, first};
  size_t index = 9;
  int calls = 0;
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

WRAPPED(refused) {
  gevt_event_t event = untimed(), out;
  VkSemaphore own = vk_timeline();
  uint64_t semaphore, value;
  pattern_fill(&out, sizeof out);
  /* An event that was never recorded needs no wait. */
  CHECK_OK(gevt_vulkan_point(&semaphore, &value, event));
  CHECK_EQUAL(semaphore, 0);
  CHECK_EQUAL(value, 0);
  pattern_fill(&semaphore, sizeof semaphore);
  pattern_fill(&value, sizeof value);
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
WRAPPED(cannot_be_recorded) {
  VkSemaphore own = vk_timeline();
  gevt_event_t event = vk_point_event(context, own, 1), timed = event_new();
  float ms;
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

VK_MAIN
