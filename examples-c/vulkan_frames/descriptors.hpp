// The descriptor sets that show buffers to the shaders.
#pragma once

#include "buffer.hpp"
#include "kernels.hpp"

class Descriptors {
public:
  // One set for each list of buffers, which are its bindings from 0 on.
  Descriptors(const Application &application, const Kernels &kernels, Kernels::Set set,
              const std::vector<std::vector<const Buffer *>> &lists);
  ~Descriptors();
  Descriptors(const Descriptors &) = delete;
  Descriptors &operator=(const Descriptors &) = delete;

  VkDescriptorSet operator[](size_t list) const { return sets_[list]; }

private:
  const VkDevice device_;
  VkDescriptorPool pool_ = VK_NULL_HANDLE;
  std::vector<VkDescriptorSet> sets_;
};
