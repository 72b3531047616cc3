// What a renderer on Vulkan has before it hears of gevt: an instance, a device, and queues.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "driver.hpp"

class Application {
public:
  static constexpr uint32_t kVersion = VK_API_VERSION_1_3;

  // `device` counts as vkEnumeratePhysicalDevices does; `queues` are taken as far as the device has them. Where `complaints` is
  // given, the validation layer checks all calls and counts there what it complains of.
  Application(int device, int queues, int *complaints);
  ~Application();
  Application(const Application &) = delete;
  Application &operator=(const Application &) = delete;

  // Why this machine cannot run the program; nothing where it can.
  const std::string &trouble() const { return trouble_; }
  const std::string &name() const { return name_; }

  VkInstance instance() const { return instance_; }
  VkPhysicalDevice physical_device() const { return physical_device_; }
  VkDevice device() const { return device_; }
  // The extensions that the device was made with.
  const std::vector<const char *> &extensions() const { return extensions_; }

  // All queues are of one family, so that no buffer has to change its owner.
  uint32_t family() const { return family_; }
  int queue_count() const { return static_cast<int>(queues_.size()); }
  VkQueue queue(int number) const { return queues_[static_cast<size_t>(number)]; }
  // Whoever submits to the queue holds its mutex.
  std::mutex &queue_mutex(int number) { return queue_mutexes_[static_cast<size_t>(number)]; }

  // How far the device's time stamps count, and how long a tick is.
  uint64_t time_mask() const { return time_mask_; }
  double tick_ns() const { return tick_ns_; }
  VkDeviceSize largest_buffer() const { return largest_buffer_; }

  // The index of a memory type out of `allowed` that has the properties: the first list that can be met counts.
  uint32_t memory_type(uint32_t allowed, const std::vector<VkMemoryPropertyFlags> &wishes) const;

private:
  bool make_instance(int *complaints);
  bool choose_device(int number);
  bool choose_family();
  void make_device(int queues);

  std::string trouble_, name_;
  VkInstance instance_ = nullptr;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device_ = nullptr;
  VkDevice device_ = nullptr;
  std::vector<const char *> extensions_;
  uint32_t family_ = 0, family_queues_ = 0;
  std::vector<VkQueue> queues_;
  std::unique_ptr<std::mutex[]> queue_mutexes_;
  uint64_t time_mask_ = 0;
  double tick_ns_ = 1;
  VkDeviceSize largest_buffer_ = 0;
};
