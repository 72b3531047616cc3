#include "swapchain.hpp"

#include <algorithm>

namespace {

void change_layout(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to, VkAccessFlags2 before,
                   VkAccessFlags2 after) {
  VkImageMemoryBarrier2 barrier = {};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2;
  barrier.srcStageMask = barrier.dstStageMask = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
  barrier.srcAccessMask = before;
  barrier.dstAccessMask = after;
  barrier.oldLayout = from;
  barrier.newLayout = to;
  barrier.image = image;
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  VkDependencyInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
  info.imageMemoryBarrierCount = 1;
  info.pImageMemoryBarriers = &barrier;
  vkCmdPipelineBarrier2(commands, &info);
}

} // namespace

VkSemaphore create_semaphore(VkDevice device) {
  VkSemaphoreCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  VkSemaphore semaphore = VK_NULL_HANDLE;
  check(vkCreateSemaphore(device, &info, nullptr, &semaphore), "vkCreateSemaphore");
  return semaphore;
}

Swapchain::Swapchain(const Device &device, VkSurfaceKHR surface, VkExtent2D size) : device_(device) {
  VkSurfaceCapabilitiesKHR able;
  check(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(device.physical(), surface, &able),
        "vkGetPhysicalDeviceSurfaceCapabilitiesKHR");
  extent_ = able.currentExtent.width == UINT32_MAX ? size : able.currentExtent;
  uint32_t count = 1;
  VkSurfaceFormatKHR format = {};
  check(vkGetPhysicalDeviceSurfaceFormatsKHR(device.physical(), surface, &count, &format),
        "vkGetPhysicalDeviceSurfaceFormatsKHR");

  VkSwapchainCreateInfoKHR info = {};
  info.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR;
  info.surface = surface;
  info.minImageCount = able.maxImageCount == 0 ? std::max(able.minImageCount, 3u)
                                               : std::clamp(3u, able.minImageCount, able.maxImageCount);
  info.imageFormat = format.format;
  info.imageColorSpace = format.colorSpace;
  info.imageExtent = extent_;
  info.imageArrayLayers = 1;
  info.imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  info.preTransform = able.currentTransform;
  // The lowest bit that the surface has.
  info.compositeAlpha =
      static_cast<VkCompositeAlphaFlagBitsKHR>(able.supportedCompositeAlpha & (~able.supportedCompositeAlpha + 1));
  info.presentMode = VK_PRESENT_MODE_FIFO_KHR;
  info.clipped = VK_TRUE;
  check(vkCreateSwapchainKHR(device, &info, nullptr, &handle_), "vkCreateSwapchainKHR");

  check(vkGetSwapchainImagesKHR(device, handle_, &count, nullptr), "vkGetSwapchainImagesKHR");
  std::vector<VkImage> images(count);
  check(vkGetSwapchainImagesKHR(device, handle_, &count, images.data()), "vkGetSwapchainImagesKHR");
  for (VkImage image : images) {
    VkImageViewCreateInfo view = {};
    view.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
    view.image = image;
    view.viewType = VK_IMAGE_VIEW_TYPE_2D;
    view.format = format.format;
    view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    images_.push_back({image, VK_NULL_HANDLE, create_semaphore(device)});
    check(vkCreateImageView(device, &view, nullptr, &images_.back().view), "vkCreateImageView");
  }
}

Swapchain::~Swapchain() {
  for (const Image &image : images_) {
    vkDestroyImageView(device_, image.view, nullptr);
    vkDestroySemaphore(device_, image.rendered, nullptr);
  }
  vkDestroySwapchainKHR(device_, handle_, nullptr);
}

VkResult Swapchain::acquire(VkSemaphore acquired, uint32_t &index) const {
  return vkAcquireNextImageKHR(device_, handle_, UINT64_MAX, acquired, VK_NULL_HANDLE, &index);
}

VkResult Swapchain::present(uint32_t index) const {
  VkPresentInfoKHR info = {};
  info.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR;
  info.waitSemaphoreCount = 1;
  info.pWaitSemaphores = &images_[index].rendered;
  info.swapchainCount = 1;
  info.pSwapchains = &handle_;
  info.pImageIndices = &index;
  return vkQueuePresentKHR(device_.queue(), &info);
}

void Swapchain::begin_rendering(VkCommandBuffer commands, uint32_t index) const {
  change_layout(commands, images_[index].image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, 0,
                VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT);
  VkRenderingAttachmentInfo color = {};
  color.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO;
  color.imageView = images_[index].view;
  color.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  color.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  VkRenderingInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
  info.renderArea.extent = extent_;
  info.layerCount = 1;
  info.colorAttachmentCount = 1;
  info.pColorAttachments = &color;
  vkCmdBeginRendering(commands, &info);
}

void Swapchain::end_rendering(VkCommandBuffer commands, uint32_t index) const {
  vkCmdEndRendering(commands);
  change_layout(commands, images_[index].image, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT, 0);
}
