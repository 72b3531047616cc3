// A Vulkan layer for tests. It makes calls fail, changes what devices look like, and counts objects. fault.h declares the controls. A call
// on a destroyed device or instance ends the process with a message.
#include "fault.h"
#include "next.hpp"
#include "state.hpp"

#include <vulkan/vk_layer.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>

namespace fault {

namespace {

// A function that is passed on, after it was counted and if it does not fail.
template <auto Slot, const char *function>
struct Passed;
template <class Next, class First, class... Rest, VkResult (*Next::*Slot)(First, Rest...), const char *function>
struct Passed<Slot, function> {
  static Next begin(First first) {
    if constexpr (std::is_same_v<First, VkQueue>) inform(function, first);
    return next_of(first, function);
  }
  static VkResult call(First first, Rest... rest) {
    const Next next = begin(first);
    const VkResult failure = failure_of(function);
    return failure ? failure : (next.*Slot)(first, rest...);
  }
  // The driver does it all the same: a program may destroy its objects after any answer of a wait.
  static VkResult done(First first, Rest... rest) {
    const VkResult result = (begin(first).*Slot)(first, rest...);
    const VkResult failure = failure_of(function);
    return failure ? failure : result;
  }
};
template <class Next, class First, class... Rest, void (*Next::*Slot)(First, Rest...), const char *function>
struct Passed<Slot, function> {
  static void call(First first, Rest... rest) {
    Next next = next_of(first, function);
    count(function);
    (next.*Slot)(first, rest...);
  }
};

#define PASS(name) Passed<&DeviceNext::name, name_of_##name>::call
#define DONE(name) Passed<&DeviceNext::name, name_of_##name>::done
#define PASS_INSTANCE(name) Passed<&InstanceNext::name, name_of_##name>::call

// The functions that do more than that stand below, and everything else is passed on.

// Before an object is destroyed: a device that is said to be lost works on nothing, and the driver's still does.
void let_finish(VkDevice device_handle) {
  if (was_lost()) next_of(device_handle, "vkDeviceWaitIdle").DeviceWaitIdle(device_handle);
}

#define COUNTED(kind, Name)                                                                                            \
  VkResult create_##kind(VkDevice device_handle, const Vk##Name##CreateInfo *info,                                     \
                         const VkAllocationCallbacks *memory, Vk##Name *out) {                                         \
    const VkResult result = PASS(Create##Name)(device_handle, info, memory, out);                                      \
    if (result == VK_SUCCESS) live++;                                                                                  \
    return result;                                                                                                     \
  }                                                                                                                    \
  void destroy_##kind(VkDevice device_handle, Vk##Name handle, const VkAllocationCallbacks *memory) {                  \
    let_finish(device_handle);                                                                                         \
    if (handle) live--;                                                                                                \
    PASS(Destroy##Name)(device_handle, handle, memory);                                                                \
  }
COUNTED(semaphore, Semaphore)
COUNTED(query_pool, QueryPool)
COUNTED(command_pool, CommandPool)
#undef COUNTED

// In slices while calls may fail for good: a device that is lost ends the waits that are under way.
VkResult wait_semaphores(VkDevice device_handle, const VkSemaphoreWaitInfo *info, uint64_t timeout) {
  constexpr uint64_t slice = 2'000'000;
  inform("vkWaitSemaphores", nullptr);
  if (!is_to_interrupt()) return PASS(WaitSemaphores)(device_handle, info, timeout);
  const DeviceNext next = next_of(device_handle, "vkWaitSemaphores");
  if (const VkResult failure = failure_of("vkWaitSemaphores")) return failure;
  for (;;) {
    const uint64_t now = timeout < slice ? timeout : slice;
    const VkResult result = next.WaitSemaphores(device_handle, info, now);
    if (is_lost()) return VK_ERROR_DEVICE_LOST;
    if (timeout != UINT64_MAX) timeout -= now;
    if (result != VK_TIMEOUT || timeout == 0) return result;
  }
}

VkResult get_query_pool_results(VkDevice device_handle, VkQueryPool pool, uint32_t first, uint32_t count, size_t size,
                                void *data, VkDeviceSize stride, VkQueryResultFlags flags) {
  const VkResult result = PASS(GetQueryPoolResults)(device_handle, pool, first, count, size, data, stride, flags);
  if ((result == VK_SUCCESS || result == VK_NOT_READY) && (flags & VK_QUERY_RESULT_64_BIT)) {
    for (uint32_t i = 0; i < count; i++) {
      auto *value = reinterpret_cast<uint64_t *>(static_cast<char *>(data) + i * stride);
      const bool is_there = !(flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT) || value[1] != 0;
      if (is_there && result == VK_SUCCESS) *value = time_seen(*value);
    }
  }
  return result;
}

VkResult get_calibrated_timestamps(VkDevice device_handle, uint32_t count, const VkCalibratedTimestampInfoEXT *infos,
                                   uint64_t *times, uint64_t *deviation) {
  const VkResult result = PASS(GetCalibratedTimestampsEXT)(device_handle, count, infos, times, deviation);
  for (uint32_t i = 0; result == VK_SUCCESS && i < count; i++) {
    if (infos[i].timeDomain == VK_TIME_DOMAIN_DEVICE_EXT) times[i] = time_seen(times[i]);
    if (infos[i].timeDomain == VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT) note_calibration(times[i], *deviation);
  }
  return result;
}

// An image that the driver has acquired or presented may be suboptimal, too late, or on a surface that is lost by then.
VkResult acquire_next_image(VkDevice device_handle, VkSwapchainKHR swapchain, uint64_t timeout, VkSemaphore semaphore,
                            VkFence done, uint32_t *image) {
  const VkResult failure = failure_of("vkAcquireNextImageKHR");
  if (failure < 0) return failure;
  const DeviceNext next = next_of(device_handle, "vkAcquireNextImageKHR");
  const VkResult result = next.AcquireNextImageKHR(device_handle, swapchain, timeout, semaphore, done, image);
  return result < 0 ? result : failure ? failure : result;
}

void destroy_device(VkDevice handle, const VkAllocationCallbacks *memory) {
  if (!handle) return;
  const DeviceNext next = next_of(handle, "vkDestroyDevice");
  count("vkDestroyDevice");
  devices.remove(key_of(handle));
  forget_planned_loss();
  inform("vkDestroyDevice", nullptr);
  next.DestroyDevice(handle, memory);
  live--;
}

void destroy_instance(VkInstance handle, const VkAllocationCallbacks *memory) {
  if (!handle) return;
  const InstanceNext next = next_of(handle, "vkDestroyInstance");
  instances.remove(key_of(handle));
  live--;
  next.DestroyInstance(handle, memory);
}

// The environment variable TEST_UUID, a text, replaces the UUID of the last physical device.
std::atomic<VkPhysicalDevice> last_device{VK_NULL_HANDLE};

void replace_uuid(VkPhysicalDevice handle, void *chain) {
  const char *text = std::getenv("TEST_UUID");
  if (!text || handle != last_device) return;
  for (auto *at = static_cast<VkBaseOutStructure *>(chain); at; at = at->pNext) {
    if (at->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES) continue;
    uint8_t *uuid = reinterpret_cast<VkPhysicalDeviceIDProperties *>(at)->deviceUUID;
    std::memset(uuid, 0, VK_UUID_SIZE);
    std::memcpy(uuid, text, std::min<size_t>(std::strlen(text), VK_UUID_SIZE));
  }
}

VkResult enumerate_physical_devices(VkInstance handle, uint32_t *count, VkPhysicalDevice *out) {
  const VkResult result = PASS_INSTANCE(EnumeratePhysicalDevices)(handle, count, out);
  if (result == VK_SUCCESS && out && *count > 0) last_device = out[*count - 1];
  if (result == VK_SUCCESS && looks.devices >= 0) *count = std::min(*count, static_cast<uint32_t>(looks.devices));
  return result;
}

void get_features2(VkPhysicalDevice handle, VkPhysicalDeviceFeatures2 *out) {
  PASS_INSTANCE(GetPhysicalDeviceFeatures2)(handle, out);
  hide_features(out);
}
void get_properties(VkPhysicalDevice handle, VkPhysicalDeviceProperties *out) {
  PASS_INSTANCE(GetPhysicalDeviceProperties)(handle, out);
  change(*out);
}
void get_properties2(VkPhysicalDevice handle, VkPhysicalDeviceProperties2 *out) {
  PASS_INSTANCE(GetPhysicalDeviceProperties2)(handle, out);
  replace_uuid(handle, out->pNext);
  change(out->properties);
}
void get_families(VkPhysicalDevice handle, uint32_t *count, VkQueueFamilyProperties *out) {
  PASS_INSTANCE(GetPhysicalDeviceQueueFamilyProperties)(handle, count, out);
  for (uint32_t i = 0; out && i < *count; i++) change(out[i]);
}

VkResult enumerate_device_extensions(VkPhysicalDevice handle, const char *layer, uint32_t *count,
                                     VkExtensionProperties *out) {
  if (layer && std::strcmp(layer, FAULT_LAYER) == 0) {
    *count = 0;
    return VK_SUCCESS;
  }
  const VkResult result = PASS_INSTANCE(EnumerateDeviceExtensionProperties)(handle, layer, count, out);
  const auto is_hidden = [](const VkExtensionProperties &one) {
    return std::strstr(one.extensionName, looks.hidden.c_str()) != nullptr;
  };
  if (result >= 0 && out && !looks.hidden.empty())
    *count = static_cast<uint32_t>(std::remove_if(out, out + *count, is_hidden) - out);
  return result;
}

template <class Info>
Info *link_info(const void *chain, VkStructureType type) {
  for (auto *at = static_cast<const VkBaseInStructure *>(chain); at; at = at->pNext) {
    auto *info = const_cast<Info *>(reinterpret_cast<const Info *>(at));
    if (at->sType == type && info->function == VK_LAYER_LINK_INFO) return info;
  }
  return nullptr;
}

VkResult create_instance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *memory, VkInstance *out) {
  auto *link = link_info<VkLayerInstanceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
  if (!link) return VK_ERROR_INITIALIZATION_FAILED;
  if (const VkResult failure = failure_of("vkCreateInstance")) return failure;
  const PFN_vkGetInstanceProcAddr get = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(get(nullptr, "vkCreateInstance"));
  const VkResult result = create(info, memory, out);
  if (result != VK_SUCCESS) return result;
  InstanceNext next = {};
  next.get = get;
#define LOAD(name) next.name = reinterpret_cast<PFN_vk##name>(get(*out, "vk" #name));
  INSTANCE_FUNCTIONS(LOAD)
#undef LOAD
  instances.add(key_of(*out), next);
  live++;
  return VK_SUCCESS;
}

VkResult create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info, const VkAllocationCallbacks *memory,
                       VkDevice *out) {
  auto *link = link_info<VkLayerDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
  if (!link) return VK_ERROR_INITIALIZATION_FAILED;
  if (const VkResult failure = failure_of("vkCreateDevice")) return failure;
  inform("vkCreateDevice", nullptr);
  const PFN_vkGetDeviceProcAddr get = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  const VkResult result = next_of(physical, "vkCreateDevice").CreateDevice(physical, info, memory, out);
  if (result != VK_SUCCESS) return result;
  DeviceNext next = {};
  next.get = get;
  const auto load = [&](const char *name) {
    const PFN_vkVoidFunction core = get(*out, name);
    return core ? core : get(*out, (std::string(name) + "KHR").c_str());
  };
#define LOAD(name) next.name = reinterpret_cast<PFN_vk##name>(load("vk" #name));
  DEVICE_FUNCTIONS(LOAD)
#undef LOAD
  devices.add(key_of(*out), next);
  live++;
  return VK_SUCCESS;
}

