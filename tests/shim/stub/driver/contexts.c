/* Contexts. Each of two devices has one, and one of them is current. */
#include "stub.h"

static struct object contexts[2];
static CUcontext current, pushed;
/* How often the primary contexts are retained, and how many of them there were. */
static int retained[2];
static unsigned long long number = 1;

static CUcontext context_of(int device) {
  return (CUcontext)&contexts[device];
}
int stub_device(void) {
  return current == context_of(1);
}

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
  retained[device]++;
  return stub_give(out, context_of(device));
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  BEGIN(cuDevicePrimaryCtxRelease_v2);
  if (!retained[device]) return CUDA_ERROR_INVALID_CONTEXT;
  if (--retained[device] == 0) number++;
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
  *flags = 0;
  *active = retained[device] > 0;
  return 0;
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext *out) {
  BEGIN(cuStreamGetCtx);
  return stub_give(out, context_of(stub_device_of(stream)));
}
CUresult cuCtxCreate_v2(CUcontext *out, unsigned flags, CUdevice device) {
  BEGIN(cuCtxCreate_v2);
  (void)flags;
  return stub_give(out, context_of(device));
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
CUresult cuCtxPushCurrent_v2(CUcontext which) {
  BEGIN(cuCtxPushCurrent_v2);
  if (pushed) __builtin_trap();
  pushed = current, current = which;
  return 0;
}
CUresult cuCtxPopCurrent_v2(CUcontext *out) {
  BEGIN(cuCtxPopCurrent_v2);
  if (!pushed) __builtin_trap();
  *out = current, current = pushed, pushed = NULL;
  return 0;
}
CUresult cuCtxGetDevice(CUdevice *device) {
  BEGIN(cuCtxGetDevice);
  *device = stub_device();
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
