// A buffer that the device fills and the host reads.
#pragma once

#include "device.hpp"
#include "gevt/vulkan.hpp"

class FilledBuffer {
public:
  FilledBuffer(const Device &device, size_t words);
  // The device may not use it any more.
  ~FilledBuffer();
  FilledBuffer(const FilledBuffer &) = delete;
  FilledBuffer &operator=(const FilledBuffer &) = delete;

  // Submits the commands that fill the buffer, with the waits and the signal of a batch. The last fill must have completed.
  VkResult fill(uint32_t value, const gevt::vulkan::batch &batch) const;

  const void *mapped() const { return mapped_; }

private:
  void allocate();

  const Device &device_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  void *mapped_ = nullptr;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
};
