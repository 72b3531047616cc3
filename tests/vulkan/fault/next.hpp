// The functions of the layer below, for each instance and device.
#ifndef GEVT_TESTS_FAULT_NEXT_HPP
#define GEVT_TESTS_FAULT_NEXT_HPP

#include <vulkan/vulkan.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <type_traits>

namespace fault {

// The next layer's functions. The names of extensions share the slot of the function that became core.
// clang-format off
#define INSTANCE_FUNCTIONS(X) \
  X(DestroyInstance) X(EnumeratePhysicalDevices) X(GetPhysicalDeviceFeatures2) X(GetPhysicalDeviceProperties) \
  X(GetPhysicalDeviceProperties2) X(GetPhysicalDeviceQueueFamilyProperties) \
  X(GetPhysicalDeviceCalibrateableTimeDomainsEXT) \
  X(EnumerateDeviceExtensionProperties) X(CreateDevice)
#define DEVICE_FUNCTIONS(X) \
  X(DestroyDevice) X(GetDeviceQueue) X(DeviceWaitIdle) X(QueueWaitIdle) X(QueueSubmit) \
  X(QueueSubmit2) X(CreateSemaphore) X(DestroySemaphore) X(GetSemaphoreCounterValue) X(WaitSemaphores) \
  X(SignalSemaphore) X(CreateQueryPool) X(DestroyQueryPool) X(GetQueryPoolResults) X(ResetQueryPool) \
  X(CreateCommandPool) X(DestroyCommandPool) X(AllocateCommandBuffers) X(FreeCommandBuffers) \
  X(BeginCommandBuffer) X(EndCommandBuffer) X(CmdResetQueryPool) X(CmdWriteTimestamp) \
  X(CmdWriteTimestamp2) \
  X(GetCalibratedTimestampsEXT) X(AcquireNextImageKHR) X(QueuePresentKHR)
// clang-format on

#define SLOT(name) PFN_vk##name name;
struct InstanceNext {
  PFN_vkGetInstanceProcAddr get;
  INSTANCE_FUNCTIONS(SLOT)
};
struct DeviceNext {
  PFN_vkGetDeviceProcAddr get;
  DEVICE_FUNCTIONS(SLOT)
};
#undef SLOT

#define NAME(name) inline constexpr char name_of_##name[] = "vk" #name;
INSTANCE_FUNCTIONS(NAME)
DEVICE_FUNCTIONS(NAME)
#undef NAME

// Every handle that a call begins with holds the loader's table for its instance or device in its first word.
using Key = void *;
template <class Handle>
Key key_of(Handle handle) {
  return *reinterpret_cast<Key *>(handle);
}

template <class Next>
class Owners {
public:
  void add(Key key, const Next &next) {
    std::unique_lock lock(mutex_);
    owners_[key] = next;
  }
  void remove(Key key) {
    std::unique_lock lock(mutex_);
    owners_.erase(key);
  }
  Next of(Key key, const char *function) {
    std::shared_lock lock(mutex_);
    const auto found = owners_.find(key);
    if (found == owners_.end()) {
      std::printf("FAILED: %s on a device or an instance that is gone\n", function);
      std::fflush(stdout);
      std::abort();
    }
    return found->second;
  }

private:
  std::shared_mutex mutex_;
  std::map<Key, Next> owners_;
};

// Never destroyed: gevt's and the driver's threads may call until the process exits.
inline Owners<InstanceNext> &instances = *new Owners<InstanceNext>;
inline Owners<DeviceNext> &devices = *new Owners<DeviceNext>;

template <class Handle>
auto next_of(Handle handle, const char *function) {
  constexpr bool is_of_instance = std::is_same_v<Handle, VkInstance> || std::is_same_v<Handle, VkPhysicalDevice>;
  if constexpr (is_of_instance)
    return instances.of(key_of(handle), function);
  else
    return devices.of(key_of(handle), function);
}

} // namespace fault

#endif
