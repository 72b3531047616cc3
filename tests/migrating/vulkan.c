/* Runs the two programs of docs/MIGRATING-VULKAN.md on the first Vulkan device: before.c, and with -DAFTER after.c. A frame's
 * simulation fills a buffer, and its drawing copies it to where the host finds it. ci/docs.sh extracts the programs. */
#define _POSIX_C_SOURCE 199309L /* nanosleep */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef AFTER
#include "after.c"
#else
#include "before.c"
#endif

#define VK(call) check((call), #call)

static void check(VkResult result, const char *call) {
  if (result != VK_SUCCESS) {
    fprintf(stderr, "%s: %d\n", call, result);
    exit(1);
  }
}

enum { kBytes = 1 << 20, kFrames = 20 };
static VkBuffer world, picture;
static const uint32_t *pixels;
static uint32_t number;

void simulate(struct renderer *r, VkCommandBuffer commands) {
  (void)r;
  vkCmdFillBuffer(commands, world, 0, kBytes, number);
}

void draw(struct renderer *r, VkCommandBuffer commands) {
  VkBufferCopy all = {.size = kBytes};
  VkMemoryBarrier2 seen = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                           .srcStageMask = VK_PIPELINE_STAGE_2_COPY_BIT,
                           .srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT,
                           .dstStageMask = VK_PIPELINE_STAGE_2_HOST_BIT,
                           .dstAccessMask = VK_ACCESS_2_HOST_READ_BIT};
  (void)r;
  vkCmdCopyBuffer(commands, world, picture, 1, &all);
  vkCmdPipelineBarrier2(commands, &(VkDependencyInfo){.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                                                      .memoryBarrierCount = 1,
                                                      .pMemoryBarriers = &seen});
}

static struct queue queues[2] = {{.lock = PTHREAD_MUTEX_INITIALIZER}, {.lock = PTHREAD_MUTEX_INITIALIZER}};

/* Takes a family that computes and has timestamps, and two of its queues if it has them. */
static struct renderer make_renderer(void) {
  struct renderer r = {0};
  VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
  VkInstanceCreateInfo instance = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
  VkQueueFamilyProperties families[16];
  VkPhysicalDeviceProperties properties;
  uint32_t count = 1, family = 0;
  if (vkCreateInstance(&instance, NULL, &r.instance) != VK_SUCCESS ||
      vkEnumeratePhysicalDevices(r.instance, &count, &r.physical_device) < 0 || count == 0) {
    puts("SKIPPED: there is no Vulkan device on this machine");
    exit(0);
  }
  vkGetPhysicalDeviceProperties(r.physical_device, &properties);
  count = sizeof families / sizeof families[0];
  vkGetPhysicalDeviceQueueFamilyProperties(r.physical_device, &count, families);
  while (family < count &&
         (!(families[family].queueFlags & VK_QUEUE_COMPUTE_BIT) || families[family].timestampValidBits == 0)) {
    family++;
  }
  if (properties.apiVersion < VK_API_VERSION_1_3 || family == count) {
    puts("SKIPPED: the device has no Vulkan 1.3, or no queue with time stamps");
    exit(0);
  }
  r.time_period = (double)properties.limits.timestampPeriod;
  r.time_mask = UINT64_MAX >> (64 - families[family].timestampValidBits);

  const float priorities[2] = {1, 1};
  const uint32_t taken = families[family].queueCount > 1 ? 2 : 1;
  VkPhysicalDeviceVulkan13Features features13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                                 .synchronization2 = VK_TRUE};
  VkPhysicalDeviceVulkan12Features features12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                 .pNext = &features13,
                                                 .timelineSemaphore = VK_TRUE};
  VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                   .queueFamilyIndex = family,
                                   .queueCount = taken,
                                   .pQueuePriorities = priorities};
  VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = &features12,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue};
  VK(vkCreateDevice(r.physical_device, &device, NULL, &r.device));
  for (uint32_t i = 0; i < taken; i++) {
    vkGetDeviceQueue(r.device, family, i, &queues[i].handle);
    queues[i].family = family;
  }
  r.simulating = &queues[0];
  r.drawing = &queues[taken - 1];
  return r;
}

