// What the kernels of kernels.cpp do, as host functions, for CUDA without a GPU: GEVT_HOSTCUDA_KERNELS=libhybrid_kernels.so
#include "../renderer/passes.hpp"
#include "kernels.h"

namespace {

template <class Function>
void for_each_pixel(const Planes &planes, Function &&function) {
  for (int y = 0; y < planes.height; y++) {
    for (int x = 0; x < planes.width; x++) {
      function(x, y);
    }
  }
}

} // namespace

GEVT_HOSTCUDA_KERNEL(trace, sizeof(SceneView), sizeof(Lens), sizeof(Planes), sizeof(int), sizeof(int))
(const gevt_hostcuda_launch_t *, void **arguments) {
  const auto &scene = *static_cast<const SceneView *>(arguments[0]);
  const auto &lens = *static_cast<const Lens *>(arguments[1]);
  const auto &planes = *static_cast<const Planes *>(arguments[2]);
  const int samples = *static_cast<const int *>(arguments[3]), frame = *static_cast<const int *>(arguments[4]);
  for_each_pixel(planes, [&](int x, int y) { trace_pixel(scene, lens, planes, samples, frame, x, y); });
}

GEVT_HOSTCUDA_KERNEL(denoise, sizeof(Planes), sizeof(Vec3), sizeof(int))
(const gevt_hostcuda_launch_t *, void **arguments) {
  const auto &planes = *static_cast<const Planes *>(arguments[0]);
  const auto &camera = *static_cast<const Vec3 *>(arguments[1]);
  const int step = *static_cast<const int *>(arguments[2]);
  for_each_pixel(planes, [&](int x, int y) { denoise_pixel(planes, camera, step, x, y); });
}
