// The end of a context frees its memory.
#include "objects.h"
#include <atomic>
#include <unistd.h>

constexpr size_t LEN = 64 << 20;

static size_t free_memory() {
  size_t free = 0, total = 0;
  OK(cudaMemGetInfo(&free, &total));
  return free;
}

static void device_reset() {
  const size_t before = free_memory();
  for (int round = 0; round < 8; round++) {
    void *memory = nullptr, *pooled = nullptr, *host = nullptr, *managed = nullptr;
    OK(cudaMalloc(&memory, LEN));
    OK(cudaMallocAsync(&pooled, LEN, nullptr));
    OK(cudaMallocHost(&host, LEN));
    OK(cudaMallocManaged(&managed, LEN));
    OK(cudaMemsetAsync(memory, 1, LEN));
    CHECK(free_memory() < before);
    OK(cudaDeviceReset());
    CHECK(free_memory() == before);
    for (void *gone : {memory, pooled, host, managed}) {
      cudaPointerAttributes attributes;
      OK(cudaPointerGetAttributes(&attributes, gone));
      CHECK(attributes.type == cudaMemoryTypeUnregistered);
    }
    GIVES(1, cudaFree(memory));
    GIVES(1, cudaFreeHost(host));
  }
}

// Memory that the program registered is the program's again, and can be registered anew.
static void registered() {
  static char bytes[4096];
  OK(cudaHostRegister(bytes, sizeof bytes, 0));
  OK(cudaDeviceReset());
  OK(cudaHostRegister(bytes, sizeof bytes, 0));
  OK(cudaHostUnregister(bytes));
}

// A pool is the device's, and outlives the contexts of the program.
static void own_context() {
  const size_t before = free_memory();
  CUcontext own = nullptr;
  CUdeviceptr memory = 0, pooled = 0;
  OK(cuCtxCreate_v4(&own, nullptr, 0, 0));
  OK(cuMemAlloc(&memory, LEN));
  OK(cuMemAllocAsync(&pooled, LEN, nullptr));
  OK(cuCtxDestroy(own));
  GIVES(1, cudaFree(reinterpret_cast<void *>(memory)));
  // Another context may use it as well, so freeing it waits for that one's work.
  static std::atomic<bool> is_done{false};
  const auto slow = [](void *) {
    usleep(50000);
    is_done = true;
  };
  OK(cudaLaunchHostFunc(nullptr, slow, nullptr));
  OK(cudaMemset(reinterpret_cast<void *>(pooled), 1, LEN));
  OK(cudaFree(reinterpret_cast<void *>(pooled)));
  CHECK(is_done);
  CHECK(free_memory() == before);
}

static void last_release() {
  CUcontext primary = nullptr;
  CUdeviceptr memory = 0;
  OK(cuDevicePrimaryCtxRetain(&primary, 1));
  OK(cuCtxPushCurrent(primary));
  OK(cuMemAlloc(&memory, LEN));
  OK(cuCtxPopCurrent(nullptr));
  OK(cuDevicePrimaryCtxRelease(1));
  CUpointer_attribute type = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
  unsigned found = 0;
  GIVES(1, cuPointerGetAttribute(&found, type, memory));
}

int main() {
  device_reset();
  registered();
  own_context();
  last_release();
}
