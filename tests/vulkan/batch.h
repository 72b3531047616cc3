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

/* The whole of it. With lock functions gevt locks the queue in between, else the program does. */
static inline gevt_status_t batch_submit(gevt_stream_t stream, uint32_t index, int with_lock, VkCommandBuffer commands,
                                         const gevt_event_t *records, size_t count) {
  gevt_vulkan_batch_t batch = batch_empty();
  gevt_status_t status;
  if (!with_lock) vk_lock(&vk);
  status = gevt_vulkan_submit_begin(&batch, stream, records, count);
  if (status == GEVT_SUCCESS) {
    VkResult result;
    CHECK_EQUAL(vk.locked, 1);
    result = batch_pass_on(&batch, vk.queues[index], commands);
    status = gevt_vulkan_submit_end(stream, &batch, result);
  }
  if (!with_lock) vk_unlock(&vk);
  return status;
}

#endif
