// Memory pools: their use in the order of streams, the device's current one, and what is refused.
#include "objects.h"
#include <cstdint>

constexpr size_t BYTES = 1 << 20;

static uint64_t count(cudaMemPool_t pool, cudaMemPoolAttr attribute) {
  uint64_t value = 77;
  OK(cudaMemPoolGetAttribute(pool, attribute, &value));
  return value;
}

static cudaMemPoolProps properties(int device) {
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  return properties;
}

static Gate gate;

static void allocations(cudaMemPool_t pool, cudaStream_t stream) {
  void *one, *two;
  uint64_t threshold = 64 << 20;
  OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  OK(cudaMallocFromPoolAsync(&one, BYTES, pool, stream));
  OK(cudaMallocFromPoolAsync(&two, BYTES, pool, stream));
  CHECK(count(pool, cudaMemPoolAttrUsedMemCurrent) == 2 * BYTES);
  CHECK(count(pool, cudaMemPoolAttrReservedMemCurrent) >= 2 * BYTES);
  gate.shut(stream);
  OK(cudaFreeAsync(one, stream));
  CHECK(count(pool, cudaMemPoolAttrUsedMemCurrent) == 2 * BYTES);
  gate.open();
  OK(cudaStreamSynchronize(stream));
  CHECK(count(pool, cudaMemPoolAttrUsedMemCurrent) == BYTES);
  OK(cudaFree(two));
  CHECK(count(pool, cudaMemPoolAttrUsedMemCurrent) == 0);
  CHECK(count(pool, cudaMemPoolAttrUsedMemHigh) == 2 * BYTES);
  CHECK(count(pool, cudaMemPoolAttrReservedMemCurrent) > 0);
  OK(cudaMemPoolTrimTo(pool, 0));
  CHECK(count(pool, cudaMemPoolAttrReservedMemCurrent) == 0);
  GIVES(1, cudaFreeAsync(two, stream));
}

static void current(cudaMemPool_t pool, cudaStream_t stream) {
  cudaMemPool_t first, found;
  void *memory;
  OK(cudaDeviceGetDefaultMemPool(&first, 0));
  OK(cudaDeviceGetMemPool(&found, 0));
  CHECK(first == found && first != pool);
  OK(cudaDeviceSetMemPool(0, pool));
  OK(cudaDeviceGetMemPool(&found, 0));
  CHECK(found == pool);
  OK(cudaMallocAsync(&memory, BYTES, stream));
  CHECK(count(pool, cudaMemPoolAttrUsedMemCurrent) == BYTES);
  CUmemoryPool of = nullptr;
  OK(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, reinterpret_cast<CUdeviceptr>(memory)));
  CHECK(of == pool);
  GIVES(1, cudaDeviceSetMemPool(1, pool));
  GIVES(1, cudaDeviceSetMemPool(9, pool));
  OK(cudaMemPoolDestroy(pool));
  OK(cudaDeviceGetMemPool(&found, 0));
  CHECK(found == first);
  OK(cudaFreeAsync(memory, stream));
  OK(cudaStreamSynchronize(stream));
  GIVES(1, cudaMemPoolDestroy(pool));
  GIVES(1, cudaMemPoolDestroy(first));
}

// Pools with a size limit, and calls that a capture refuses.
static void kinds_and_bounds() {
  cudaMemPoolProps props = {};
  cudaMemPool_t pool = nullptr;
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  props.maxSize = 1 << 20;
  OK(cudaMemPoolCreate(&pool, &props));
  int number = 0;
  void *memory = &number, *small = nullptr;
  GIVES(2, cudaMallocFromPoolAsync(&memory, 33 << 20, pool, nullptr));
  CHECK(memory == nullptr);
  OK(cudaMallocFromPoolAsync(&small, 4096, pool, nullptr));
  OK(cudaFreeAsync(small, nullptr));

  cudaGraph_t graph = nullptr;
  unsigned long long threshold = 0;
  cudaStream_t stream = new_stream(cudaStreamDefault);
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  GIVES(900, cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  GIVES(901, cudaStreamEndCapture(stream, &graph));
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(cudaThreadExchangeStreamCaptureMode(&mode));
  OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  OK(cudaThreadExchangeStreamCaptureMode(&mode));
  OK(cudaStreamEndCapture(stream, &graph));
  OK(cudaMemPoolDestroy(pool));
}

int main() {
  cudaMemPool_t pool;
  cudaMemPoolProps own = properties(0);
  cudaStream_t stream = new_stream();
  OK(cudaMemPoolCreate(&pool, &own));
  allocations(pool, stream);
  current(pool, stream);
  kinds_and_bounds();
}
