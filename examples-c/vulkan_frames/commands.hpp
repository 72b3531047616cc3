// The passes of a frame as Vulkan commands. They know nothing of gevt, nor of what runs before them.
#pragma once

#include "../renderer/frame.hpp"
#include "frame_buffers.hpp"
#include "scene_buffers.hpp"

class Commands {
public:
  Commands(const Kernels &kernels, const SceneBuffers &scene, const Camera &camera, int width, int height, int samples)
      : kernels_(kernels), scene_(scene), camera_(camera), width_(width), height_(height), samples_(samples) {}

  // Each puts one pass into a command buffer.
  void trace(VkCommandBuffer to, const FrameBuffers &buffers, int frame, const Tile &tile) const;
  void denoise(VkCommandBuffer to, const FrameBuffers &buffers) const;
  void tone_map(VkCommandBuffer to, const FrameBuffers &buffers) const;
  // Copies what a tracer wrote to a buffer that the host reads, plane behind plane.
  void hand_over(VkCommandBuffer to, const FrameBuffers &buffers, VkBuffer target) const;

private:
  void dispatch(VkCommandBuffer to, Kernels::Kernel kernel, VkDescriptorSet frame, const Step &step, int side) const;
  Step whole_picture() const;

  const Kernels &kernels_;
  const SceneBuffers &scene_;
  const Camera camera_;
  const int width_, height_, samples_;
};
