// Several devices: each thread's own, access to each other, limits, and properties that programs divide by.
#include "objects.h"
#include <thread>
#include <vector>

static void per_thread() {
  OK(cudaSetDevice(1));
  std::thread([] {
    int number = -1;
    OK(cudaGetDevice(&number));
    CHECK(number == 0);
    OK(cudaSetDevice(0));
  }).join();
  int number = -1;
  OK(cudaGetDevice(&number));
  CHECK(number == 1);
  std::vector<std::thread> threads;
  for (int device : {0, 1, 0, 1}) {
    threads.emplace_back([device] {
      void *memory;
      int of = -1;
      OK(cudaSetDevice(device));
      cudaStream_t stream = new_stream(cudaStreamDefault);
      OK(cudaStreamGetDevice(stream, &of));
      CHECK(of == device);
      cudaEvent_t event = new_event();
      OK(cudaMallocAsync(&memory, 100, stream));
      OK(cudaMemsetAsync(memory, 0, 100, stream));
      OK(cudaEventRecord(event, stream));
      OK(cudaEventSynchronize(event));
      cudaPointerAttributes attributes;
      OK(cudaPointerGetAttributes(&attributes, memory));
      CHECK(attributes.device == device);
      OK(cudaFreeAsync(memory, stream));
      OK(cudaDeviceSynchronize());
      OK(cudaStreamDestroy(stream));
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  GIVES(101, cudaSetDevice(2));
  GIVES(101, cudaSetDevice(-1));
  OK(cudaGetDevice(&number));
  CHECK(number == 1);
}

static void peers() {
  OK(cudaSetDevice(0));
  OK(cudaDeviceEnablePeerAccess(1, 0));
  OK(cudaDeviceDisablePeerAccess(1));
  CUcontext other;
  OK(cuDevicePrimaryCtxRetain(&other, 1));
  OK(cuCtxEnablePeerAccess(other, 0));
  GIVES(704, cuCtxEnablePeerAccess(other, 0));
  OK(cuCtxDisablePeerAccess(other));
  GIVES(201, cuCtxEnablePeerAccess(reinterpret_cast<CUcontext>(0x10), 0));
}

static void limits() {
  size_t value = 0;
  OK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  OK(cudaDeviceGetLimit(&value, cudaLimitStackSize));
  CHECK(value == 4096);
  GIVES(1, cudaDeviceGetLimit(nullptr, cudaLimitStackSize));
}

static void properties() {
  for (int device : {0, 1}) {
    cudaDeviceProp prop;
    OK(cudaGetDeviceProperties(&prop, device));
    CHECK(prop.pciBusID == device + 1 && prop.maxTexture1D > 0 && prop.maxTexture2D[1] > 0 && prop.maxTexture3D[2] > 0);
    CHECK(prop.maxSurface2D[0] > 0 && prop.maxSurfaceCubemapLayered[1] > 0 && prop.maxTextureCubemapLayered[1] > 0);
    CHECK(prop.maxThreadsDim[2] > 0 && prop.maxGridSize[2] > 0 && prop.regsPerBlock > 0 && prop.totalConstMem > 0);
    CHECK(prop.memoryPoolsSupported == 1 && prop.hostRegisterSupported == 1 && prop.textureAlignment > 0);
#if CUDART_VERSION < 13000
    CHECK(prop.clockRate > 0 && prop.memoryClockRate > 0 && prop.singleToDoublePrecisionPerfRatio > 0);
#endif
    CHECK(prop.computePreemptionSupported == 1 && prop.cooperativeLaunch == 1 && prop.unifiedAddressing == 1);
  }
}

// A device of Linux has no LUID. Programs ask for one as a matter of course, and nothing is said of it on stderr.
static void no_luid() {
  char luid[8] = {};
  unsigned mask = 0;
  char text[8];
  FILE *const kept = tmpfile();
  const int shown = dup(STDERR_FILENO);
  CHECK(kept && shown >= 0 && dup2(fileno(kept), STDERR_FILENO) >= 0);
  const int code = cuDeviceGetLuid(luid, &mask, 0), other = cuDeviceGetLuid(luid, &mask, 7);
  CHECK(dup2(shown, STDERR_FILENO) >= 0);
  GIVES(801, code);
  GIVES(101, other);
  CHECK(pread(fileno(kept), text, sizeof text, 0) == 0);
  close(shown);
  fclose(kept);
}

int main() {
  int count = 0;
  OK(cudaGetDeviceCount(&count));
  CHECK(count == 2);
  per_thread();
  peers();
  limits();
  properties();
  no_luid();
}
