/* A program's own Vulkan: loader, instance, device and queues, and short ways to submit. Every function is taken from the loader by
   vkGetInstanceProcAddr and vkGetDeviceProcAddr, as volk does; no program links the loader. */
#ifndef GEVT_TESTS_VK_H
#define GEVT_TESTS_VK_H

#include "objects.h"

#include "functions.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

enum { VK_MOST_QUEUES = 4 };

typedef struct vk {
  PFN_vkGetInstanceProcAddr get;
  VkInstance instance;
  VkPhysicalDevice physical;
  VkDevice device;
  VkQueue queues[VK_MOST_QUEUES]; /* of the family; lavapipe has one */
  uint32_t queue_count;
  uint32_t family;
  double period;
  const char *extensions[4]; /* that the device was made with */
  uint32_t extension_count;
  VkCommandPool pool;
  int is_adopted; /* the device is gevt's */
  /* One queue may be used by one thread at a time: the lock functions that gevt is given. */
  pthread_mutex_t mutex;
  int locked;
  pthread_t owner; /* of the lock */
  VK_SLOT(CreateInstance)
  VK_INSTANCE_FUNCTIONS(VK_SLOT)
  VK_DEVICE_FUNCTIONS(VK_SLOT)
} vk_t;

static vk_t vk;

/* The version that instance and device are made for. With 1.1 the device has extensions for what became core later, and no synchronization2. */
static uint32_t vk_version = VK_API_VERSION_1_3;

/* An extension that the device is made with, if it has that. */
static const char *vk_wanted_extension;

#define CHECK_VK(call) CHECK_EQUAL((call), VK_SUCCESS)

static inline void vk_must(VkResult result, const char *call) {
  if (result == VK_SUCCESS) return;
  printf("FAILED: %s: VkResult %d\n", call, (int)result);
  exit(1);
}
#define VK_MUST(call) vk_must((call), #call)

static inline PFN_vkVoidFunction vk_loaded(PFN_vkVoidFunction function, const char *name) {
  if (function) return function;
  printf("FAILED: the loader has no %s\n", name);
  exit(1);
}

/* The loader and an instance. Exits with the skip status if Vulkan is missing. */
static inline void vk_open_instance(void) {
  VkApplicationInfo application = {VK_STRUCTURE_TYPE_APPLICATION_INFO, NULL, "gevt test", 1, NULL, 0, 0};
  VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, NULL, 0, NULL, 0, NULL, 0, NULL};
  void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL), *symbol;
  VkResult result;
  if (!library) exit(subject_skip("%s: there is no Vulkan loader here", subject_program));
  symbol = dlsym(library, "vkGetInstanceProcAddr");
  memcpy(&vk.get, &symbol, sizeof symbol);
  application.apiVersion = vk_version;
  info.pApplicationInfo = &application;
#define VK_LOAD(name) vk.name = (PFN_vk##name)vk_loaded(vk.get(vk.instance, "vk" #name), "vk" #name);
  VK_LOAD(CreateInstance)
  result = vk.CreateInstance(&info, NULL, &vk.instance);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER) exit(subject_skip("%s: there is no Vulkan driver here", subject_program));
  vk_must(result, "vkCreateInstance");
  VK_INSTANCE_FUNCTIONS(VK_LOAD)
#undef VK_LOAD
}

static inline int vk_has_extension(const char *name) {
  VkExtensionProperties list[512];
  uint32_t count = 512, i;
  VkResult result = vk.EnumerateDeviceExtensionProperties(vk.physical, NULL, &count, list);
  if (result != VK_SUCCESS && result != VK_INCOMPLETE) return 0;
  for (i = 0; i < count; i++) {
    if (strcmp(list[i].extensionName, name) == 0) return 1;
  }
  return 0;
}

/* The device is made with the extension, if it has that. */
static inline int vk_add_extension(const char *name) {
  if (!vk_has_extension(name)) return 0;
  vk.extensions[vk.extension_count++] = name;
  return 1;
}

