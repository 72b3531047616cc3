// Arrays: copies in rows and slices, by streams and by graphs. And page-locked memory is not left.
#include "check.h"
#include <cstring>
#include <cuda.h>
#include <cuda_runtime_api.h>

static int host[1000], back[1000];
static const cudaChannelFormatDesc ints = {32, 0, 0, 0, cudaChannelFormatKindSigned};

static cudaArray_t new_array(size_t width, size_t height, size_t depth, unsigned flags = 0) {
  cudaArray_t array = nullptr;
  OK(cudaMalloc3DArray(&array, &ints, {width, height, depth}, flags));
  return array;
}
static bool came_back(size_t bytes) {
  const bool same = std::memcmp(host, back, bytes) == 0;
  std::memset(back, 0, sizeof back);
  return same;
}

static void planes() {
  cudaArray_t array = new_array(10, 10, 0), other = new_array(10, 10, 0);
  OK(cudaMemcpy2DToArray(array, 0, 0, host, 40, 40, 10, cudaMemcpyHostToDevice));
  OK(cudaMemcpy2DArrayToArray(other, 0, 0, array, 0, 0, 40, 10, cudaMemcpyDeviceToDevice));
  OK(cudaMemcpy2DFromArray(back, 40, other, 0, 0, 40, 10, cudaMemcpyDeviceToHost));
  CHECK(came_back(400));
  OK(cudaMemcpy2DFromArray(back, 8, array, 4, 1, 8, 2, cudaMemcpyDeviceToHost));
  CHECK(back[0] == 11 && back[1] == 12 && back[2] == 21 && back[3] == 22);
  OK(cudaMemcpyFromArray(back, array, 36, 0, 8, cudaMemcpyDeviceToHost));
  CHECK(back[0] == 9 && back[1] == 10);
  GIVES(1, cudaMemcpyFromArray(back, array, 4, 10, 4, cudaMemcpyDeviceToHost));
  GIVES(1, cudaMemcpy2DToArray(array, 4, 0, host, 40, 40, 10, cudaMemcpyHostToDevice));
  GIVES(1, cudaMemcpy2DToArray(array, 0, 1, host, 40, 40, 10, cudaMemcpyHostToDevice));
  GIVES(1, cudaMemcpy2DToArray(array, 0, ~size_t(0), host, 40, 40, 2, cudaMemcpyHostToDevice));
  GIVES(12, cudaMemcpy2DToArray(array, 0, 0, host, 39, 40, 10, cudaMemcpyHostToDevice));
  OK(cudaFreeArray(array));
  GIVES(400, cudaFreeArray(array));
  GIVES(400, cudaMemcpy2DToArray(array, 0, 0, host, 40, 40, 10, cudaMemcpyHostToDevice));
  OK(cudaFreeArray(other));
  OK(cudaFreeArray(nullptr));
}

static void volumes_in_graphs() {
  cudaArray_t one = new_array(10, 10, 10), two = new_array(10, 10, 10);
  cudaMemcpy3DParms in = {}, between = {}, out = {}, got = {};
  in.srcPtr = {host, 40, 10, 10};
  in.dstArray = between.srcArray = one;
  between.dstArray = out.srcArray = two;
  out.dstPtr = {back, 40, 10, 10};
  in.extent = between.extent = out.extent = {10, 10, 10};
  in.kind = cudaMemcpyHostToDevice, between.kind = cudaMemcpyDeviceToDevice, out.kind = cudaMemcpyDeviceToHost;
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t first = nullptr, second = nullptr, third = nullptr;
  cudaGraphExec_t exec = nullptr;
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphAddMemcpyNode(&first, graph, nullptr, 0, &in));
  OK(cudaGraphAddMemcpyNode(&second, graph, &first, 1, &between));
  OK(cudaGraphAddMemcpyNode(&third, graph, &second, 1, &out));
  OK(cudaGraphMemcpyNodeGetParams(first, &got));
  CHECK(got.dstArray == one && got.srcPtr.ptr == host && got.extent.width == 10);
  CUDA_MEMCPY3D plain = {};
  OK(cuGraphMemcpyNodeGetParams(second, &plain));
  CHECK(plain.srcMemoryType == CU_MEMORYTYPE_ARRAY && plain.dstArray == reinterpret_cast<CUarray>(two));
  CHECK(plain.WidthInBytes == 40);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, nullptr));
  OK(cudaDeviceSynchronize());
  CHECK(came_back(4000));
  in.dstPos.z = 1;
  GIVES(1, cudaMemcpy3D(&in));
  in.dstPos.z = 0, in.srcArray = two;
  GIVES(1, cudaMemcpy3D(&in));
  in.srcArray = nullptr, in.dstArray = nullptr;
  GIVES(1, cudaMemcpy3D(&in));
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
}

