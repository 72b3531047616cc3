// The compute shaders of the folder shaders/, and the layout of what they read and write.
#pragma once

#include "application.hpp"

class Kernels {
public:
  enum Kernel { kTrace, kDenoise, kMeter, kToneMap, kKernels };
  enum Set { kScene, kFrame, kSets };
  static constexpr uint32_t kBindings[kSets] = {6, 7}; // all of them storage buffers

  explicit Kernels(const Application &application);
  ~Kernels();
  Kernels(const Kernels &) = delete;
  Kernels &operator=(const Kernels &) = delete;

  VkDescriptorSetLayout set_layout(Set set) const { return set_layouts_[set]; }
  VkPipelineLayout layout() const { return layout_; }
  VkPipeline pipeline(Kernel kernel) const { return pipelines_[kernel]; }

private:
  const VkDevice device_;
  VkDescriptorSetLayout set_layouts_[kSets] = {};
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipelines_[kKernels] = {};
};

// What a dispatch is told: the push constants of shaders/buffers.glsl.
struct Step {
  float from[3];
  int32_t samples;
  float corner[3];
  int32_t frame;
  float right[3];
  int32_t level;
  float down[3];
  int32_t unused;
  int32_t left, top, end_x, end_y;
  int32_t width, height;
};
