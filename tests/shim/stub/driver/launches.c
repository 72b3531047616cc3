/* Launches and copies. */
#include "stub.h"

CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  BEGIN(cuGraphLaunch);
  (void)executable;
  stub_stream(stream);
  return 0;
}
/* The sum of the arguments is the answer, so that one that is lost on the way shows. */
CUresult cuLaunchKernel(CUfunction kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void **parameters,
                        void **extra) {
  BEGIN(cuLaunchKernel);
  return (int)(grid_x + grid_y + grid_z + block_x + block_y + block_z + shared_bytes + (uintptr_t)kernel +
               (uintptr_t)stream + (uintptr_t)parameters + (uintptr_t)extra);
}
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  BEGIN(cuMemcpy);
  return (int)(to + from + bytes);
}
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  BEGIN(cuMemcpyDtoH_v2);
  return (int)((uintptr_t)to + from + bytes);
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
  BEGIN(cuMemcpyHtoD_v2);
  return (int)(to + (uintptr_t)from + bytes);
}
CUresult cuMemFree_v2(CUdeviceptr memory) {
  BEGIN(cuMemFree_v2);
  return (int)memory;
}
#ifndef STUB_IS_OLD
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction kernel, void **parameters, void **extra) {
  BEGIN(cuLaunchKernelEx);
  (void)config, (void)kernel, (void)parameters, (void)extra;
  return 0;
}
#endif