/* A queue family with timestamps and as many queues as possible. */
static inline void vk_choose_family(void) {
  VkQueueFamilyProperties families[16];
  uint32_t count = 16, i;
  vk.GetPhysicalDeviceQueueFamilyProperties(vk.physical, &count, families);
  for (i = 0; i < count; i++) {
    if (!(families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) || families[i].timestampValidBits == 0) continue;
    vk.family = i;
    vk.queue_count = families[i].queueCount < VK_MOST_QUEUES ? families[i].queueCount : (uint32_t)VK_MOST_QUEUES;
    return;
  }
  printf("FAILED: no queue family computes and takes time stamps\n");
  exit(1);
}

/* For vk.device. A device of an older version lacks some. */
static inline void vk_load_device_functions(void) {
#define VK_LOAD(name) vk.name = (PFN_vk##name)vk.GetDeviceProcAddr(vk.device, "vk" #name);
  VK_DEVICE_FUNCTIONS(VK_LOAD)
#undef VK_LOAD
}

static inline void vk_open_device(void) {
  static const float priorities[VK_MOST_QUEUES] = {1, 1, 1, 1};
  VkPhysicalDeviceTimelineSemaphoreFeatures timelines = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
                                                         NULL, VK_TRUE};
  VkPhysicalDeviceHostQueryResetFeatures resets = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES,
                                                   &timelines, VK_TRUE};
  VkPhysicalDeviceSynchronization2Features sync2 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES,
                                                    &resets, VK_TRUE};
  VkDeviceQueueCreateInfo queues = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, NULL, 0, 0, 0, priorities};
  VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, NULL, 0, 1, NULL, 0, NULL, 0, NULL, NULL};
  VkCommandPoolCreateInfo pool = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, NULL,
                                  VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, 0};
  VkPhysicalDeviceProperties properties;
  uint32_t count = 1, i;
  VkResult result = vk.EnumeratePhysicalDevices(vk.instance, &count, &vk.physical);
  if (count == 0) exit(subject_skip("%s: there is no Vulkan device here", subject_program));
  if (result != VK_INCOMPLETE) vk_must(result, "vkEnumeratePhysicalDevices");
  vk.GetPhysicalDeviceProperties(vk.physical, &properties);
  printf("device: %s\n", properties.deviceName);
  vk.period = properties.limits.timestampPeriod;
  vk_choose_family();
  vk_add_extension("VK_EXT_calibrated_timestamps");
  if (vk_wanted_extension) vk_add_extension(vk_wanted_extension);
  if (vk_version < VK_API_VERSION_1_2 && (!vk_add_extension(VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME) ||
                                          !vk_add_extension(VK_EXT_HOST_QUERY_RESET_EXTENSION_NAME))) {
    exit(subject_skip("%s: the device lacks an extension for Vulkan 1.1", subject_program));
  }
  queues.queueFamilyIndex = vk.family;
  queues.queueCount = vk.queue_count;
  info.pNext = &resets;
  if (vk_version >= VK_API_VERSION_1_3) info.pNext = &sync2;
  info.pQueueCreateInfos = &queues;
  info.enabledExtensionCount = vk.extension_count;
  info.ppEnabledExtensionNames = vk.extensions;
  VK_MUST(vk.CreateDevice(vk.physical, &info, NULL, &vk.device));
  vk_load_device_functions();
  for (i = 0; i < vk.queue_count; i++) vk.GetDeviceQueue(vk.device, vk.family, i, &vk.queues[i]);
  pool.queueFamilyIndex = vk.family;
  VK_MUST(vk.CreateCommandPool(vk.device, &pool, NULL, &vk.pool));
  pthread_mutex_init(&vk.mutex, NULL);
}

static inline void vk_open(void) {
  vk_open_instance();
  vk_open_device();
}

static inline void vk_close_device(void) {
  vk.DestroyCommandPool(vk.device, vk.pool, NULL);
  if (!vk.is_adopted) vk.DestroyDevice(vk.device, NULL);
  vk.is_adopted = 0;
  vk.device = NULL;
  vk.extension_count = 0;
}

static inline void vk_close(void) {
  vk_close_device();
  vk.DestroyInstance(vk.instance, NULL);
  vk.instance = NULL;
}

/* The lock functions. `locked` is set while a thread holds the lock. gevt must never wait then, nor lock twice. */
static inline void vk_lock(void *user) {
  vk_t *own = (vk_t *)user;
  pthread_mutex_lock(&own->mutex);
  CHECK_EQUAL(own->locked, 0);
  own->owner = pthread_self();
  __atomic_store_n(&own->locked, 1, __ATOMIC_SEQ_CST);
}