struct Entry {
  const char *name;
  PFN_vkVoidFunction function;
  bool of_instance;
};

template <class Function>
PFN_vkVoidFunction any(Function *function) {
  return reinterpret_cast<PFN_vkVoidFunction>(function);
}
#define PASSED(name) {"vk" #name, any(PASS(name)), false},
// clang-format off
// The first entry of a name counts.
const Entry entries[] = {
    {"vkCreateInstance", any(create_instance), true},
    {"vkDestroyInstance", any(destroy_instance), true},
    {"vkEnumeratePhysicalDevices", any(enumerate_physical_devices), true},
    {"vkGetPhysicalDeviceFeatures2", any(get_features2), true},
    {"vkGetPhysicalDeviceProperties", any(get_properties), true},
    {"vkGetPhysicalDeviceProperties2", any(get_properties2), true},
    {"vkGetPhysicalDeviceQueueFamilyProperties", any(get_families), true},
    {"vkGetPhysicalDeviceCalibrateableTimeDomainsEXT", any(PASS_INSTANCE(GetPhysicalDeviceCalibrateableTimeDomainsEXT)), true},
    {"vkEnumerateDeviceExtensionProperties", any(enumerate_device_extensions), true},
    {"vkCreateDevice", any(create_device), true}, {"vkDestroyDevice", any(destroy_device), false},
    {"vkCreateSemaphore", any(create_semaphore), false}, {"vkDestroySemaphore", any(destroy_semaphore), false},
    {"vkCreateQueryPool", any(create_query_pool), false}, {"vkDestroyQueryPool", any(destroy_query_pool), false},
    {"vkCreateCommandPool", any(create_command_pool), false}, {"vkDestroyCommandPool", any(destroy_command_pool), false},
    {"vkWaitSemaphores", any(wait_semaphores), false}, {"vkGetQueryPoolResults", any(get_query_pool_results), false},
    {"vkGetCalibratedTimestampsEXT", any(get_calibrated_timestamps), false},
    {"vkGetCalibratedTimestampsKHR", any(get_calibrated_timestamps), false},
    {"vkDeviceWaitIdle", any(DONE(DeviceWaitIdle)), false}, {"vkQueueWaitIdle", any(DONE(QueueWaitIdle)), false},
    {"vkQueuePresentKHR", any(DONE(QueuePresentKHR)), false}, {"vkAcquireNextImageKHR", any(acquire_next_image), false},
    DEVICE_FUNCTIONS(PASSED)};
