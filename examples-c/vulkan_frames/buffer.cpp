#include "buffer.hpp"

#include <stdexcept>

namespace {

// The first that the device has is taken.
std::vector<VkMemoryPropertyFlags> wishes(Buffer::Place place) {
  const VkMemoryPropertyFlags seen = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  switch (place) {
  case Buffer::kUpload:
    return {seen | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, seen};
  case Buffer::kReadback:
    return {seen | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, seen};
  default:
    return {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0};
  }
}

} // namespace

Buffer::Buffer(const Application &application, Place place, VkDeviceSize bytes)
    : device_(application.device()), bytes_(bytes) {
  if (bytes > application.largest_buffer()) {
    throw std::runtime_error("the picture is too large for " + application.name() + ": a buffer of " +
                             std::to_string(bytes >> 20) + " MiB is needed");
  }
  VkBufferCreateInfo create = {};
  create.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  create.size = bytes;
  create.usage =
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VULKAN(driver.CreateBuffer(device_, &create, nullptr, &buffer_));

  VkMemoryRequirements needs;
  driver.GetBufferMemoryRequirements(device_, buffer_, &needs);
  VkMemoryAllocateInfo allocate = {};
  allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocate.allocationSize = needs.size;
  allocate.memoryTypeIndex = application.memory_type(needs.memoryTypeBits, wishes(place));
  VkResult result = driver.AllocateMemory(device_, &allocate, nullptr, &memory_);
  if (result == VK_SUCCESS) {
    result = driver.BindBufferMemory(device_, buffer_, memory_, 0);
  }
  if (result == VK_SUCCESS && place != kDevice) {
    result = driver.MapMemory(device_, memory_, 0, VK_WHOLE_SIZE, 0, &mapped_);
  }
  if (result != VK_SUCCESS) {
    driver.DestroyBuffer(device_, buffer_, nullptr);
    driver.FreeMemory(device_, memory_, nullptr);
    check_driver(result, "memory for a buffer");
  }
}

Buffer::~Buffer() {
  driver.DestroyBuffer(device_, buffer_, nullptr);
  driver.FreeMemory(device_, memory_, nullptr); // ends the mapping, too
}
