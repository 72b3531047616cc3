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
  VkDeviceMemory memory;
  VkCommandBuffer commands = vk_commands_begin();
  VkBuffer buffer = vk_buffer(4096, 0, &memory);
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
