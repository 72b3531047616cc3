/* Streams that collect their waits for the next submit: host work and the stream's destruction still come after the waits. */
#include "program.h"

static gevt_event_t point, held, behind;
static int calls;

/* The stream waits for a point that is pending on the device. */
static void begin(int with_lock) {
  gevt_vulkan_queue_t told = vk_told_queue(0, with_lock);
  told.flags = GEVT_VULKAN_COLLECT_WAITS;
  vk_begin(with_lock);
  CHECK_OK(gevt_stream_destroy(stream));
  CHECK_OK(gevt_vulkan_wrap_queue(&stream, context, &told));
  calls = 0;
  point = vk_point_event(context, queue_gate, 1);
  held = event_with(GEVT_EVENT_HOST_SIGNALED);
  behind = untimed();
  CHECK_OK(gevt_stream_wait(stream, point, GEVT_WAIT_DEFAULT));
}

/* No work after the point runs before the signal, and all of it runs afterwards. */
static void end(int expected_calls) {
  CHECK_FAILS(gevt_sync_timeout(behind, 20 * MILLISECOND), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  CHECK_NOT_READY(gevt_query(behind));
  CHECK_NOT_READY(gevt_stream_query(stream));
  CHECK_EQUAL(count_of(&calls), 0);
  vk_signal(queue_gate, 1);
  CHECK_OK(gevt_sync(behind));
  CHECK_OK(gevt_stream_sync(stream));
  CHECK_EQUAL(count_of(&calls), expected_calls);
  CHECK_VK(vk.DeviceWaitIdle(vk.device));
}

ON_DEVICE(before_a_wait_for_the_program) {
  begin(1);
  CHECK_OK(gevt_stream_wait(stream, held, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_stream_launch(stream, count_up, &calls));
  CHECK_OK(gevt_record(behind, stream));
  CHECK_OK(gevt_signal(held, GEVT_SUCCESS));
  end(1);
}

/* The event is pending on the host, because its stream waits there. It has no queue submit yet. */
ON_DEVICE(before_a_wait_for_a_backlog) {
  gevt_stream_t other;
  gevt_event_t late = untimed();
  begin(1);
  other = vk_stream(context, 0, 1);
  CHECK_OK(gevt_stream_wait(other, held, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(late, other));
  CHECK_OK(gevt_stream_wait(stream, late, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_stream_launch(stream, count_up, &calls));
  CHECK_OK(gevt_record(behind, stream));
  CHECK_OK(gevt_signal(held, GEVT_SUCCESS));
  CHECK_OK(gevt_sync(late));
  end(1);
}

/* Work that was launched while the batch was open still follows the waits that the batch took. */
ON_DEVICE(taken_by_a_batch_that_fails) {
  gevt_vulkan_batch_t batch = batch_empty();
  begin(1);
  CHECK_OK(gevt_vulkan_submit_begin(&batch, stream, NULL, 0));
  CHECK_OK(gevt_stream_launch(stream, count_up, &calls));
  CHECK_OK(gevt_vulkan_submit_end(stream, &batch, VK_ERROR_OUT_OF_HOST_MEMORY));
  CHECK_OK(gevt_record(behind, stream));
  end(1);
}

/* Without lock functions, the waits stay collected until the next batch. */
ON_DEVICE(without_lock_functions) {
  begin(0);
  CHECK_FAILS(gevt_stream_launch(stream, count_up, &calls), GEVT_ERROR_NOT_SUPPORTED, GEVT_DETAIL_UNSUPPORTED);
  CHECK_OK(gevt_stream_wait(stream, held, GEVT_WAIT_DEFAULT));
  CHECK_FAILS(gevt_stream_launch(stream, count_up, &calls), GEVT_ERROR_NOT_SUPPORTED, GEVT_DETAIL_UNSUPPORTED);
  CHECK_OK(gevt_signal(held, GEVT_SUCCESS));
  CHECK_FAILS(gevt_stream_sync_timeout(stream, 20 * MILLISECOND), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  CHECK_FAILS(gevt_context_sync_timeout(context, 20 * MILLISECOND), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  CHECK_OK(batch_submit(stream, 0, 0, NULL, &behind, 1));
  CHECK_OK(gevt_stream_launch(stream, count_up, &calls));
  end(1);
}

/* The stream is destroyed without a batch in between. */
static void *signal_later(void *user) {
  (void)user;
  vk_signal(queue_gate, 1);
  return NULL;
}

ON_DEVICE(synchronized_without_lock_functions) {
  pthread_t thread;
  uint64_t counter = 0;
  begin(0);
  CHECK_NOT_READY(gevt_stream_query(stream));
  thread = thread_start(signal_later, NULL);
  CHECK_OK(gevt_stream_sync(stream));
  CHECK_VK(vk.GetSemaphoreCounterValue(vk.device, queue_gate, &counter));
  CHECK_EQUAL(counter, 1);
  CHECK_OK(gevt_stream_query(stream));
  thread_join(thread);
}

enum { COPY = VK_PIPELINE_STAGE_TRANSFER_BIT, SHADE = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT };

/* Waits with stages, on a queue that does not collect waits by itself: the next batch has them, each semaphore once. */
WRAPPED(with_stages) {
  gevt_vulkan_batch_t batch = batch_empty();
  gevt_event_t never, other, later = NULL;
  VkSemaphore second = vk_timeline();
  const VkSemaphoreSubmitInfo *waits;
  const VkSemaphore *semaphores;
  uint32_t i;
  never = untimed();
  behind = untimed();
  point = vk_point_event(context, queue_gate, 1);
  later = vk_point_event(context, queue_gate, 2);
  other = vk_point_event(context, second, 3);
  CHECK_OK(gevt_vulkan_stream_wait(stream, never, COPY));
  CHECK_OK(gevt_vulkan_stream_wait(stream, later, COPY));
  CHECK_OK(gevt_vulkan_stream_wait(stream, point, SHADE));
  CHECK_OK(gevt_vulkan_stream_wait(stream, other, VK_PIPELINE_STAGE_2_COPY_BIT));
  CHECK_FAILS(gevt_vulkan_stream_wait(stream, point, 0), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_ARGUMENT);
  CHECK_EQUAL(vk.locks, vk.unlocks);
  CHECK_OK(gevt_vulkan_submit_begin(&batch, stream, &behind, 1));
  if (CHECK_EQUAL(batch.wait_count, 2)) {
    static const struct {
      uint64_t value, stages;
      uint32_t narrow;
    } expected[] = {{2, COPY | SHADE, COPY | SHADE},
                    {3, VK_PIPELINE_STAGE_2_COPY_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT}};
    waits = (const VkSemaphoreSubmitInfo *)batch.waits;
    semaphores = (const VkSemaphore *)batch.wait_semaphores;
    for (i = 0; i < 2; i++) {
      CHECK(waits[i].semaphore == (i ? second : queue_gate) && semaphores[i] == waits[i].semaphore);
      CHECK_EQUAL(waits[i].value, expected[i].value);
      CHECK_EQUAL(waits[i].stageMask, expected[i].stages);
      CHECK_EQUAL(batch.wait_stages[i], expected[i].narrow);
    }
  }
  CHECK_OK(gevt_vulkan_submit_end(stream, &batch, batch_pass_on(&batch, vk.queues[0], NULL)));
  CHECK_FAILS(gevt_sync_timeout(behind, 5 * MILLISECOND), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  vk_signal(second, 3);
  vk_signal(queue_gate, 2);
  CHECK_OK(gevt_sync(behind));
  /* A record takes such a wait as well. */
  CHECK_OK(gevt_destroy(point));
  point = vk_point_event(context, queue_gate, 4);
  CHECK_OK(gevt_vulkan_stream_wait(stream, point, COPY));
  CHECK_OK(gevt_record(behind, stream));
  CHECK_FAILS(gevt_sync_timeout(behind, 5 * MILLISECOND), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  vk_signal(queue_gate, 4);
  CHECK_OK(gevt_sync(behind));
}

/* An event of a host stream, and what is behind one, hold the whole stream. */
ON_DEVICE(with_stages_behind_the_host) {
  begin(1);
  CHECK_OK(gevt_vulkan_stream_wait(stream, held, COPY));
  CHECK_OK(gevt_stream_launch(stream, count_up, &calls));
  CHECK_OK(gevt_record(behind, stream));
  CHECK_OK(gevt_signal(held, GEVT_SUCCESS));
  end(1);
}

VK_MAIN
