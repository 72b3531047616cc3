// Programs that mix the driver API and the runtime API: primary contexts, and what is current.
#include "objects.h"

static CUcontext current() {
  CUcontext context = nullptr;
  OK(cuCtxGetCurrent(&context));
  return context;
}

// The runtime keeps a primary context that the driver API made, once it has used it.
static void runtime_retains() {
  const CUcontext primary = use_primary();
  OK(cudaStreamDestroy(new_stream(cudaStreamDefault)));
  OK(cuDevicePrimaryCtxRelease(0));
  CHECK(current() == primary);
}

// After a reset the next primary context has the same handle, and is current where the last one was.
static void reset_and_again() {
  const CUcontext before = current();
  unsigned long long first, second;
  OK(cuCtxGetId(before, &first));
  OK(cudaDeviceReset());
  new_stream(cudaStreamDefault);
  CHECK(current() == before);
  OK(cuCtxGetId(before, &second));
  CHECK(first != second);
  OK(cuDevicePrimaryCtxReset(0));
  CUcontext again;
  OK(cuDevicePrimaryCtxRetain(&again, 0));
  CHECK(again == before);
  OK(cuStreamDestroy(new_driver_stream(0)));
}

static void own_context() {
  const CUcontext own = new_context(0);
  const cudaStream_t stream = new_stream(cudaStreamDefault);
  OK(cuCtxPopCurrent(nullptr));
  OK(cuCtxDestroy(own));
  GIVES(709, cudaStreamQuery(stream));
  new_stream(cudaStreamDefault);
}

int main() {
  runtime_retains();
  reset_and_again();
  own_context();
}