static inline void vk_unlock(void *user) {
  vk_t *own = (vk_t *)user;
  CHECK_EQUAL(own->locked, 1);
  __atomic_store_n(&own->locked, 0, __ATOMIC_SEQ_CST);
  pthread_mutex_unlock(&own->mutex);
}

/* Returns whether the lock was released. Waits for a submit on a gevt thread, which may hold the lock. */
static inline int vk_is_given_back(void) {
  struct timespec deadline;
  int given_back;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += HANG_LIMIT / SECOND;
  if (pthread_mutex_timedlock(&vk.mutex, &deadline) != 0) return 0;
  given_back = vk.locked == 0;
  pthread_mutex_unlock(&vk.mutex);
  return given_back;
}

static inline gevt_vulkan_device_t vk_told_device(void) {
  gevt_vulkan_device_t told;
  memset(&told, 0, sizeof told);
  told.size = sizeof told;
  told.instance = vk.instance;
  told.physical_device = vk.physical;
  told.device = vk.device;
  told.get_instance_proc_addr = vk.get;
  told.api_version = vk_version;
  told.extensions = vk.extensions;
  told.extension_count = vk.extension_count;
  told.features = GEVT_VULKAN_TIMELINE_SEMAPHORE | GEVT_VULKAN_SYNCHRONIZATION2 | GEVT_VULKAN_HOST_QUERY_RESET;
  return told;
}

static inline gevt_vulkan_queue_t vk_told_queue(uint32_t index, int with_lock) {
  gevt_vulkan_queue_t told;
  memset(&told, 0, sizeof told);
  told.size = sizeof told;
  told.queue = vk.queues[index];
  told.family = vk.family;
  if (with_lock) {
    told.lock = vk_lock;
    told.unlock = vk_unlock;
    told.user = &vk;
  }
  return told;
}

/* Wraps the program's device as the current gevt context, and its first queue as a stream. */
static inline gevt_context_t vk_wrap(void) {
  gevt_vulkan_device_t told = vk_told_device();
  gevt_context_t context = NULL;
  CHECK_OK(gevt_vulkan_wrap_device(&context, &told));
  CHECK_OK(gevt_context_set_current(context));
  return context;
}

static inline gevt_stream_t vk_stream(gevt_context_t context, gevt_vulkan_queue_flags_t flags) {
  gevt_vulkan_queue_t told = vk_told_queue(0, 1);
  gevt_stream_t stream = NULL;
  told.flags = flags;
  CHECK_OK(gevt_vulkan_wrap_queue(&stream, context, &told));
  return stream;
}

/* A buffer that copies read and write, in memory with those properties. */
static inline VkBuffer vk_buffer(VkDeviceSize size, VkMemoryPropertyFlags wanted, VkDeviceMemory *memory) {
  VkBufferCreateInfo info;
  VkMemoryAllocateInfo allocate = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, NULL, 0, 0};
  VkMemoryRequirements needs;
  VkPhysicalDeviceMemoryProperties kinds;
  VkBuffer buffer = VK_NULL_HANDLE;
  memset(&info, 0, sizeof info);
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = size;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VK_MUST(vk.CreateBuffer(vk.device, &info, NULL, &buffer));
  vk.GetBufferMemoryRequirements(vk.device, buffer, &needs);
  vk.GetPhysicalDeviceMemoryProperties(vk.physical, &kinds);
  while (!(needs.memoryTypeBits >> allocate.memoryTypeIndex & 1) ||
         (kinds.memoryTypes[allocate.memoryTypeIndex].propertyFlags & wanted) != wanted) {
    allocate.memoryTypeIndex++;
  }
  allocate.allocationSize = needs.size;
  VK_MUST(vk.AllocateMemory(vk.device, &allocate, NULL, memory));
  VK_MUST(vk.BindBufferMemory(vk.device, buffer, *memory, 0));
  return buffer;
}

/* The heap in use, where the C library tells. */
static inline long long vk_heap(void) {
#if defined __GLIBC__ && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  struct mallinfo2 info = mallinfo2();
  return (long long)(info.uordblks + info.hblkhd);
#else
  return 0;
#endif
}

