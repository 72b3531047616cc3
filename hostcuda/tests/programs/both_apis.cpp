// Programs that mix the driver API and the runtime API: primary contexts, what is current, and properties to divide by.
#include "check.h"
#include "new_context.h"
#include <cuda.h>
#include <cuda_runtime_api.h>

static CUcontext current() {
  CUcontext context = nullptr;
  OK(cuCtxGetCurrent(&context));
  return context;
}

// The runtime keeps a primary context that the driver API made, once it has used it.
static void runtime_retains() {
  CUdevice device;
  CUcontext primary;
  cudaStream_t stream;
  OK(cuDeviceGet(&device, 0));
  OK(cuDevicePrimaryCtxRetain(&primary, device));
  OK(cuCtxSetCurrent(primary));
  OK(cudaStreamCreate(&stream));
  OK(cuDevicePrimaryCtxRelease(device));
  OK(cudaStreamQuery(stream));
  OK(cudaStreamDestroy(stream));
  CHECK(current() == primary);
}

// After a reset the next primary context has the same handle, and is current where the last one was.
static void reset_and_again() {
  const CUcontext before = current();
  unsigned long long first, second;
  cudaStream_t stream;
  OK(cuCtxGetId(before, &first));
  OK(cudaDeviceReset());
  OK(cudaStreamCreate(&stream));
  CHECK(current() == before);
  OK(cuCtxGetId(before, &second));
  CHECK(first != second);
  OK(cuDevicePrimaryCtxReset(0));
  CUcontext again;
  CUstream made;
  OK(cuDevicePrimaryCtxRetain(&again, 0));
  CHECK(again == before);
  OK(cuStreamCreate(&made, 0));
  OK(cuStreamDestroy(made));
}

static void own_context() {
  const CUcontext own = new_context(0);
  CUcontext of, popped;
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  OK(cuStreamGetCtx(stream, &of));
  CHECK(of == own);
  OK(cudaSetDevice(0));
  CHECK(current() != own);
  OK(cuCtxPopCurrent(&popped));
  OK(cuCtxDestroy(own));
  GIVES(709, cudaStreamQuery(stream));
  OK(cudaStreamCreate(&stream));
}

static void properties() {
  cudaDeviceProp prop;
  OK(cudaGetDeviceProperties(&prop, 0));
  CHECK(prop.warpSize == 32 && prop.maxThreadsPerMultiProcessor == 2048 && prop.maxBlocksPerMultiProcessor > 0);
  CHECK(prop.sharedMemPerMultiprocessor > prop.sharedMemPerBlockOptin && prop.sharedMemPerBlockOptin > 0);
  CHECK(prop.regsPerMultiprocessor > 0 && prop.l2CacheSize > 0 && prop.memoryBusWidth > 0);
  CHECK(prop.multiProcessorCount > 0 && prop.reservedSharedMemPerBlock > 0);
  CHECK(prop.texturePitchAlignment > 0 && prop.textureAlignment > 0 && prop.surfaceAlignment > 0);
  CHECK(prop.memoryPoolsSupported == 1 && prop.hostRegisterSupported == 1);
#if CUDART_VERSION < 13000
  CHECK(prop.clockRate > 0 && prop.memoryClockRate > 0 && prop.singleToDoublePrecisionPerfRatio > 0);
#endif
}

int main() {
  OK(cuInit(0));
  runtime_retains();
  reset_and_again();
  own_context();
  properties();
  return 0;
}
