#include "filled_buffer.hpp"

FilledBuffer::FilledBuffer(const Device &device, size_t words) : device_(device) {
  VkBufferCreateInfo buffer = {};
  buffer.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  buffer.size = words * 4;
  buffer.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  check(vkCreateBuffer(device, &buffer, nullptr, &buffer_), "vkCreateBuffer");
  allocate();

  VkCommandPoolCreateInfo pool = {};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool.queueFamilyIndex = device.family();
  check(vkCreateCommandPool(device, &pool, nullptr, &pool_), "vkCreateCommandPool");
  VkCommandBufferAllocateInfo commands = {};
  commands.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  commands.commandPool = pool_;
  commands.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  commands.commandBufferCount = 1;
  check(vkAllocateCommandBuffers(device, &commands, &commands_), "vkAllocateCommandBuffers");
}

void FilledBuffer::allocate() {
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device_, buffer_, &needs);
  VkPhysicalDeviceMemoryProperties kinds;
  vkGetPhysicalDeviceMemoryProperties(device_.physical(), &kinds);
  constexpr VkMemoryPropertyFlags kSeen = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkMemoryAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.allocationSize = needs.size;
  // Vulkan guarantees that a buffer has such a type.
  while ((needs.memoryTypeBits >> info.memoryTypeIndex & 1) == 0 ||
         (kinds.memoryTypes[info.memoryTypeIndex].propertyFlags & kSeen) != kSeen) {
    info.memoryTypeIndex++;
  }
  check(vkAllocateMemory(device_, &info, nullptr, &memory_), "vkAllocateMemory");
  check(vkBindBufferMemory(device_, buffer_, memory_, 0), "vkBindBufferMemory");
  check(vkMapMemory(device_, memory_, 0, VK_WHOLE_SIZE, 0, &mapped_), "vkMapMemory");
}

FilledBuffer::~FilledBuffer() {
  vkDestroyCommandPool(device_, pool_, nullptr);
  vkDestroyBuffer(device_, buffer_, nullptr);
  vkFreeMemory(device_, memory_, nullptr);
}

VkResult FilledBuffer::fill(uint32_t value, const gevt::vulkan::batch &batch) const {
  VkCommandBufferBeginInfo begin = {};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  check(vkBeginCommandBuffer(commands_, &begin), "vkBeginCommandBuffer");
  vkCmdFillBuffer(commands_, buffer_, 0, VK_WHOLE_SIZE, value);
  // Makes what the device has written visible to the host.
  VkMemoryBarrier2 barrier = {};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2;
  barrier.srcStageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
  barrier.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
  barrier.dstStageMask = VK_PIPELINE_STAGE_2_HOST_BIT;
  barrier.dstAccessMask = VK_ACCESS_2_HOST_READ_BIT;
  VkDependencyInfo dependency = {};
  dependency.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
  dependency.memoryBarrierCount = 1;
  dependency.pMemoryBarriers = &barrier;
  vkCmdPipelineBarrier2(commands_, &dependency);
  check(vkEndCommandBuffer(commands_), "vkEndCommandBuffer");

  VkCommandBufferSubmitInfo commands = {};
  commands.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO;
  commands.commandBuffer = commands_;
  VkSubmitInfo2 submit = {};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
  submit.commandBufferInfoCount = 1;
  submit.pCommandBufferInfos = &commands;
  batch.fill(submit);
  return vkQueueSubmit2(device_.queue(), 1, &submit, VK_NULL_HANDLE);
}
