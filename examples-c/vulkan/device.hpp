// A VkInstance, a VkDevice with one queue, and gevt's context for it.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <vulkan/vulkan.h>

#include "gevt.hpp"

using Names = std::vector<const char *>;

struct VulkanError : std::runtime_error {
  VulkanError(const char *call, VkResult result)
      : std::runtime_error(std::string(call) + " returned " + std::to_string(result)), result(result) {}
  const VkResult result;
};

// Throws if a call failed. Returns results that are not failures, such as VK_SUBOPTIMAL_KHR.
inline VkResult check(VkResult result, const char *call) {
  if (result < 0) throw VulkanError(call, result);
  return result;
}

// A machine that cannot run the example. The program then prints why, and ends.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Instance {
public:
  explicit Instance(const Names &extensions = {});
  ~Instance() { vkDestroyInstance(handle_, nullptr); }
  Instance(const Instance &) = delete;
  Instance &operator=(const Instance &) = delete;

  operator VkInstance() const { return handle_; }
  std::vector<VkPhysicalDevice> devices() const;

private:
  VkInstance handle_ = VK_NULL_HANDLE;
};

class Device {
public:
  // Tells whether a queue family of a physical device is suitable.
  using Choose = std::function<bool(VkPhysicalDevice, uint32_t family, const VkQueueFamilyProperties &)>;

  // Takes the first suitable family of the first device with Vulkan 1.3. Throws Unsupported if nothing is suitable.
  Device(const Instance &instance, const Names &extensions, const Choose &choose);
  ~Device() { vkDestroyDevice(handle_, nullptr); }
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  operator VkDevice() const { return handle_; }
  VkPhysicalDevice physical() const { return physical_; }
  VkQueue queue() const { return queue_; }
  uint32_t family() const { return family_; }
  std::string name() const;

  // The context must be closed before the device is destroyed.
  gevt::context wrap() const;
  gevt::stream wrap_queue(gevt::context_ref context) const;

private:
  bool find(const Instance &instance, const Choose &choose);

  const VkInstance instance_;
  const Names extensions_;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  uint32_t family_ = 0;
  VkDevice handle_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
};
