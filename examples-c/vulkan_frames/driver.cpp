#include "driver.hpp"

#include <dlfcn.h>

#include <stdexcept>

Driver driver;

std::string load_driver() {
  void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return "there is no Vulkan loader (libvulkan.so.1) on this machine";
  }
  driver.GetInstanceProcAddr = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
  if (driver.GetInstanceProcAddr == nullptr) {
    return "libvulkan.so.1 has no vkGetInstanceProcAddr";
  }
#define FIND(name) driver.name = reinterpret_cast<PFN_vk##name>(driver.GetInstanceProcAddr(nullptr, "vk" #name));
  GLOBAL_FUNCTIONS(FIND)
#undef FIND
  // A loader of Vulkan 1.0 lacks this function.
  uint32_t version = 0;
  if (driver.EnumerateInstanceVersion == nullptr || driver.EnumerateInstanceVersion(&version) != VK_SUCCESS ||
      version < VK_API_VERSION_1_3) {
    return "the Vulkan loader is older than Vulkan 1.3";
  }
  return "";
}

void load_instance(VkInstance instance) {
#define FIND(name) driver.name = reinterpret_cast<PFN_vk##name>(driver.GetInstanceProcAddr(instance, "vk" #name));
  INSTANCE_FUNCTIONS(FIND)
#undef FIND
}

void load_device(VkDevice device) {
#define FIND(name) driver.name = reinterpret_cast<PFN_vk##name>(driver.GetDeviceProcAddr(device, "vk" #name));
  DEVICE_FUNCTIONS(FIND)
#undef FIND
}

void check_driver(VkResult result, const char *call) {
  if (result != VK_SUCCESS) {
    const std::string lost = result == VK_ERROR_DEVICE_LOST ? " (the device is lost)" : "";
    throw std::runtime_error(std::string(call) + " returned " + std::to_string(result) + lost);
  }
}
