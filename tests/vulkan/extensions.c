/* Vulkan 1.1 with VK_KHR_timeline_semaphore and VK_EXT_host_query_reset, and without synchronization2: the core names of their functions
   are missing. */
#include "program.h"

/* The names of Vulkan 1.2 that the driver may know all the same. */
static const char *const hidden[] = {"vkGetSemaphoreCounterValue", "vkWaitSemaphores", "vkSignalSemaphore",
                                     "vkResetQueryPool", "vkCmdWriteTimestamp2"};
static PFN_vkGetDeviceProcAddr get_device;
static int hides_extensions, looked_up;

static int is_hidden(const char *name) {
  size_t i, length;
  for (i = 0; i < sizeof hidden / sizeof *hidden; i++) {
    length = strlen(hidden[i]);
    if (strncmp(name, hidden[i], length) == 0 && (hides_extensions || name[length] == 0)) return 1;
  }
  return 0;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_function(VkDevice device, const char *name) {
  looked_up++;
  return is_hidden(name) ? NULL : get_device(device, name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_function(VkInstance instance, const char *name) {
  PFN_vkVoidFunction found = vk.get(instance, name);
  if (strcmp(name, "vkGetDeviceProcAddr") != 0) return found;
  get_device = (PFN_vkGetDeviceProcAddr)found;
  return (PFN_vkVoidFunction)device_function;
}

#define LOAD(name) vk.name = (PFN_vk##name)vk_loaded(vk.GetDeviceProcAddr(vk.device, "vk" #name), "vk" #name)

static void open_1_1(void) {
  static const float priority = 1;
  static const char *const names[] = {VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME, VK_EXT_HOST_QUERY_RESET_EXTENSION_NAME};
  VkPhysicalDeviceHostQueryResetFeatures resets = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES, NULL,
                                                   VK_TRUE};
  VkPhysicalDeviceTimelineSemaphoreFeatures timelines = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
                                                         &resets, VK_TRUE};
  VkDeviceQueueCreateInfo queues = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, NULL, 0, 0, 1, &priority};
  VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &timelines, 0, 1, &queues, 0, NULL, 2, names, NULL};
  VkCommandPoolCreateInfo pool = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, NULL, 0, 0};
  uint32_t count = 1;
  VkResult result;
  vk_open_instance_of(VK_API_VERSION_1_1);
  result = vk.EnumeratePhysicalDevices(vk.instance, &count, &vk.physical);
  if (count == 0) exit(subject_skip("%s: there is no Vulkan device here", subject_program));
  if (result != VK_INCOMPLETE) vk_must(result, "vkEnumeratePhysicalDevices");
  if (!vk_has_extension(names[0]) || !vk_has_extension(names[1])) {
    exit(subject_skip("%s: the device lacks %s or %s", subject_program, names[0], names[1]));
  }
  vk_choose_family();
  queues.queueFamilyIndex = pool.queueFamilyIndex = vk.family;
  VK_MUST(vk.CreateDevice(vk.physical, &info, NULL, &vk.device));
  LOAD(DestroyDevice);
  LOAD(GetDeviceQueue);
  LOAD(CreateSemaphore);
  LOAD(DestroySemaphore);
  LOAD(QueueSubmit);
  LOAD(CreateCommandPool);
  LOAD(DestroyCommandPool);
  LOAD(AllocateCommandBuffers);
  LOAD(FreeCommandBuffers);
  LOAD(BeginCommandBuffer);
  LOAD(EndCommandBuffer);
  vk.GetDeviceQueue(vk.device, vk.family, 0, &vk.queues[0]);
  VK_MUST(vk.CreateCommandPool(vk.device, &pool, NULL, &vk.pool));
  pthread_mutex_init(&vk.mutex, NULL);
}

static void tell(gevt_vulkan_device_t *told) {
  told->get_instance_proc_addr = instance_function;
  told->api_version = VK_API_VERSION_1_1;
  told->features = GEVT_VULKAN_TIMELINE_SEMAPHORE | GEVT_VULKAN_HOST_QUERY_RESET;
}

