// In the place of vulkan_device.cpp where that cannot be built.
#include "device.hpp"

std::unique_ptr<Device> open_vulkan(int, int *, std::string &trouble) {
  trouble = "this program was built without Vulkan's headers, or without its shaders";
  return nullptr;
}
