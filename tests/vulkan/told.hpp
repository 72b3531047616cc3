// What a program tells gevt of its device and queues, with one field changed or in a structure of another size.
#pragma once

#include "between.hpp"

// A structure of the size after "within", followed by bytes that no call reads.
template <class T>
class sized {
public:
  sized(const arguments &a, const T &told) {
    const size_t size = a.within ? size_of(*a.within, sizeof told) : sizeof told;
    memset(&given, 0xee, sizeof given);
    memcpy(&given, &told, std::min(size, sizeof told));
    given.known.size = size;
  }
  const T *get() const { return &given.known; }

private:
  struct {
    T known;
    unsigned char later[64];
  } given;
};

// The word after the name is "null" for a null pointer, or names the field that is wrong.
static const gevt_vulkan_device_t *with_wrong(gevt_vulkan_device_t &told, const std::string &field) {
  if (field == "null") return nullptr;
  if (field == "instance") told.instance = nullptr;
  if (field == "physical_device") told.physical_device = nullptr;
  if (field == "device") told.device = nullptr;
  if (field == "get_instance_proc_addr") told.get_instance_proc_addr = nullptr;
  if (field == "extensions") told.extension_count = 1, told.extensions = nullptr;
  if (field == "api_version") told.api_version = VK_API_VERSION_1_0;
  if (field == "reserved") told.reserved = 1;
  return &told;
}

static const gevt_vulkan_queue_t *with_wrong(gevt_vulkan_queue_t &told, const std::string &field) {
  if (field == "null") return nullptr;
  if (field == "queue") told.queue = nullptr;
  if (field == "made-up") told.queue = reinterpret_cast<VkQueue>(&told);
  if (field == "unlock") told.unlock = nullptr;
  if (field == "family") told.family = 1000;
  return &told;
}

// Two pairs of lock functions for one lock. `wrapped_with` is the pair that the queue is wrapped with; 0 while no thread can tell.
static std::atomic<int> wrapped_with{0}, locked_with{0};

template <int pair>
static void with_lock(gevt_vulkan_queue_t &told) {
  told.lock = [](void *user) {
    const int expected = wrapped_with;
    vk_lock(user);
    locked_with = pair;
    CHECK(!expected || expected == pair);
  };
  told.unlock = [](void *user) {
    CHECK_EQUAL(locked_with.exchange(0), pair);
    vk_unlock(user);
  };
}

// CONTEXT STREAM: the device and the queue that gevt has made for these are the program's from now on. It finds them by what gevt tells of them; a
// UUID names the VkPhysicalDevice, also where the numbers differ.
static void adopt(gevt_context_t context, gevt_stream_t stream) {
  gevt_context_info_t told = {};
  gevt_stream_info_t of_stream = {};
  VkPhysicalDevice devices[16];
  VkCommandPoolCreateInfo pool = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0, 0};
  uint32_t count = 16;
  void *device = nullptr, *queue = nullptr;
  told.size = sizeof told;
  of_stream.size = sizeof of_stream;
  CHECK_OK(gevt_context_get_info(&told, context));
  CHECK_OK(gevt_stream_get_info(&of_stream, stream));
  CHECK_OK(gevt_context_native(&device, context));
  CHECK_OK(gevt_stream_native(&queue, stream));
  if (!vk.instance) vk_open_instance();
  VK_MUST(vk.EnumeratePhysicalDevices(vk.instance, &count, devices));
  vk.physical = nullptr;
  for (uint32_t i = 0; i < count && !vk.physical; i++) {
    VkPhysicalDeviceIDProperties ids = {};
    VkPhysicalDeviceProperties2 properties = {};
    ids.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &ids;
    vk.GetPhysicalDeviceProperties2(devices[i], &properties);
    if (memcmp(ids.deviceUUID, told.uuid, sizeof told.uuid) != 0) continue;
    vk.physical = devices[i];
    CHECK(strcmp(properties.properties.deviceName, told.name) == 0);
  }
  CHECK((told.known & GEVT_CONTEXT_HAS_UUID) && vk.physical);
  vk.device = static_cast<VkDevice>(device);
  vk_load_device_functions();
  vk.queues[0] = static_cast<VkQueue>(queue);
  pool.queueFamilyIndex = of_stream.queue_family;
  VK_MUST(vk.CreateCommandPool(vk.device, &pool, nullptr, &vk.pool));
  pthread_mutex_init(&vk.mutex, nullptr);
  vk.is_adopted = 1;
}

// other_device: what is wrapped from now on is another device of the program; other_device back: as before, and it is destroyed.
static answer other_device(arguments &a) {
  static vk_t first;
  if (a.more()) {
    a.word();
    vk_close_device();
    vk = first;
  } else {
    first = vk;
    vk.extension_count = 0;
    vk_open_device();
  }
  return answer();
}