static VkResult submit(const gevt_vulkan_batch_t *batch, VkCommandBuffer commands) {
  VkTimelineSemaphoreSubmitInfo values = {VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, NULL, 0, NULL, 1, NULL};
  VkSubmitInfo info = {VK_STRUCTURE_TYPE_SUBMIT_INFO, NULL, 0, NULL, NULL, 0, NULL, 1, NULL};
  values.waitSemaphoreValueCount = info.waitSemaphoreCount = batch->wait_count;
  values.pWaitSemaphoreValues = batch->wait_values;
  values.pSignalSemaphoreValues = batch->signal_value;
  info.pNext = &values;
  info.pWaitSemaphores = (const VkSemaphore *)batch->wait_semaphores;
  info.pWaitDstStageMask = batch->wait_stages;
  info.pSignalSemaphores = (const VkSemaphore *)batch->signal_semaphore;
  info.commandBufferCount = commands ? 1 : 0;
  info.pCommandBuffers = &commands;
  return vk.QueueSubmit(vk.queues[0], 1, &info, VK_NULL_HANDLE);
}

/* Two batches with timestamps, the second one behind the first. */
WRAPPED(batches) {
  gevt_stream_t streams[2];
  gevt_event_t events[2];
  VkCommandBuffer commands[2];
  gevt_vulkan_batch_t batch;
  int64_t ns = -1;
  int i;
  for (i = 0; i < 2; i++) {
    streams[i] = i ? vk_stream(context, 0, 1) : stream;
    events[i] = vk_timed_event(context);
    commands[i] = vk_commands_begin();
    CHECK_FAILS(gevt_vulkan_write_time(events[i], commands[i], VK_PIPELINE_STAGE_2_COPY_BIT), GEVT_ERROR_NOT_SUPPORTED,
                GEVT_DETAIL_UNSUPPORTED);
    CHECK_OK(gevt_vulkan_write_time(events[i], commands[i], VK_PIPELINE_STAGE_ALL_COMMANDS_BIT));
    CHECK_FAILS(gevt_vulkan_stream_wait(streams[i], events[i], VK_PIPELINE_STAGE_2_COPY_BIT), GEVT_ERROR_NOT_SUPPORTED,
                GEVT_DETAIL_UNSUPPORTED);
    VK_MUST(vk.EndCommandBuffer(commands[i]));
  }
  for (i = 0; i < 2; i++) {
    batch = batch_empty();
    if (i == 1) CHECK_OK(gevt_stream_wait(streams[1], events[0], GEVT_WAIT_DEFAULT));
    CHECK_OK(gevt_vulkan_submit_begin(&batch, streams[i], &events[i], 1));
    CHECK_OK(gevt_vulkan_submit_end(streams[i], &batch, submit(&batch, commands[i])));
  }
  CHECK_OK(gevt_sync_all(events, 2, GEVT_TIMEOUT_INFINITE));
  CHECK_OK(gevt_elapsed_ns(&ns, events[0], events[1]));
  CHECK(ns >= 0);
}

/* gevt's own submits, and values that the host signals. */
WRAPPED(records) {
  gevt_event_t start = vk_timed_event(context), end = vk_timed_event(context);
  int64_t ns = -1;
  int calls = 0;
  CHECK_OK(gevt_record(start, stream));
  CHECK_OK(gevt_stream_launch(stream, count_up, &calls));
  CHECK_OK(gevt_record(end, stream));
  CHECK_OK(gevt_sync_timeout(end, HANG_LIMIT));
  CHECK_EQUAL(calls, 1);
  CHECK_OK(gevt_query(start));
  CHECK_OK(gevt_elapsed_ns(&ns, start, end));
  CHECK(ns >= 0);
}

ON_DEVICE(refused) {
  gevt_vulkan_device_t told = vk_told_device();
  gevt_context_t none;
  hides_extensions = 1;
  CHECK_FAILS(gevt_vulkan_wrap_device(&none, &told), GEVT_ERROR_NOT_SUPPORTED, GEVT_DETAIL_UNSUPPORTED);
  hides_extensions = 0;
  told.api_version = VK_API_VERSION_1_0;
  CHECK_FAILS(gevt_vulkan_wrap_device(&none, &told), GEVT_ERROR_NOT_SUPPORTED, GEVT_DETAIL_UNSUPPORTED);
}

int main(int argc, char **argv) {
  subject_choose(argc, argv);
  open_1_1();
  vk_tell = tell;
  vk_run(NULL);
  CHECK(looked_up > 0);
  vk_close();
  return subject_end();
}
