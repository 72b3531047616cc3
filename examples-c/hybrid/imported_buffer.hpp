// A buffer of Vulkan's in the host's own memory.
#pragma once

#include "../vulkan_frames/application.hpp"
#include "slot.hpp"

class ImportedBuffer {
public:
  // Throws std::runtime_error if the device refuses the memory.
  ImportedBuffer(const Application &application, const SharedMemory &memory);
  ~ImportedBuffer();
  ImportedBuffer(const ImportedBuffer &) = delete;
  ImportedBuffer &operator=(const ImportedBuffer &) = delete;

  VkBuffer handle() const { return buffer_; }

private:
  const VkDevice device_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
};