/* A semaphore's bits, as gevt takes them. */
static inline uint64_t vk_bits(VkSemaphore semaphore) {
  uint64_t bits = 0;
  memcpy(&bits, &semaphore, sizeof semaphore);
  return bits;
}

/* A semaphore of the program. A queue that waits for one of its values blocks until the host signals it. */
static inline VkSemaphore vk_timeline(void) {
  VkSemaphoreTypeCreateInfo type = {VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, NULL, VK_SEMAPHORE_TYPE_TIMELINE, 0};
  VkSemaphoreCreateInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, NULL, 0};
  VkSemaphore semaphore = VK_NULL_HANDLE;
  info.pNext = &type;
  VK_MUST(vk.CreateSemaphore(vk.device, &info, NULL, &semaphore));
  return semaphore;
}

static inline void vk_signal(VkSemaphore semaphore, uint64_t value) {
  VkSemaphoreSignalInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, NULL, VK_NULL_HANDLE, 0};
  info.semaphore = semaphore;
  info.value = value;
  CHECK_VK(vk.SignalSemaphore(vk.device, &info));
}

static inline VkSemaphoreSubmitInfo vk_point(VkSemaphore semaphore, uint64_t value) {
  VkSemaphoreSubmitInfo info;
  memset(&info, 0, sizeof info);
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO;
  info.semaphore = semaphore;
  info.value = value;
  info.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  return info;
}

/* One submit: at most one command buffer, with the given waits and signals. The caller locks the queue. */
static inline VkResult vk_submit(VkQueue queue, VkCommandBuffer commands, const VkSemaphoreSubmitInfo *waits,
                                 uint32_t wait_count, const VkSemaphoreSubmitInfo *signals, uint32_t signal_count) {
  VkCommandBufferSubmitInfo buffer;
  VkSubmitInfo2 info;
  memset(&buffer, 0, sizeof buffer);
  buffer.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO;
  buffer.commandBuffer = commands;
  memset(&info, 0, sizeof info);
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
  info.waitSemaphoreInfoCount = wait_count;
  info.pWaitSemaphoreInfos = waits;
  info.commandBufferInfoCount = commands ? 1 : 0;
  info.pCommandBufferInfos = &buffer;
  info.signalSemaphoreInfoCount = signal_count;
  info.pSignalSemaphoreInfos = signals;
  return vk.QueueSubmit2(queue, 1, &info, VK_NULL_HANDLE);
}

static inline gevt_vulkan_batch_t batch_empty(void) {
  gevt_vulkan_batch_t batch;
  memset(&batch, 0, sizeof batch);
  batch.size = sizeof batch;
  return batch;
}

/* What a program does with a batch: its waits and its signal go into a submit to the first queue. Returns what vkQueueSubmit2 said. */
static inline VkResult batch_pass_on(const gevt_vulkan_batch_t *batch, VkCommandBuffer commands) {
  const VkSemaphoreSubmitInfo *waits = (const VkSemaphoreSubmitInfo *)batch->waits;
  const VkSemaphoreSubmitInfo *signal = (const VkSemaphoreSubmitInfo *)batch->signal;
  return vk_submit(vk.queues[0], commands, waits, batch->wait_count, signal, signal ? 1 : 0);
}

/* Blocks the first queue until the semaphore has the value. */
static inline void vk_hold(VkSemaphore semaphore, uint64_t value) {
  VkSemaphoreSubmitInfo wait = vk_point(semaphore, value);
  vk_lock(&vk);
  CHECK_VK(vk_submit(vk.queues[0], NULL, &wait, 1, NULL, 0));
  vk_unlock(&vk);
}

static inline VkCommandBuffer vk_commands_begin(void) {
  VkCommandBufferAllocateInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, NULL, VK_NULL_HANDLE,
                                      VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
  VkCommandBufferBeginInfo begin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, NULL, 0, NULL};
  VkCommandBuffer commands = NULL;
  info.commandPool = vk.pool;
  VK_MUST(vk.AllocateCommandBuffers(vk.device, &info, &commands));
  VK_MUST(vk.BeginCommandBuffer(commands, &begin));
  return commands;
}

#endif