static VkDeviceMemory make_buffer(const struct renderer *r, VkBuffer *buffer, const uint32_t **mapped) {
  const VkMemoryPropertyFlags seen = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkPhysicalDeviceMemoryProperties types;
  VkMemoryRequirements needs;
  VkDeviceMemory memory;
  VkBufferCreateInfo create = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .size = kBytes,
                               .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
  void *bytes;
  uint32_t type = 0;
  VK(vkCreateBuffer(r->device, &create, NULL, buffer));
  vkGetBufferMemoryRequirements(r->device, *buffer, &needs);
  vkGetPhysicalDeviceMemoryProperties(r->physical_device, &types);
  while (!(needs.memoryTypeBits >> type & 1) || (types.memoryTypes[type].propertyFlags & seen) != seen) type++;
  VkMemoryAllocateInfo allocate = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size, .memoryTypeIndex = type};
  VK(vkAllocateMemory(r->device, &allocate, NULL, &memory));
  VK(vkBindBufferMemory(r->device, *buffer, memory, 0));
  VK(vkMapMemory(r->device, memory, 0, VK_WHOLE_SIZE, 0, &bytes));
  *mapped = bytes;
  return memory;
}

int main(void) {
  struct renderer r = make_renderer();
  struct frame frame = {0};
  const uint32_t *other;
  const VkDeviceMemory memory[] = {make_buffer(&r, &world, &other), make_buffer(&r, &picture, &pixels)};
  VkCommandPoolCreateInfo create = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                    .queueFamilyIndex = queues[0].family};
  VkCommandPool pool;
  VkCommandBuffer buffers[2];
  VK(vkCreateCommandPool(r.device, &create, NULL, &pool));
  VkCommandBufferAllocateInfo allocate = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 2};
  VK(vkAllocateCommandBuffers(r.device, &allocate, buffers));
  frame.simulate = buffers[0];
  frame.draw = buffers[1];
#ifdef AFTER
  struct streams s;
  if (!lend(&r, &s) || gevt_create_in(&frame.simulated, s.context, GEVT_EVENT_DISABLE_TIMING) ||
      gevt_create_in(&frame.began, s.context, GEVT_EVENT_DEFAULT) ||
      gevt_create_in(&frame.done, s.context, GEVT_EVENT_DEFAULT)) {
    fprintf(stderr, "%s\n", gevt_last_message());
    return 1;
  }
#else
  VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
  VkQueryPoolCreateInfo queries = {
      .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = 2};
  VK(vkCreateFence(r.device, &fence, NULL, &frame.done));
  VK(vkCreateSemaphore(r.device, &semaphore, NULL, &frame.simulated));
  VK(vkCreateQueryPool(r.device, &queries, NULL, &frame.times));
#endif

  float ms = 0;
  for (number = 1; number <= kFrames; number++) {
#ifdef AFTER
    if (frame_begin(&r, &s, &frame)) {
      fprintf(stderr, "%s\n", gevt_last_message());
      return 1;
    }
    while (!frame_is_done(&frame)) nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    if (frame_ms(&frame, &ms)) {
      fprintf(stderr, "%s\n", gevt_last_message());
      return 1;
    }
#else
    frame_begin(&r, &frame);
    while (!frame_is_done(&r, &frame)) nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    ms = frame_ms(&r, &frame);
#endif
    for (size_t i = 0; i < kBytes / sizeof *pixels; i++) {
      if (pixels[i] != number) {
        fprintf(stderr, "frame %u: the picture holds %u\n", number, pixels[i]);
        return 1;
      }
    }
  }
  printf("%d frames, the last one drawn in %.3f ms\n", kFrames, (double)ms);

#ifdef AFTER
  if (gevt_destroy(frame.simulated) || gevt_destroy(frame.began) || gevt_destroy(frame.done) ||
      gevt_stream_destroy(s.simulating) || gevt_stream_destroy(s.drawing) || gevt_context_close(s.context)) {
    fprintf(stderr, "%s\n", gevt_last_message());
    return 1;
  }
#else
  vkDestroyFence(r.device, frame.done, NULL);
  vkDestroySemaphore(r.device, frame.simulated, NULL);
  vkDestroyQueryPool(r.device, frame.times, NULL);
#endif
  vkDestroyCommandPool(r.device, pool, NULL);
  vkDestroyBuffer(r.device, world, NULL);
  vkDestroyBuffer(r.device, picture, NULL);
  vkFreeMemory(r.device, memory[0], NULL);
  vkFreeMemory(r.device, memory[1], NULL);
  vkDestroyDevice(r.device, NULL);
  vkDestroyInstance(r.instance, NULL);
  return 0;
}
