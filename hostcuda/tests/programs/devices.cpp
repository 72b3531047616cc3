// The properties of devices.
#include "../../../tests/shim/check.h"
#include <cuda_runtime_api.h>

// The answers of a CUDA 13.0 driver (580) on an H200: programs divide by these.
static void properties() {
  cudaDeviceProp prop;
  OK(cudaGetDeviceProperties(&prop, 0));
  CHECK(prop.warpSize == 32 && prop.multiProcessorCount > 0);
  CHECK(prop.maxThreadsPerMultiProcessor == 2048 && prop.maxBlocksPerMultiProcessor == 32);
  CHECK(prop.sharedMemPerMultiprocessor == 233472 && prop.regsPerMultiprocessor == 65536);
  CHECK(prop.sharedMemPerBlockOptin == 232448 && prop.reservedSharedMemPerBlock == 1024);
  CHECK(prop.l2CacheSize == 62914560 && prop.memoryBusWidth == 6016);
  CHECK(prop.texturePitchAlignment == 32 && prop.surfaceAlignment == 512);
  CHECK(prop.maxTexture1D == 131072 && prop.maxTexture2D[0] == 131072 && prop.maxSurface2D[0] == 131072);
}

int main() {
  int count = 0;
  OK(cudaGetDeviceCount(&count));
  CHECK(count == 2);
  properties();
}
