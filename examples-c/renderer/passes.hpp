// The first two passes of a frame at one pixel, in memory of the caller.
#pragma once

#include "tracer.hpp"

// 16 bytes, as a vec4 of a shader and a float4 of a kernel.
struct Texel {
  Vec3 value;
  float variance = 0; // of the light's luminance; nothing elsewhere
};

// A frame's pixels, row by row from the top.
struct Planes {
  static constexpr int kCount = 5;

  Texel *colours = nullptr, *normals = nullptr, *places = nullptr; // of the surface that each pixel shows
  Texel *light[2] = {};                                            // each denoise step reads one and writes the other
  int width = 0, height = 0;

  // Returns the planes that lie one behind another from `memory` on.
  static Planes at(Texel *memory, int width, int height);

  size_t index(int x, int y) const {
    return static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x);
  }
};

// Light is denoised without the surface's colour: patterns stay sharp. A black surface must not divide by 0.
constexpr Vec3 kLeastColour = {0.01f, 0.01f, 0.01f};

constexpr int kDenoiseSteps = 3;

// The samples of a pixel: its surface, and its light in light[0].
void trace_pixel(const Scene &scene, const Lens &lens, const Planes &planes, int samples, int frame, int x, int y);

// One step of the denoiser, counted from 0. Every pixel of the step before must be done.
void denoise_pixel(const Planes &planes, Vec3 camera, int step, int x, int y);