// clang-format on

// The name that an extension gave to a function that became core is as good.
const Entry *entry_of(std::string name) {
  for (;;) {
    for (const Entry &entry : entries) {
      if (entry.name == name) return &entry;
    }
    if (name.size() < 3 || name.compare(name.size() - 3, 3, "KHR") != 0) return nullptr;
    name.resize(name.size() - 3);
  }
}

} // namespace

} // namespace fault

using namespace fault;

FAULT_EXPORT PFN_vkVoidFunction VKAPI_CALL fault_GetDeviceProcAddr(VkDevice handle, const char *name) {
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0)
    return reinterpret_cast<PFN_vkVoidFunction>(fault_GetDeviceProcAddr);
  const PFN_vkVoidFunction below = next_of(handle, "vkGetDeviceProcAddr").get(handle, name);
  const Entry *entry = entry_of(name);
  // A wrapper does not add functions that the driver lacks.
  return entry && !entry->of_instance && below ? entry->function : below;
}

FAULT_EXPORT PFN_vkVoidFunction VKAPI_CALL fault_GetInstanceProcAddr(VkInstance handle, const char *name) {
  if (std::strcmp(name, "vkGetInstanceProcAddr") == 0)
    return reinterpret_cast<PFN_vkVoidFunction>(fault_GetInstanceProcAddr);
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0)
    return reinterpret_cast<PFN_vkVoidFunction>(fault_GetDeviceProcAddr);
  const Entry *entry = entry_of(name);
  if (entry && std::strcmp(name, "vkCreateInstance") == 0) return entry->function;
  if (!handle) return nullptr;
  const PFN_vkVoidFunction below = next_of(handle, "vkGetInstanceProcAddr").get(handle, name);
  return entry && below ? entry->function : below;
}

FAULT_EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface) {
  if (interface->loaderLayerInterfaceVersion > 2) interface->loaderLayerInterfaceVersion = 2;
  interface->pfnGetInstanceProcAddr = fault_GetInstanceProcAddr;
  interface->pfnGetDeviceProcAddr = fault_GetDeviceProcAddr;
  interface->pfnGetPhysicalDeviceProcAddr = nullptr;
  return VK_SUCCESS;
}
