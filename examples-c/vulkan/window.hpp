// Where a program presents: an X11 window, or a headless surface if the environment variable DISPLAY is not set.
#pragma once

#include <memory>

#include "device.hpp"

class Window {
public:
  static std::unique_ptr<Window> open(VkExtent2D size);
  virtual ~Window() = default;

  virtual const char *extension() const = 0;
  virtual VkSurfaceKHR create_surface(VkInstance instance) const = 0;
  virtual VkExtent2D size() const = 0;
  virtual void resize(VkExtent2D size) = 0;
};