static void by_the_driver() {
  const CUDA_ARRAY_DESCRIPTOR line = {10, 0, CU_AD_FORMAT_SIGNED_INT32, 1};
  CUarray array = nullptr;
  OK(cuArrayCreate(&array, &line));
  CUDA_ARRAY3D_DESCRIPTOR got = {};
  OK(cuArray3DGetDescriptor(&got, array));
  CHECK(got.Width == 10 && got.Height == 0 && got.Depth == 0 && got.Format == CU_AD_FORMAT_SIGNED_INT32);
  OK(cuMemcpyHtoA(array, 0, host, 40));
  OK(cuMemcpyAtoH(back, array, 20, 20));
  CHECK(back[0] == 5 && back[4] == 9);
  CUDA_MEMCPY2D part = {};
  part.srcMemoryType = CU_MEMORYTYPE_ARRAY, part.srcArray = array, part.srcXInBytes = 4;
  part.dstMemoryType = CU_MEMORYTYPE_HOST, part.dstHost = back;
  part.WidthInBytes = 8, part.Height = 1;
  OK(cuMemcpy2D(&part));
  CHECK(back[0] == 1 && back[1] == 2);
  part.srcXInBytes = 36;
  GIVES(1, cuMemcpy2D(&part));
  part.srcMemoryType = CU_MEMORYTYPE_HOST, part.srcHost = nullptr, part.srcXInBytes = 16;
  GIVES(1, cuMemcpy2D(&part));
  part.srcXInBytes = 0, part.srcY = 1, part.srcPitch = 64;
  GIVES(1, cuMemcpy2D(&part));
  part.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  GIVES(1, cuMemcpy2D(&part));
  part.srcMemoryType = CU_MEMORYTYPE_HOST, part.srcHost = host, part.srcY = 0;
  part.dstHost = nullptr, part.dstXInBytes = 16;
  GIVES(1, cuMemcpy2D(&part));
  OK(cuArrayDestroy(array));
  GIVES(400, cuArrayDestroy(array));
}

// An array that is not freed, as a stream is being captured, is still there.
static void kept_in_captures() {
  cudaArray_t array = new_array(16, 16, 0);
  cudaStream_t stream = nullptr;
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  GIVES(900, cudaFreeArray(array));
  cudaGraph_t graph = nullptr;
  GIVES(901, cudaStreamEndCapture(stream, &graph));
  OK(cudaFreeArray(array));
  GIVES(400, cudaFreeArray(array));
}

// A copy that would exceed page-locked memory is refused, for every copy kind.
static void page_locked_ends() {
  char *locked = nullptr, *memory = nullptr;
  OK(cudaMallocHost(reinterpret_cast<void **>(&locked), 4096));
  OK(cudaMalloc(reinterpret_cast<void **>(&memory), 1 << 20));
  GIVES(1, cudaMemcpy(memory, locked, 1 << 20, cudaMemcpyHostToDevice));
  GIVES(1, cudaMemcpyAsync(locked, memory, 1 << 20, cudaMemcpyDeviceToHost, nullptr));
  GIVES(1, cudaMemcpy(locked, locked + 4000, 4096, cudaMemcpyHostToHost));
  OK(cudaMemcpy(memory, locked, 4096, cudaMemcpyHostToDevice));
}

int main() {
  OK(cuInit(0));
  for (int at = 0; at < 1000; at++) {
    host[at] = at;
  }
  planes();
  volumes_in_graphs();
  by_the_driver();
  kept_in_captures();
  page_locked_ends();
}
