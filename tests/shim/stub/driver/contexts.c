/* Contexts. There is one, which is current on the thread that says so. */
#include "stub.h"

static struct object context;
static CUcontext current;
/* How often the primary context is retained, and how many of them there were. */
static int retained;
static unsigned long long number = 1;

CUresult cuInit(unsigned flags) {
  BEGIN(cuInit);
  return flags ? CUDA_ERROR_INVALID_VALUE : 0;
}
CUresult cuDeviceGet(CUdevice *device, int number) {
  BEGIN(cuDeviceGet);
  *device = number;
  return 0;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device) {
  BEGIN(cuDevicePrimaryCtxRetain);
  (void)device;
  retained++;
  return stub_give(out, &context);
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  BEGIN(cuDevicePrimaryCtxRelease_v2);
  (void)device;
  if (!retained) return CUDA_ERROR_INVALID_CONTEXT;
  if (--retained == 0) number++;
  return 0;
}
CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  BEGIN(cuDevicePrimaryCtxReset_v2);
  (void)device;
  number++;
  return 0;
}
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
  BEGIN(cuDevicePrimaryCtxGetState);
  (void)device;
  *flags = 0;
  *active = retained > 0;
  return 0;
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext *out) {
  BEGIN(cuStreamGetCtx);
  stub_stream(stream);
  return stub_give(out, &context);
}
CUresult cuCtxCreate_v2(CUcontext *out, unsigned flags, CUdevice device) {
  BEGIN(cuCtxCreate_v2);
  (void)flags, (void)device;
  return stub_give(out, &context);
}
CUresult cuCtxDestroy_v2(CUcontext which) {
  BEGIN(cuCtxDestroy_v2);
  (void)which;
  number++;
  return 0;
}
CUresult cuCtxGetCurrent(CUcontext *out) {
  BEGIN(cuCtxGetCurrent);
  return stub_give(out, current);
}
CUresult cuCtxSetCurrent(CUcontext which) {
  BEGIN(cuCtxSetCurrent);
  current = which;
  return 0;
}
CUresult cuCtxSynchronize(void) {
  BEGIN(cuCtxSynchronize);
  return 0;
}

#ifndef STUB_IS_OLD
CUresult cuCtxGetId(CUcontext which, unsigned long long *id) {
  BEGIN(cuCtxGetId);
  (void)which;
  *id = number;
  return 0;
}
CUresult cuGreenCtxDestroy(CUgreenCtx which) {
  BEGIN(cuGreenCtxDestroy);
  (void)which;
  return 0;
}
#endif
