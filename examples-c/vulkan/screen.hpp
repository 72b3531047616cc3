// A device that draws rectangles on a window's surface. It does not use events.
#pragma once

#include <optional>

#include "swapchain.hpp"
#include "window.hpp"

class Screen {
public:
  Screen(const Instance &instance, Window &window);
  // The device may not use anything of the screen's any more.
  ~Screen();
  Screen(const Screen &) = delete;
  Screen &operator=(const Screen &) = delete;

  const Device &device() const { return *device_; }
  VkCommandBuffer create_commands() const;
  // Lives as long as the screen.
  VkSemaphore create_semaphore();

  // Returns an image to draw, or nothing if the swapchain or the surface was replaced.
  std::optional<uint32_t> acquire(VkSemaphore acquired);
  // Signaled by the submit that draws the image.
  VkSemaphore rendered(uint32_t image) const { return swapchain_->image(image).rendered; }
  void present(uint32_t image);

  void begin(VkCommandBuffer commands, uint32_t image) const;
  // Fills a rectangle. Places and sizes are parts of the image's; the hue is an angle.
  void fill(VkCommandBuffer commands, float x, float y, float width, float height, float hue) const;
  void end(VkCommandBuffer commands, uint32_t image) const;

private:
  void replace_swapchain();
  void replace_surface();
  VkResult replace_if_lost(VkResult result);

  Window &window_;
  const Instance &instance_;
  VkSurfaceKHR surface_;
  std::optional<Device> device_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  std::vector<VkSemaphore> semaphores_;
  std::optional<Swapchain> swapchain_;
};
