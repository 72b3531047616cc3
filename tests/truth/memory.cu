// What the real CUDA driver and runtime answer about memory: pools, memory between processes, advice, sets.
// As truth.cu, one case a process.
// usage: memory list | memory CASE    prints CASE<TAB>name=value ...
#include "ask.h"
#include "pool_letter.h"

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
  cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
  GIVES("access", cudaMemPoolGetAccess(&flags, pool, &place));
  value("own", flags);
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
// Pools that processes share.
static cudaMemPool_t shared_pool() {
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.handleTypes = cudaMemHandleTypePosixFileDescriptor;
  props.location.type = cudaMemLocationTypeDevice;
  cudaMemPool_t pool = nullptr;
  GIVES("create", cudaMemPoolCreate(&pool, &props));
  return pool;
}
static void *as_handle(int file) {
  return reinterpret_cast<void *>(static_cast<uintptr_t>(file));
}
static const auto descriptor = cudaMemHandleTypePosixFileDescriptor;
CASE(pool_shared_exports) {
  cudaMemPool_t pool = shared_pool(), plain = nullptr;
  void *memory = nullptr, *other = nullptr, *own = device_memory(4096);
  cudaMemPoolPtrExportData data = {};
  int file = -1;
  GIVES("alloc", cudaMallocFromPoolAsync(&memory, 10000, pool, nullptr));
  cudaDeviceSynchronize();
  GIVES("pointer_before", cudaMemPoolExportPointer(&data, memory));
  GIVES("export", cudaMemPoolExportToShareableHandle(&file, pool, descriptor, 0));
  value("file", file >= 0);
  GIVES("export_null", cudaMemPoolExportToShareableHandle(nullptr, pool, descriptor, 0));
  GIVES("export_flags", cudaMemPoolExportToShareableHandle(&file, pool, descriptor, 1));
  GIVES("export_none", cudaMemPoolExportToShareableHandle(&file, pool, cudaMemHandleTypeNone, 0));
  GIVES("export_other", cudaMemPoolExportToShareableHandle(&file, pool, cudaMemHandleTypeWin32, 0));
  cudaDeviceGetDefaultMemPool(&plain, 0);
  GIVES("export_default", cudaMemPoolExportToShareableHandle(&file, plain, descriptor, 0));
  GIVES("pointer", cudaMemPoolExportPointer(&data, memory));
  GIVES("pointer_inside", cudaMemPoolExportPointer(&data, static_cast<char *>(memory) + 100));
  GIVES("pointer_plain", cudaMemPoolExportPointer(&data, own));
  GIVES("pointer_host", cudaMemPoolExportPointer(&data, &data));
  cudaMallocAsync(&other, 4096, nullptr);
  GIVES("pointer_default", cudaMemPoolExportPointer(&data, other));
  GIVES("ipc", cudaIpcGetMemHandle(reinterpret_cast<cudaIpcMemHandle_t *>(&data), memory));
  GIVES("free", cudaFreeAsync(memory, nullptr));
  GIVES("pointer_freed", cudaMemPoolExportPointer(&data, memory));
}
CASE(pool_shared_refused) {
  cudaFree(nullptr);
  cudaMemPool_t pool = nullptr;
  int pipes[2];
  pipe(pipes);
  GIVES("no_file", cudaMemPoolImportFromShareableHandle(&pool, as_handle(999), descriptor, 0));
  GIVES("negative", cudaMemPoolImportFromShareableHandle(&pool, as_handle(-1), descriptor, 0));
  GIVES("pipe", cudaMemPoolImportFromShareableHandle(&pool, as_handle(pipes[0]), descriptor, 0));
  GIVES("form", cudaMemPoolImportFromShareableHandle(&pool, as_handle(pipes[0]), cudaMemHandleTypeNone, 0));
  cudaMemPool_t own = shared_pool();
  int file = -1;
  cudaMemPoolExportToShareableHandle(&file, own, descriptor, 0);
  GIVES("flags", cudaMemPoolImportFromShareableHandle(&pool, as_handle(file), descriptor, 1));
  cudaMemPoolPtrExportData data = {};
  void *memory = nullptr;
  GIVES("own_pool", cudaMemPoolImportPointer(&memory, own, &data));
}
CASE(pool_shared_same_process) {
  cudaMemPool_t pool = shared_pool(), imported = nullptr;
  void *memory = nullptr, *opened = nullptr;
  cudaMemPoolPtrExportData data = {};
  int file = -1, back = 0;
  cudaMallocFromPoolAsync(&memory, 10000, pool, nullptr);
  cudaMemset(memory, 5, 10000);
  cudaDeviceSynchronize();
  cudaMemPoolExportToShareableHandle(&file, pool, descriptor, 0);
  GIVES("import", cudaMemPoolImportFromShareableHandle(&imported, as_handle(file), descriptor, 0));
  value("differs", imported != pool);
  cudaMemPoolExportPointer(&data, memory);
  GIVES("pointer", cudaMemPoolImportPointer(&opened, imported, &data));
  value("elsewhere", opened != memory);
  if (opened) {
    GIVES("read", cudaMemcpy(&back, opened, 4, cudaMemcpyDeviceToHost));
    value("seen", back);
  }
}
CASE(pool_shared_two_processes) {
  int sockets[2], done[2];
  socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
  pipe(done);
  cudaMemPoolPtrExportData data = {};
  int file = -1;
  char word = 0;
  std::fflush(stdout);
  if (fork() != 0) {
    close(sockets[1]);
    close(done[1]);
    cudaMemPool_t pool = shared_pool();
    void *memory = nullptr;
    cudaMallocFromPoolAsync(&memory, 10000, pool, nullptr);
    cudaMemset(memory, 5, 10000);
    cudaDeviceSynchronize();
    GIVES("export", cudaMemPoolExportToShareableHandle(&file, pool, descriptor, 0));
    GIVES("pointer", cudaMemPoolExportPointer(&data, memory));
    send_pool(sockets[0], file, data);
    read(done[0], &word, 1);
    int back = 0;
    cudaMemcpy(&back, memory, 4, cudaMemcpyDeviceToHost);
    value("written", back);
    GIVES("free", cudaFreeAsync(memory, nullptr));
    GIVES("destroy", cudaMemPoolDestroy(pool));
    return;
  }
  close(sockets[0]);
  close(done[0]);
  receive_pool(sockets[1], file, data);
  cudaMemPool_t imported = nullptr;
  void *opened = nullptr, *again = nullptr, *other = nullptr;
  int back = 0;
  GIVES("import", cudaMemPoolImportFromShareableHandle(&imported, as_handle(file), descriptor, 0));
  GIVES("import_pointer", cudaMemPoolImportPointer(&opened, imported, &data));
  GIVES("pointer_again", cudaMemPoolImportPointer(&again, imported, &data));
  value("same", opened == again);
  GIVES("null_data", cudaMemPoolImportPointer(&other, imported, nullptr));
  GIVES("read", cudaMemcpy(&back, opened, 4, cudaMemcpyDeviceToHost));
  value("seen", back);
  cudaMemset(opened, 6, 10000);
  cudaDeviceSynchronize();
  GIVES("alloc", cudaMallocFromPoolAsync(&other, 4096, imported, nullptr));
  GIVES("set_current", cudaDeviceSetMemPool(0, imported));
  GIVES("export_again", cudaMemPoolExportToShareableHandle(&back, imported, descriptor, 0));
  GIVES("pointer_of_imported", cudaMemPoolExportPointer(&data, opened));
  unsigned long long used = 77;
  GIVES("used", cudaMemPoolGetAttribute(imported, cudaMemPoolAttrUsedMemCurrent, &used));
  cudaMemLocation place = {};
  place.type = cudaMemLocationTypeDevice;
  cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
  GIVES("access", cudaMemPoolGetAccess(&flags, imported, &place));
  value("flags", flags);
  GIVES("free", cudaFreeAsync(opened, nullptr));
  GIVES("destroy", cudaMemPoolDestroy(imported));
  GIVES("sync", cudaDeviceSynchronize());
  write(done[1], &word, 1);
  _exit(0);
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
CASE(managed_advice) {
  int *memory = nullptr;
  cudaMallocManaged(reinterpret_cast<void **>(&memory), 4096);
  for (int number = 1; number <= 8; number++) {
    int got = 77;
    GIVES("get" + std::to_string(number),
          cudaMemRangeGetAttribute(&got, 4, static_cast<cudaMemRangeAttribute>(number), memory, 4096));
    value("value" + std::to_string(number), got);
  }
  int got = 0;
  GIVES("size", cudaMemRangeGetAttribute(&got, 3, cudaMemRangeAttributeReadMostly, memory, 4096));
  GIVES("attach", cudaStreamAttachMemAsync(nullptr, memory, 0, cudaMemAttachGlobal));
}
// The driver's process ended in one of these two.
CASE(managed_attach_no_flags) {
  int *memory = nullptr;
  cudaMallocManaged(reinterpret_cast<void **>(&memory), 4096);
  GIVES("attach", cudaStreamAttachMemAsync(nullptr, memory, 0, 0));
}
CASE(managed_attach_host) {
  static int plain = 0;
  GIVES("attach", cudaStreamAttachMemAsync(nullptr, &plain, 0, cudaMemAttachGlobal));
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
  CUstreamBatchMemOpParams ops[256] = {};
  GIVES("none", cuStreamBatchMemOp(stream, 0, ops, 0));
  GIVES("kind", cuStreamBatchMemOp(stream, 1, ops, 0));
  for (CUstreamBatchMemOpParams &op : ops) {
    op.memoryBarrier.operation = CU_STREAM_MEM_OP_BARRIER;
    op.memoryBarrier.flags = CU_STREAM_MEMORY_BARRIER_TYPE_SYS;
  }
  GIVES("barrier", cuStreamBatchMemOp(stream, 1, ops, 0));
  GIVES("batch_flags", cuStreamBatchMemOp(stream, 1, ops, 1));
  GIVES("most", cuStreamBatchMemOp(stream, 255, ops, 0));
  GIVES("too_many", cuStreamBatchMemOp(stream, 256, ops, 0));
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

int main(int count, char **words) {
  return ask(count, words);
}
