// The renderer's first two passes as kernels of a GPU: for each pixel what the host does there. kernels.ptx is what ptx.sh makes of
// this file, with clang alone; the driver compiles it for whatever GPU there is.

#include "../renderer/passes.cpp"
#include "../renderer/shapes.cpp"
#include "../renderer/tracer.cpp"

extern "C" {

// What the passes call of the C library.
float sqrtf(float x) noexcept {
  return __nvvm_sqrt_rn_f(x);
}
float expf(float x) noexcept {
  return __nvvm_ex2_approx_f(x * 1.44269504f);
}
float cosf(float x) noexcept {
  return __nvvm_cos_approx_f(x);
}
float sinf(float x) noexcept {
  return __nvvm_sin_approx_f(x);
}
float floorf(float x) noexcept {
  return __nvvm_floor_f(x);
}
float tanf(float x) noexcept {
  return sinf(x) / cosf(x);
}
}

namespace {

int across() {
  return static_cast<int>(__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() +
                          __nvvm_read_ptx_sreg_tid_x());
}

int down() {
  return static_cast<int>(__nvvm_read_ptx_sreg_ctaid_y() * __nvvm_read_ptx_sreg_ntid_y() +
                          __nvvm_read_ptx_sreg_tid_y());
}

} // namespace

extern "C" [[clang::nvptx_kernel]] void trace(SceneView scene, Lens lens, Planes planes, int samples, int frame) {
  if (across() < planes.width && down() < planes.height) {
    trace_pixel(scene, lens, planes, samples, frame, across(), down());
  }
}

extern "C" [[clang::nvptx_kernel]] void denoise(Planes planes, Vec3 camera, int step) {
  if (across() < planes.width && down() < planes.height) {
    denoise_pixel(planes, camera, step, across(), down());
  }
}
