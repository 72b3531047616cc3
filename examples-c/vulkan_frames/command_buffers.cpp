#include "command_buffers.hpp"

CommandBuffers::CommandBuffers(const Application &application, size_t count)
    : device_(application.device()), buffers_(count) {
  VkCommandPoolCreateInfo create = {};
  create.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  create.queueFamilyIndex = application.family();
  VULKAN(driver.CreateCommandPool(device_, &create, nullptr, &pool_));
  VkCommandBufferAllocateInfo allocate = {};
  allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocate.commandPool = pool_;
  allocate.commandBufferCount = static_cast<uint32_t>(count);
  VULKAN(driver.AllocateCommandBuffers(device_, &allocate, buffers_.data()));
}

CommandBuffers::~CommandBuffers() {
  driver.DestroyCommandPool(device_, pool_, nullptr);
}

void CommandBuffers::reset() const {
  VULKAN(driver.ResetCommandPool(device_, pool_, 0));
}

VkCommandBuffer CommandBuffers::begin(size_t number) const {
  VkCommandBufferBeginInfo begin = {};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  VULKAN(driver.BeginCommandBuffer(buffers_[number], &begin));
  return buffers_[number];
}
