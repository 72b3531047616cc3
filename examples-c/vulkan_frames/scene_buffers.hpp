// The scene, where the shaders read it.
#pragma once

#include "../renderer/scene.hpp"
#include "descriptors.hpp"

class SceneBuffers {
public:
  SceneBuffers(const Application &application, const Kernels &kernels, const Scene &scene);

  VkDescriptorSet set() const { return descriptors_[0]; }

private:
  const Buffer head_, materials_, spheres_, planes_, boxes_, lamps_;
  const Descriptors descriptors_;
};
