/* Misuses of Vulkan that the validation layers must report: proof that their messages are seen.
   usage: planted vuid|hazard */
#include "vk.h"

/* Signals a timeline semaphore with its current value. */
static void signalled_twice(void) {
  VkSemaphore semaphore = vk_timeline();
  VkSemaphoreSubmitInfo signal = vk_point(semaphore, 1);
  CHECK_VK(vk_submit(vk.queues[0], NULL, NULL, 0, &signal, 1));
  CHECK_VK(vk.QueueWaitIdle(vk.queues[0]));
  check_ignore((gevt_status_t)vk_submit(vk.queues[0], NULL, NULL, 0, &signal, 1));
  fflush(stdout);
  _exit(0);
}

/* Two commands write the same buffer without synchronization. */
static void written_twice(void) {
  VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                             NULL,
                             0,
                             4096,
                             VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                             VK_SHARING_MODE_EXCLUSIVE,
                             0,
                             NULL};
  VkMemoryAllocateInfo allocate = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, NULL, 0, 0};
  VkMemoryRequirements needs;
  VkDeviceMemory memory;
  VkBuffer buffer;
  VkCommandBuffer commands = vk_commands_begin();
  VK_MUST(vk.CreateBuffer(vk.device, &info, NULL, &buffer));
  vk.GetBufferMemoryRequirements(vk.device, buffer, &needs);
  allocate.allocationSize = needs.size;
  while (!(needs.memoryTypeBits >> allocate.memoryTypeIndex & 1)) allocate.memoryTypeIndex++;
  VK_MUST(vk.AllocateMemory(vk.device, &allocate, NULL, &memory));
  VK_MUST(vk.BindBufferMemory(vk.device, buffer, memory, 0));
  vk.CmdFillBuffer(commands, buffer, 0, 4096, 1);
  vk.CmdFillBuffer(commands, buffer, 0, 4096, 2);
  VK_MUST(vk.EndCommandBuffer(commands));
  fflush(stdout);
  _exit(0);
}

int main(int argc, char **argv) {
  subject_program = argv[0];
  setvbuf(stdout, NULL, _IOLBF, 0);
  vk_open();
  if (argc > 1 && strcmp(argv[1], "hazard") == 0) written_twice();
  signalled_twice();
  return subject_end();
}
