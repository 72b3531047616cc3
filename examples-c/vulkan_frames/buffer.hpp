// Memory of the device.
#pragma once

#include "application.hpp"

class Buffer {
public:
  enum Place {
    kDevice,   // the device's own, for what passes hand to each other
    kUpload,   // written by the host once, read by the device often
    kReadback, // written by the device once, read by the host
  };

  // Throws std::runtime_error if the device has no such memory or not that much.
  Buffer(const Application &application, Place place, VkDeviceSize bytes);
  ~Buffer();
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  VkBuffer handle() const { return buffer_; }
  VkDeviceSize bytes() const { return bytes_; }
  // Where the host sees it; not for kDevice. What the host writes, the device sees without more ado.
  void *mapped() const { return mapped_; }

private:
  const VkDevice device_;
  const VkDeviceSize bytes_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  void *mapped_ = nullptr;
};
