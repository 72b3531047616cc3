// What the real CUDA driver and runtime answer about memory: pools, memory between processes, sets, waits for words.
// As truth.cu, one case a process.
// usage: memory list | memory CASE    prints CASE<TAB>name=value ...
#include "ask.h"

// ---- memory
CASE(memory_info) {
  cudaFree(nullptr);
  size_t before = 0, now = 0, total = 0;
  void *plain = nullptr, *pooled = nullptr;
  cudaMallocAsync(&pooled, 100, nullptr);
  cudaFreeAsync(pooled, nullptr);
  cudaDeviceSynchronize();
  GIVES("get", cudaMemGetInfo(&before, &total));
  value("within", before <= total);
  cudaMalloc(&plain, 64 << 20);
  cudaMemGetInfo(&now, &total);
  value("plain", static_cast<long long>(before - now));
  cudaFree(plain);
  cudaMemGetInfo(&now, &total);
  value("freed", static_cast<long long>(before - now));
  cudaMallocAsync(&pooled, 64 << 20, nullptr);
  cudaDeviceSynchronize();
  cudaMemGetInfo(&now, &total);
  value("pooled", static_cast<long long>(before - now));
  cudaFreeAsync(pooled, nullptr);
  cudaDeviceSynchronize();
  cudaMemGetInfo(&now, &total);
  value("freed_pooled", static_cast<long long>(before - now));
  GIVES("null", cudaMemGetInfo(nullptr, &total));
}
CASE(pool_defaults) {
  cudaMemPool_t pool = nullptr, current = nullptr;
  GIVES("default", cudaDeviceGetDefaultMemPool(&pool, 0));
  GIVES("current", cudaDeviceGetMemPool(&current, 0));
  value("same", pool == current);
  for (int number = 1; number <= 8; number++) {
    unsigned long long got = 0;
    GIVES("get" + std::to_string(number), cudaMemPoolGetAttribute(pool, static_cast<cudaMemPoolAttr>(number), &got));
    value("value" + std::to_string(number), static_cast<long long>(got));
  }
  GIVES("destroy_default", cudaMemPoolDestroy(pool));
  GIVES("null_pool", cudaMemPoolTrimTo(nullptr, 0));
  unsigned long long one = 1;
  GIVES("set_used", cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &one));
  GIVES("set_high", cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &one));
  GIVES("set_unknown", cudaMemPoolSetAttribute(pool, static_cast<cudaMemPoolAttr>(99), &one));
  GIVES("bad_device", cudaDeviceGetMemPool(&pool, 99));
}
CASE(pool_create_and_use) {
  cudaMemPoolProps props = {};
  cudaMemPool_t pool = nullptr;
  GIVES("zeros", cudaMemPoolCreate(&pool, &props));
  props.allocType = cudaMemAllocationTypePinned;
  GIVES("no_place", cudaMemPoolCreate(&pool, &props));
  props.location.type = cudaMemLocationTypeDevice;
  props.location.id = 99;
  GIVES("bad_device", cudaMemPoolCreate(&pool, &props));
  props.location.id = 0;
  GIVES("null", cudaMemPoolCreate(nullptr, &props));
  GIVES("create", cudaMemPoolCreate(&pool, &props));
  cudaMemLocation place = {};
  place.type = cudaMemLocationTypeDevice;
  cudaMemAccessDesc description = {};
  description.location = place;
  description.flags = cudaMemAccessFlagsProtNone;
  GIVES("deny_own", cudaMemPoolSetAccess(pool, &description, 1));
  description.location.id = 99;
  GIVES("access_bad_device", cudaMemPoolSetAccess(pool, &description, 1));
  cudaStream_t stream = new_stream();
  void *one = nullptr, *zero = &one;
  GIVES("alloc", cudaMallocFromPoolAsync(&one, 1 << 20, pool, stream));
  GIVES("alloc_none", cudaMallocFromPoolAsync(&zero, 0, pool, stream));
  value("none_is_null", zero == nullptr);
  GIVES("alloc_huge", cudaMallocFromPoolAsync(&zero, size_t(1) << 60, pool, stream));
  unsigned long long used = 0, reserved = 0;
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved);
  value("used", static_cast<long long>(used));
  value("reserved", static_cast<long long>(reserved));
  GIVES("free", cudaFreeAsync(one, stream));
  cudaStreamSynchronize(stream);
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved);
  value("used_after", static_cast<long long>(used));
  value("reserved_after", static_cast<long long>(reserved));
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &used);
  value("high", static_cast<long long>(used));
  GIVES("set_current", cudaDeviceSetMemPool(0, pool));
  GIVES("destroy", cudaMemPoolDestroy(pool));
  cudaMemPool_t current = nullptr, first = nullptr;
  cudaDeviceGetMemPool(&current, 0);
  cudaDeviceGetDefaultMemPool(&first, 0);
  value("default_again", current == first);
}
CASE(memory_handles) {
  char *memory = device_memory(4096);
  char host[16];
  cudaIpcMemHandle_t handle, other;
  GIVES("get", cudaIpcGetMemHandle(&handle, memory));
  GIVES("get_inside", cudaIpcGetMemHandle(&other, memory + 100));
  // Where a driver's process ends if the handle is to go to NULL.
  GIVES("get_host", cudaIpcGetMemHandle(&other, host));
}
CASE(memory_handles_refused) {
  char *memory = device_memory(4096);
  void *opened = nullptr, *pooled = nullptr;
  cudaIpcMemHandle_t handle, other;
  GIVES("get", cudaIpcGetMemHandle(&handle, memory));
  GIVES("get_null_memory", cudaIpcGetMemHandle(&other, nullptr));
  cudaMallocAsync(&pooled, 4096, nullptr);
  GIVES("get_pooled", cudaIpcGetMemHandle(&other, pooled));
  GIVES("open_own", cudaIpcOpenMemHandle(&opened, handle, cudaIpcMemLazyEnablePeerAccess));
  GIVES("open_flags", cudaIpcOpenMemHandle(&opened, handle, 0));
  std::memset(&other, 0x55, sizeof other);
  GIVES("open_made_up", cudaIpcOpenMemHandle(&opened, other, cudaIpcMemLazyEnablePeerAccess));
  std::memset(&other, 0, sizeof other);
  GIVES("open_zeros", cudaIpcOpenMemHandle(&opened, other, cudaIpcMemLazyEnablePeerAccess));
  GIVES("close_own", cudaIpcCloseMemHandle(memory));
  GIVES("close_null", cudaIpcCloseMemHandle(nullptr));
}
// Streams that wait for words and write them.
CASE(wait_value) {
  init();
  void *host = nullptr, *pageable = std::calloc(1, 4096);
  CUdeviceptr page = 0, managed = 0;
  cuMemHostAlloc(&host, 4096, CU_MEMHOSTALLOC_DEVICEMAP);
  std::memset(host, 0, 4096);
  cuMemHostGetDevicePointer(&page, host, 0);
  cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL);
  CUstream stream = nullptr;
  cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
  for (int number : {92, 93, 94, 98, 122, 123}) {
    int got = -1;
    cuDeviceGetAttribute(&got, static_cast<CUdevice_attribute>(number), device);
    value("attribute_" + std::to_string(number), got);
  }
  GIVES("wait", cuStreamWaitValue32(stream, page, 1, CU_STREAM_WAIT_VALUE_GEQ));
  GIVES("pending", cuStreamQuery(stream));
  *static_cast<volatile unsigned *>(host) = 1;
  GIVES("sync", cuStreamSynchronize(stream));
  GIVES("write", cuStreamWriteValue32(stream, page, 2, CU_STREAM_WRITE_VALUE_DEFAULT));
  GIVES("no_barrier", cuStreamWriteValue32(stream, page + 4, 3, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER));
  GIVES("unaligned", cuStreamWaitValue32(stream, page + 2, 0, 0));
  GIVES("unaligned_64", cuStreamWaitValue64(stream, page + 4, 0, 0));
  GIVES("pageable", cuStreamWaitValue32(stream, reinterpret_cast<CUdeviceptr>(pageable), 0, 0));
  GIVES("null", cuStreamWaitValue32(stream, 0, 0, 0));
  GIVES("managed", cuStreamWaitValue32(stream, managed, 0, CU_STREAM_WAIT_VALUE_GEQ));
  GIVES("flags", cuStreamWaitValue32(stream, page, 0, 4));
  GIVES("flush", cuStreamWaitValue32(stream, page, 0, CU_STREAM_WAIT_VALUE_FLUSH));
  GIVES("write_flags", cuStreamWriteValue32(stream, page, 0, 2));
  GIVES("end", cuStreamSynchronize(stream));
}
CASE(wait_value_context_destroyed) {
  init();
  void *host = nullptr;
  CUdeviceptr page = 0;
  cuMemHostAlloc(&host, 4096, CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE);
  std::memset(host, 0, 4096);
  CUcontext own = new_context();
  cuMemHostGetDevicePointer(&page, host, 0);
  CUstream stream = nullptr;
  cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
  GIVES("wait", cuStreamWaitValue32(stream, page, 1, CU_STREAM_WAIT_VALUE_GEQ));
  std::thread writer([host] {
    usleep(300000);
    *static_cast<volatile unsigned *>(host) = 1;
  });
  GIVES("destroy", cuCtxDestroy(own));
  value("waits", *static_cast<volatile unsigned *>(host));
  writer.join();
}
CASE(fills_refused) {
  cudaPitchedPtr volume = {};
  cudaExtent extent = {100, 7, 5}, deep = {100, 7, 1000}, none = {0, 0, 0}, wide = {5000, 7, 5};
  GIVES("make", cudaMalloc3D(&volume, extent));
  value("pitch", static_cast<long long>(volume.pitch));
  GIVES("set", cudaMemset3D(volume, 1, extent));
  GIVES("none", cudaMemset3D(volume, 1, none));
  GIVES("deep", cudaMemset3D(volume, 1, deep));
  GIVES("wide", cudaMemset3D(volume, 1, wide));
  cudaGetLastError();
  GIVES("null", cudaMemcpy3D(nullptr));
  GIVES("free_host", cudaFree(&volume));
  GIVES("free_inside", cudaFree(static_cast<char *>(volume.ptr) + 8));
  GIVES("register_null", cudaHostRegister(nullptr, 4096, 0));
  GIVES("register_none", cudaHostRegister(&volume, 0, 0));
  GIVES("unregister", cudaHostUnregister(&volume));
}
