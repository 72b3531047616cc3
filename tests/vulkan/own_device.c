/* The caller's work on a device and a queue that gevt made. The caller finds the VkDevice, the VkQueue and its family. It submits between
   gevt_vulkan_submit_begin and gevt_vulkan_submit_end. */
#include "batch.h"

static gevt_stream_info_t info_of(gevt_stream_t stream) {
  gevt_stream_info_t info;
  memset(&info, 0, sizeof info);
  info.size = sizeof info;
  CHECK_OK(gevt_stream_get_info(&info, stream));
  return info;
}

/* Memory that a queue writes and the host reads. */
typedef struct filled {
  VkBuffer buffer;
  VkDeviceMemory memory;
  const uint32_t *words;
} filled_t;

enum { FILLED_BYTES = 4096 };

static filled_t filled_make(void) {
  filled_t filled = {VK_NULL_HANDLE, VK_NULL_HANDLE, NULL};
  void *words = NULL;
  filled.buffer = vk_buffer(FILLED_BYTES, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                            &filled.memory);
  VK_MUST(vk.MapMemory(vk.device, filled.memory, 0, FILLED_BYTES, 0, &words));
  filled.words = (const uint32_t *)words;
  return filled;
}

static void filled_free(const filled_t *filled) {
  vk.DestroyBuffer(vk.device, filled->buffer, NULL);
  vk.FreeMemory(vk.device, filled->memory, NULL);
}

static VkCommandBuffer fill_commands(const filled_t *filled, uint32_t word) {
  VkCommandBuffer commands = vk_commands_begin();
  VkMemoryBarrier barrier = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL, VK_ACCESS_TRANSFER_WRITE_BIT,
                             VK_ACCESS_HOST_READ_BIT};
  vk.CmdFillBuffer(commands, filled->buffer, 0, FILLED_BYTES, word);
  vk.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL,
                        0, NULL);
  VK_MUST(vk.EndCommandBuffer(commands));
  return commands;
}

/* The caller's submit waits for everything its stream waited for, and the event completes after the caller's commands. */
static void a_submit_of_the_callers(void) {
  gevt_stream_t stream = stream_new();
  gevt_event_t gate = event_with(GEVT_EVENT_HOST_SIGNALED), done = event_with(GEVT_EVENT_DISABLE_TIMING);
  filled_t filled = filled_make();
  VkCommandBuffer first = fill_commands(&filled, 0x11111111), second = fill_commands(&filled, 0x22222222);
  void *native = NULL;
  VkQueue queue;
  gevt_vulkan_batch_t batch = batch_empty();
  CHECK_OK(gevt_stream_native(&native, stream));
  queue = (VkQueue)native;
  CHECK(queue != NULL);
  CHECK_OK(gevt_vulkan_submit_begin(&batch, stream, &done, 1));
  CHECK_OK(gevt_vulkan_submit_end(stream, &batch, batch_pass_on(&batch, queue, first)));
  CHECK_OK(gevt_sync(done));
  CHECK_EQUAL(filled.words[0], 0x11111111);
  CHECK_EQUAL(filled.words[FILLED_BYTES / 4 - 1], 0x11111111);

  CHECK_OK(gevt_stream_wait(stream, gate, GEVT_WAIT_DEFAULT));
  batch = batch_empty();
  CHECK_OK(gevt_vulkan_submit_begin(&batch, stream, &done, 1));
  CHECK_OK(gevt_vulkan_submit_end(stream, &batch, batch_pass_on(&batch, queue, second)));
  CHECK_NOT_READY(gevt_query(done));
  CHECK_EQUAL(filled.words[0], 0x11111111);
  CHECK_OK(gevt_signal(gate, GEVT_SUCCESS));
  CHECK_OK(gevt_sync(done));
  CHECK_EQUAL(filled.words[0], 0x22222222);
  vk_commands_free(first);
  vk_commands_free(second);
  filled_free(&filled);
}

/* gevt's own submits wait for the queue while another thread has a batch open. */
static void *record_beside(void *user) {
  gevt_event_t event = event_with(GEVT_EVENT_DISABLE_TIMING);
  gevt_stream_t stream = (gevt_stream_t)user;
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_destroy(event));
  return NULL;
}

static void the_queue_is_locked_during_a_batch(void) {
  gevt_stream_t streams[9];
  gevt_event_t done = event_with(GEVT_EVENT_DISABLE_TIMING);
  int i, round;
  for (i = 0; i < 9; i++) streams[i] = stream_new();
  for (round = 0; round < 50; round++) {
    pthread_t threads[8];
    gevt_vulkan_batch_t batch = batch_empty();
    void *native = NULL;
    CHECK_OK(gevt_stream_native(&native, streams[8]));
    CHECK_OK(gevt_vulkan_submit_begin(&batch, streams[8], &done, 1));
    for (i = 0; i < 8; i++) CHECK_EQUAL(pthread_create(&threads[i], NULL, record_beside, streams[i]), 0);
    CHECK_OK(gevt_vulkan_submit_end(streams[8], &batch, batch_pass_on(&batch, (VkQueue)native, NULL)));
    for (i = 0; i < 8; i++) pthread_join(threads[i], NULL);
    CHECK_OK(gevt_sync(done));
  }
}

/* The UUID of a gevt context identifies the VkPhysicalDevice, even if the device numbers differ. */
static void the_device_is_found_by_its_uuid(void) {
  gevt_context_info_t info;
  VkPhysicalDevice devices[16];
  VkPhysicalDeviceIDProperties ids;
  VkPhysicalDeviceProperties2 properties;
  uint32_t count = 16, i, found = 0;
  memset(&info, 0, sizeof info);
  info.size = sizeof info;
  CHECK_OK(gevt_context_get_info(&info, subject_context));
  CHECK(info.known & GEVT_CONTEXT_HAS_UUID);
  CHECK_EQUAL(info.backend, GEVT_BACKEND_VULKAN);
  CHECK_EQUAL(info.device, 0);
  VK_MUST(vk.EnumeratePhysicalDevices(vk.instance, &count, devices));
  for (i = 0; i < count; i++) {
    memset(&ids, 0, sizeof ids);
    memset(&properties, 0, sizeof properties);
    ids.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &ids;
    vk.GetPhysicalDeviceProperties2(devices[i], &properties);
    if (memcmp(ids.deviceUUID, info.uuid, sizeof info.uuid) != 0) continue;
    if (found++ == 0) {
      vk.physical = devices[i];
      CHECK(strcmp(properties.properties.deviceName, info.name) == 0);
    }
  }
  CHECK(found > 0);
}

static void use_the_device_of_gevt(void) {
  gevt_stream_t stream = stream_new();
  VkCommandPoolCreateInfo pool = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, NULL, 0, 0};
  void *native = NULL;
  CHECK_OK(gevt_context_native(&native, subject_context));
  vk.device = (VkDevice)native;
  vk_load_device_functions();
  pool.queueFamilyIndex = info_of(stream).queue_family;
  VK_MUST(vk.CreateCommandPool(vk.device, &pool, NULL, &vk.pool));
  stream_finish(stream);
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  vk_open_instance();
  RUN(the_device_is_found_by_its_uuid);
  use_the_device_of_gevt();
  RUN(a_submit_of_the_callers);
  RUN(the_queue_is_locked_during_a_batch);
  vk.DestroyCommandPool(vk.device, vk.pool, NULL);
  vk.DestroyInstance(vk.instance, NULL);
  return subject_end();
}
