#include "screen.hpp"

#include <cmath>
#include <cstdio>

Screen::Screen(const Instance &instance, Window &window)
    : window_(window), instance_(instance), surface_(window.create_surface(instance_)) {
  const auto can_present = [&](VkPhysicalDevice device, uint32_t family, const VkQueueFamilyProperties &properties) {
    VkBool32 presents = VK_FALSE;
    check(vkGetPhysicalDeviceSurfaceSupportKHR(device, family, surface_, &presents),
          "vkGetPhysicalDeviceSurfaceSupportKHR");
    return presents == VK_TRUE && (properties.queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0;
  };
  device_.emplace(instance_, Names{VK_KHR_SWAPCHAIN_EXTENSION_NAME}, can_present);
  std::printf("device: %s\n", device_->name().c_str());

  VkCommandPoolCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  info.queueFamilyIndex = device_->family();
  check(vkCreateCommandPool(*device_, &info, nullptr, &pool_), "vkCreateCommandPool");
  replace_swapchain();
}

Screen::~Screen() {
  swapchain_.reset();
  for (VkSemaphore semaphore : semaphores_) vkDestroySemaphore(*device_, semaphore, nullptr);
  vkDestroyCommandPool(*device_, pool_, nullptr);
  device_.reset();
  vkDestroySurfaceKHR(instance_, surface_, nullptr);
}

VkCommandBuffer Screen::create_commands() const {
  VkCommandBufferAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = pool_;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  check(vkAllocateCommandBuffers(*device_, &info, &commands), "vkAllocateCommandBuffers");
  return commands;
}

VkSemaphore Screen::create_semaphore() {
  return semaphores_.emplace_back(::create_semaphore(*device_));
}

void Screen::replace_swapchain() {
  // The presentation of the last images uses the swapchain.
  check(vkQueueWaitIdle(device_->queue()), "vkQueueWaitIdle");
  swapchain_.reset();
  swapchain_.emplace(*device_, surface_, window_.size());
  std::printf("swapchain: %u x %u\n", swapchain_->extent().width, swapchain_->extent().height);
}

void Screen::replace_surface() {
  check(vkQueueWaitIdle(device_->queue()), "vkQueueWaitIdle");
  swapchain_.reset();
  vkDestroySurfaceKHR(instance_, surface_, nullptr);
  surface_ = window_.create_surface(instance_);
  std::printf("the surface was lost\n");
  replace_swapchain();
}

// Returns the result, unless it is an error that a new swapchain or surface does not mend.
VkResult Screen::replace_if_lost(VkResult result) {
  if (result == VK_ERROR_SURFACE_LOST_KHR) {
    replace_surface();
  } else if (result == VK_ERROR_OUT_OF_DATE_KHR) {
    replace_swapchain();
  } else {
    check(result, "vkAcquireNextImageKHR or vkQueuePresentKHR");
  }
  return result;
}

std::optional<uint32_t> Screen::acquire(VkSemaphore acquired) {
  const VkExtent2D now = window_.size(), then = swapchain_->extent();
  if (now.width != then.width || now.height != then.height) replace_swapchain();
  uint32_t image = 0;
  // A suboptimal image can be presented, which then says so again.
  if (replace_if_lost(swapchain_->acquire(acquired, image)) < 0) return std::nullopt;
  return image;
}

void Screen::present(uint32_t image) {
  if (replace_if_lost(swapchain_->present(image)) == VK_SUBOPTIMAL_KHR) replace_swapchain();
}

void Screen::begin(VkCommandBuffer commands, uint32_t image) const {
  VkCommandBufferBeginInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  check(vkBeginCommandBuffer(commands, &info), "vkBeginCommandBuffer");
  swapchain_->begin_rendering(commands, image);
}

void Screen::fill(VkCommandBuffer commands, float x, float y, float width, float height, float hue) const {
  const auto across = static_cast<float>(swapchain_->extent().width);
  const auto down = static_cast<float>(swapchain_->extent().height);
  VkClearAttachment color = {};
  color.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT;
  color.clearValue.color = {
      {0.5f + 0.5f * std::sin(hue), 0.5f + 0.5f * std::sin(hue + 2), 0.5f + 0.5f * std::sin(hue + 4), 1}};
  VkClearRect where = {};
  where.rect.offset = {static_cast<int32_t>(x * across), static_cast<int32_t>(y * down)};
  where.rect.extent = {static_cast<uint32_t>(width * across) + 1, static_cast<uint32_t>(height * down) + 1};
  where.layerCount = 1;
  vkCmdClearAttachments(commands, 1, &color, 1, &where);
}

void Screen::end(VkCommandBuffer commands, uint32_t image) const {
  swapchain_->end_rendering(commands, image);
  check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
}
