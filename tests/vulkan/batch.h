/* A submit by the program that carries events: gevt_vulkan_submit_begin, vkQueueSubmit2, gevt_vulkan_submit_end. */
#ifndef GEVT_TESTS_BATCH_H
#define GEVT_TESTS_BATCH_H

#include "vk.h"

static inline gevt_vulkan_batch_t batch_empty(void) {
  gevt_vulkan_batch_t batch;
  memset(&batch, 0, sizeof batch);
  batch.size = sizeof batch;
  return batch;
}

/* What a program does with a batch: its waits and its signal go into the submit. Returns what vkQueueSubmit2 said. */
static inline VkResult batch_pass_on(const gevt_vulkan_batch_t *batch, VkQueue queue, VkCommandBuffer commands) {
  const VkSemaphoreSubmitInfo *waits = (const VkSemaphoreSubmitInfo *)batch->waits;
  const VkSemaphoreSubmitInfo *signal = (const VkSemaphoreSubmitInfo *)batch->signal;
  return vk_submit(queue, commands, waits, batch->wait_count, signal, signal ? 1 : 0);
}

/* The whole of it, on the first queue, which gevt locks in between. */
static inline gevt_status_t batch_submit(gevt_stream_t stream, VkCommandBuffer commands, const gevt_event_t *records,
                                         size_t count) {
  gevt_vulkan_batch_t batch = batch_empty();
  gevt_status_t status = gevt_vulkan_submit_begin(&batch, stream, records, count);
  if (status != GEVT_SUCCESS) return status;
  CHECK_EQUAL(vk.locked, 1);
  return gevt_vulkan_submit_end(stream, &batch, batch_pass_on(&batch, vk.queues[0], commands));
}

#endif
