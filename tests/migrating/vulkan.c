/* Runs the two programs of docs/MIGRATING-VULKAN.md on the first Vulkan device: before.c, and with -DAFTER after.c. A frame's
 * simulation fills a buffer, and its drawing copies it to where the host finds it. ci/docs.sh extracts the programs. */
#define _GNU_SOURCE
#ifdef AFTER
#include "after.c"
#else
#include "before.c"
#endif

#include "../vulkan/vk.h"

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

/* On two queues, if the family has them. */
static struct renderer make_renderer(void) {
  const uint32_t last = vk.queue_count > 1 ? 1 : 0;
  VkQueueFamilyProperties families[16];
  uint32_t count = 16, i;
  struct renderer r = {.instance = vk.instance,
                       .physical_device = vk.physical,
                       .device = vk.device,
                       .simulating = &queues[0],
                       .drawing = &queues[last],
                       .time_period = vk.period};
  vk.GetPhysicalDeviceQueueFamilyProperties(vk.physical, &count, families);
  r.time_mask = UINT64_MAX >> (64 - families[vk.family].timestampValidBits);
  for (i = 0; i <= last; i++) {
    queues[i].handle = vk.queues[i];
    queues[i].family = vk.family;
  }
  return r;
}

static VkDeviceMemory make_buffer(VkBuffer *buffer, const uint32_t **mapped) {
  VkDeviceMemory memory;
  void *bytes;
  *buffer = vk_buffer(kBytes, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, &memory);
  VK_MUST(vk.MapMemory(vk.device, memory, 0, VK_WHOLE_SIZE, 0, &bytes));
  *mapped = bytes;
  return memory;
}

#ifdef AFTER
static int failed(void) {
  fprintf(stderr, "%s\n", gevt_last_message());
  return 1;
}
#endif

int main(void) {
  subject_program = "renderer";
  vk_open();
  struct renderer r = make_renderer();
  struct frame frame = {0};
  const uint32_t *other;
  const VkDeviceMemory memory[] = {make_buffer(&world, &other), make_buffer(&picture, &pixels)};
  VkCommandBuffer buffers[2];
  VkCommandBufferAllocateInfo allocate = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = vk.pool, .commandBufferCount = 2};
  VK_MUST(vkAllocateCommandBuffers(r.device, &allocate, buffers));
  frame.simulate = buffers[0];
  frame.draw = buffers[1];
#ifdef AFTER
  struct streams s;
  if (!lend(&r, &s) || gevt_create_in(&frame.simulated, s.context, GEVT_EVENT_DISABLE_TIMING) ||
      gevt_create_in(&frame.began, s.context, GEVT_EVENT_DEFAULT) ||
      gevt_create_in(&frame.done, s.context, GEVT_EVENT_DEFAULT)) {
    return failed();
  }
#else
  VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
  VkQueryPoolCreateInfo queries = {
      .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = 2};
  VK_MUST(vkCreateFence(r.device, &fence, NULL, &frame.done));
  VK_MUST(vkCreateSemaphore(r.device, &semaphore, NULL, &frame.simulated));
  VK_MUST(vkCreateQueryPool(r.device, &queries, NULL, &frame.times));
#endif

  float ms = 0;
  for (number = 1; number <= kFrames; number++) {
#ifdef AFTER
    if (frame_begin(&r, &s, &frame)) return failed();
    while (!frame_is_done(&frame)) nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    if (frame_ms(&frame, &ms)) return failed();
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
    return failed();
  }
#else
  vkDestroyFence(r.device, frame.done, NULL);
  vkDestroySemaphore(r.device, frame.simulated, NULL);
  vkDestroyQueryPool(r.device, frame.times, NULL);
#endif
  vkDestroyBuffer(r.device, world, NULL);
  vkDestroyBuffer(r.device, picture, NULL);
  vkFreeMemory(r.device, memory[0], NULL);
  vkFreeMemory(r.device, memory[1], NULL);
  vk_close();
  return 0;
}
