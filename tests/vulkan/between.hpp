// Functions that stand between gevt and the driver. They count its reads and resets of queries, hide what Vulkan 1.1 does not have, and let
// a queue become idle.
#pragma once

#include "vk.h"

#include <atomic>

static PFN_vkGetDeviceProcAddr driver_device_function;
static PFN_vkGetQueryPoolResults driver_results;
static PFN_vkResetQueryPool driver_reset;
static std::atomic<long long> query_reads{0}, query_resets{0};
// Reads are answered in the driver's place, as lavapipe waits for the whole device there.
static std::atomic<bool> answers_reads{false};
static bool hides_extensions;

static VKAPI_ATTR VkResult VKAPI_CALL counted_results(VkDevice device, VkQueryPool pool, uint32_t first, uint32_t count,
                                                      size_t size, void *data, VkDeviceSize stride,
                                                      VkQueryResultFlags flags) {
  query_reads++;
  if (!answers_reads) return driver_results(device, pool, first, count, size, data, stride, flags);
  CHECK_EQUAL(flags, VK_QUERY_RESULT_64_BIT);
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t result = 1000;
    memcpy(static_cast<char *>(data) + i * stride, &result, sizeof result);
  }
  return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL counted_reset(VkDevice device, VkQueryPool pool, uint32_t first, uint32_t count) {
  query_resets++;
  driver_reset(device, pool, first, count);
}

// docs/VULKAN.md says what a program does about Mesa 22.3.6, whose queue may use a semaphore after it has signaled it. While other threads submit
// waits, only the end of the semaphore is a time for it.
static std::atomic<bool> waits_for_idle{false};

static VKAPI_ATTR void VKAPI_CALL destroy_when_idle(VkDevice device, VkSemaphore semaphore,
                                                    const VkAllocationCallbacks *allocator) {
  if (waits_for_idle) {
    vk_lock(&vk);
    CHECK_VK(vk.QueueWaitIdle(vk.queues[0]));
    vk_unlock(&vk);
  }
  vk.DestroySemaphore(device, semaphore, allocator);
}

// The names of Vulkan 1.2 and 1.3 that the driver may know all the same, and perhaps those of their extensions.
static bool is_hidden(const std::string &name) {
  if (vk_version > VK_API_VERSION_1_1) return false;
  for (const char *core : {"vkGetSemaphoreCounterValue", "vkWaitSemaphores", "vkSignalSemaphore", "vkResetQueryPool",
                           "vkCmdWriteTimestamp2"}) {
    if (hides_extensions ? name.compare(0, strlen(core), core) == 0 : name == core) return true;
  }
  return false;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_function(VkDevice device, const char *name) {
  PFN_vkVoidFunction found = is_hidden(name) ? nullptr : driver_device_function(device, name);
  if (strcmp(name, "vkDestroySemaphore") == 0) return reinterpret_cast<PFN_vkVoidFunction>(destroy_when_idle);
  if (found && strncmp(name, "vkResetQueryPool", 16) == 0) {
    driver_reset = reinterpret_cast<PFN_vkResetQueryPool>(found);
    return reinterpret_cast<PFN_vkVoidFunction>(counted_reset);
  }
  if (!found || strcmp(name, "vkGetQueryPoolResults") != 0) return found;
  driver_results = reinterpret_cast<PFN_vkGetQueryPoolResults>(found);
  return reinterpret_cast<PFN_vkVoidFunction>(counted_results);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_function(VkInstance instance, const char *name) {
  PFN_vkVoidFunction found = vk.get(instance, name);
  if (strcmp(name, "vkGetDeviceProcAddr") != 0) return found;
  driver_device_function = reinterpret_cast<PFN_vkGetDeviceProcAddr>(found);
  return reinterpret_cast<PFN_vkVoidFunction>(device_function);
}

// A batch in vkQueueSubmit, by its plain arrays.
static VkResult old_submit(const gevt_vulkan_batch_t &batch, VkCommandBuffer commands) {
  VkTimelineSemaphoreSubmitInfo values{};
  VkSubmitInfo info{};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  values.waitSemaphoreValueCount = batch.wait_count;
  values.pWaitSemaphoreValues = batch.wait_values;
  values.signalSemaphoreValueCount = 1;
  values.pSignalSemaphoreValues = batch.signal_value;
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &values;
  info.waitSemaphoreCount = batch.wait_count;
  info.pWaitSemaphores = static_cast<const VkSemaphore *>(batch.wait_semaphores);
  info.pWaitDstStageMask = batch.wait_stages;
  info.signalSemaphoreCount = 1;
  info.pSignalSemaphores = static_cast<const VkSemaphore *>(batch.signal_semaphore);
  info.commandBufferCount = commands ? 1 : 0;
  info.pCommandBuffers = &commands;
  return vk.QueueSubmit(vk.queues[0], 1, &info, VK_NULL_HANDLE);
}
