// In the place of hops_vulkan.cpp where there are no headers of Vulkan.
#include "hops.hpp"

namespace bench {

std::unique_ptr<Lane> vulkan_lane(Lane *, std::string &trouble) {
  trouble = "built without Vulkan's headers";
  return nullptr;
}

} // namespace bench
