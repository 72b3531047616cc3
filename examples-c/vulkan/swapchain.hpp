// A swapchain, and what each of its images needs.
#pragma once

#include "device.hpp"

class Swapchain {
public:
  struct Image {
    VkImage image = VK_NULL_HANDLE;
    VkImageView view = VK_NULL_HANDLE;
    VkSemaphore rendered = VK_NULL_HANDLE; // the presentation waits for it
  };

  // `size` is used if the surface leaves it to the program.
  Swapchain(const Device &device, VkSurfaceKHR surface, VkExtent2D size);
  // No image may be in use.
  ~Swapchain();
  Swapchain(const Swapchain &) = delete;
  Swapchain &operator=(const Swapchain &) = delete;

  VkExtent2D extent() const { return extent_; }

  // Sets `index` to the next image. Both return what Vulkan's function returned.
  VkResult acquire(VkSemaphore acquired, uint32_t &index) const;
  VkResult present(uint32_t index) const;
  const Image &image(uint32_t index) const { return images_[index]; }

  // Begins and ends the commands that draw an image.
  void begin_rendering(VkCommandBuffer commands, uint32_t index) const;
  void end_rendering(VkCommandBuffer commands, uint32_t index) const;

private:
  const Device &device_;
  VkSwapchainKHR handle_ = VK_NULL_HANDLE;
  VkExtent2D extent_ = {};
  std::vector<Image> images_;
};

VkSemaphore create_semaphore(VkDevice device);
