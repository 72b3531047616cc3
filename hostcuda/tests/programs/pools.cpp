// Memory pools: the device's default and current ones, own ones, their attributes and access, and what is refused.
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

static void attributes(cudaMemPool_t pool) {
  int reuse = 0;
  uint64_t threshold = 64 << 20, zero = 0;
  OK(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseFollowEventDependencies, &reuse));
  CHECK(reuse == 1);
  reuse = 0;
  OK(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse));
  reuse = 5;
  OK(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse));
  CHECK(reuse == 0);
  CHECK(count(pool, cudaMemPoolAttrReleaseThreshold) == 0);
  OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  CHECK(count(pool, cudaMemPoolAttrReleaseThreshold) == threshold);
  OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
  GIVES(1, cudaMemPoolCreate(&pool, nullptr));
  GIVES(1, cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, nullptr));
  GIVES(1, cudaMemPoolGetAttribute(nullptr, cudaMemPoolAttrReleaseThreshold, &zero));
}

static Gate gate;

static void allocations(cudaMemPool_t pool, cudaStream_t stream) {
  void *one, *two;
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
  GIVES(2, cudaMallocFromPoolAsync(&one, size_t(1) << 60, pool, stream));
  GIVES(1, cudaMallocFromPoolAsync(&one, BYTES, reinterpret_cast<cudaMemPool_t>(0x10), stream));
  CHECK(count(pool, cudaMemPoolAttrUsedMemCurrent) == 0);
  GIVES(1, cudaFreeAsync(two, stream));
}

static void access(cudaMemPool_t pool) {
  cudaMemAccessDesc description = {};
  description.location.type = cudaMemLocationTypeDevice;
  description.location.id = 1;
  description.flags = cudaMemAccessFlagsProtReadWrite;
  OK(cudaMemPoolSetAccess(pool, &description, 1));
  description.location.id = 99;
  CHECK(cudaMemPoolSetAccess(pool, &description, 1) != cudaSuccess);
  description.location.id = 0;
  description.flags = cudaMemAccessFlagsProtNone;
  GIVES(101, cudaMemPoolSetAccess(pool, &description, 1));
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

// Free memory decreases by allocations, and increases again.
static void free_memory(cudaStream_t stream) {
  size_t before = 0, now = 0, total = 0;
  void *memory = nullptr;
  OK(cudaMemGetInfo(&before, &total));
  OK(cudaMalloc(&memory, 3 << 20));
  OK(cudaMemGetInfo(&now, &total));
  CHECK(before - now == 4 << 20);
  OK(cudaFree(memory));
  OK(cudaMallocAsync(&memory, 1, stream));
  OK(cudaMemGetInfo(&now, &total));
  CHECK(before - now == 32 << 20);
  OK(cudaFreeAsync(memory, stream));
  OK(cudaStreamSynchronize(stream));
  OK(cudaMemGetInfo(&now, &total));
  CHECK(before == now);
}

int main() {
  cudaMemPool_t pool;
  cudaMemPoolProps own = properties(0);
  cudaStream_t stream = new_stream();
  OK(cudaMemPoolCreate(&pool, &own));
  attributes(pool);
  allocations(pool, stream);
  access(pool);
  current(pool, stream);
  free_memory(stream);
  kinds_and_bounds();
}
