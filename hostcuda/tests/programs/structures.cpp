// Structures of NVIDIA's headers: the properties of a device, and copies and sets in three dimensions.
#include "../../../tests/shim/check.h"
#include <cuda_runtime_api.h>
#include <driver_functions.h>
#include <vector>

constexpr size_t WIDTH = 100, HEIGHT = 7, DEPTH = 5;

static cudaPitchedPtr volume() {
  cudaPitchedPtr made;
  OK(cudaMalloc3D(&made, make_cudaExtent(WIDTH, HEIGHT, DEPTH)));
  CHECK(made.pitch == 512);
  return made;
}

static void three_dimensions() {
  cudaPitchedPtr one = volume(), two = volume();
  std::vector<unsigned char> host(WIDTH * HEIGHT * DEPTH), back(host.size(), 0);
  OK(cudaMemset3D(one, 9, make_cudaExtent(WIDTH, HEIGHT, DEPTH)));
  OK(cudaMemset3DAsync(one, 4, make_cudaExtent(WIDTH / 2, HEIGHT, 2), nullptr));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = one;
  copy.dstPtr = two;
  copy.extent = make_cudaExtent(WIDTH, HEIGHT, DEPTH);
  copy.kind = cudaMemcpyDeviceToDevice;
  OK(cudaMemcpy3DAsync(&copy, nullptr));
  copy.srcPtr = two;
  copy.dstPtr = make_cudaPitchedPtr(back.data(), WIDTH, WIDTH, HEIGHT);
  copy.kind = cudaMemcpyDeviceToHost;
  OK(cudaMemcpy3D(&copy));
  for (size_t z = 0; z < DEPTH; z++) {
    for (size_t x = 0; x < WIDTH; x++) {
      CHECK(back[(z * HEIGHT + HEIGHT - 1) * WIDTH + x] == (z < 2 && x < WIDTH / 2 ? 4 : 9));
    }
  }
  // Rows that lie over each other would take for ever.
  copy.srcPtr = make_cudaPitchedPtr(one.ptr, 0, 1, 1);
  copy.dstPtr = make_cudaPitchedPtr(two.ptr, 0, 1, 1);
  copy.kind = cudaMemcpyDeviceToDevice;
  for (cudaExtent extent : {make_cudaExtent(1, size_t(1) << 60, 1), make_cudaExtent(1, 1, size_t(1) << 60)}) {
    copy.extent = extent;
    GIVES(12, cudaMemcpy3D(&copy));
  }
  copy.extent = make_cudaExtent(0, size_t(1) << 60, size_t(1) << 60);
  OK(cudaMemcpy3D(&copy));
  OK(cudaMemset3D(one, 0, make_cudaExtent(0, 0, 0)));
  GIVES(1, cudaMemset3D(one, 0, make_cudaExtent(WIDTH, HEIGHT, 1000)));
  GIVES(1, cudaMemset3D(one, 0, make_cudaExtent(5000, HEIGHT, DEPTH)));
  OK(cudaMemset3D(one, 0, make_cudaExtent(WIDTH, 0, size_t(1) << 60)));
}

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
  three_dimensions();
  properties();
}
