// What devices are.
#include "objects.h"

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
  properties();
  no_luid();
}
