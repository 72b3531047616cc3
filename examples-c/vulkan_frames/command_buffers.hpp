// The command buffers of one frame in flight.
#pragma once

#include "application.hpp"

class CommandBuffers {
public:
  CommandBuffers(const Application &application, size_t count);
  ~CommandBuffers();
  CommandBuffers(const CommandBuffers &) = delete;
  CommandBuffers &operator=(const CommandBuffers &) = delete;

  // Forgets all commands; the device must be done with them.
  void reset() const;

  // Ready to be recorded, for one submit.
  VkCommandBuffer begin(size_t number) const;

private:
  const VkDevice device_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  std::vector<VkCommandBuffer> buffers_;
};
