// The pixels of one frame in flight, and its picture.
#pragma once

#include "descriptors.hpp"

class FrameBuffers {
public:
  static constexpr int kSquare = 32; // as in shaders/buffers.glsl

  FrameBuffers(const Application &application, const Kernels &kernels, int width, int height);

  // The set with which a step writes the first of the two pixel buffers and reads the second, or the other way round.
  enum Direction { kToFirst, kToSecond };
  VkDescriptorSet set(Direction direction) const { return descriptors_[direction]; }

  // What the tracer writes, in the order of renderer/passes.hpp: colours, normals, places, light.
  static constexpr int kTraced = 4;
  const Buffer &traced(int plane) const;

  // On the device and on the host: 4 bytes a pixel, the last of them unused.
  const Buffer &picture() const { return picture_; }
  const Buffer &readback() const { return readback_; }

private:
  const VkDeviceSize pixels_;
  const Buffer colours_, normals_, places_, first_, second_, sums_, picture_, readback_;
  const Descriptors descriptors_;
};
