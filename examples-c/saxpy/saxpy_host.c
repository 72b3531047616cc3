/* What the kernel of saxpy.cu does, as a host function: GEVT_HOSTCUDA_KERNELS=libsaxpy_host.so gevt-hostcuda ./saxpy */
#include "kernels.h"

GEVT_HOSTCUDA_KERNEL(saxpy, sizeof(int), sizeof(float), sizeof(const float *), sizeof(float *))
(const gevt_hostcuda_launch_t *launch, void **arguments) {
  const int n = *(int *)arguments[0];
  const float a = *(float *)arguments[1];
  const float *x = *(const float **)arguments[2];
  float *y = *(float **)arguments[3];
  const unsigned threads = launch->grid[0] * launch->block[0];
  for (unsigned i = 0; i < threads; i++) {
    if ((int)i < n) {
      y[i] = a * x[i] + y[i];
    }
  }
}
