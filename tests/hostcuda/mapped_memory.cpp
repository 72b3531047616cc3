// Memory whose addresses and backing are made apart: mapped side by side, shared with another process, and taken away under work.
#include "check.h"
#include <cuda.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static const size_t LEN = 2 << 20;
static CUmemAllocationProp props = {};
static CUmemAccessDesc allowed = {};

static CUmemGenericAllocationHandle backing(size_t len) {
  CUmemGenericAllocationHandle handle = 0;
  OK(cuMemCreate(&handle, len, &props, 0));
  return handle;
}

// Addresses grow piece by piece, and copies and sets go over the seams.
static void pieces() {
  CUdeviceptr start = 0;
  OK(cuMemAddressReserve(&start, 8 * LEN, 0, 0, 0));
  for (int piece = 0; piece < 3; piece++) {
    CUmemGenericAllocationHandle handle = backing(LEN);
    OK(cuMemMap(start + piece * LEN, LEN, 0, handle, 0));
    OK(cuMemRelease(handle));
    GIVES(1, cuMemRelease(handle));
  }
  GIVES(1, cuMemSetAccess(start, 4 * LEN, &allowed, 1));
  GIVES(1, cuMemsetD8(start, 5, LEN));
  OK(cuMemSetAccess(start, 3 * LEN, &allowed, 1));
  OK(cuMemsetD8(start, 5, 3 * LEN));
  GIVES(1, cuMemsetD8(start, 5, 3 * LEN + 1));
  unsigned char two[2] = {};
  OK(cuMemcpyDtoH(two, start + LEN - 1, 2));
  CHECK(two[0] == 5 && two[1] == 5);
  GIVES(1, cuMemFree(start));
  GIVES(1, cuMemAddressFree(start, 8 * LEN));
  GIVES(1, cuMemUnmap(start + LEN, LEN / 2));
  OK(cuMemUnmap(start + LEN, LEN));
  GIVES(1, cuMemcpyDtoH(two, start + LEN - 1, 2));
  OK(cuMemcpyDtoH(two, start + 2 * LEN, 2));
  CHECK(two[1] == 5);
  OK(cuMemUnmap(start, 8 * LEN));
  OK(cuMemAddressFree(start, 8 * LEN));
  GIVES(1, cuMemAddressFree(start, 8 * LEN));
}

// Work of another context that comes after the memory was taken away changes nothing, and ends well.
static void taken_away() {
  CUdeviceptr start = 0;
  OK(cuMemAddressReserve(&start, LEN, 0, 0, 0));
  CUmemGenericAllocationHandle handle = backing(LEN), again = 0;
  OK(cuMemMap(start, LEN, 0, handle, 0));
  OK(cuMemSetAccess(start, LEN, &allowed, 1));
  OK(cuMemsetD8(start, 7, LEN));
  CUdevice other = 0;
  CUcontext first = nullptr, second = nullptr;
  OK(cuCtxGetCurrent(&first));
  OK(cuDeviceGet(&other, 1));
  OK(cuDevicePrimaryCtxRetain(&second, other));
  OK(cuCtxSetCurrent(second));
  CUstream stream = nullptr;
  CUdeviceptr gate = 0;
  unsigned *word = nullptr;
  OK(cuMemHostAlloc(reinterpret_cast<void **>(&word), 4, CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE));
  *word = 0;
  OK(cuMemHostGetDevicePointer(&gate, word, 0));
  OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  OK(cuStreamWaitValue32(stream, gate, 1, CU_STREAM_WAIT_VALUE_GEQ));
  OK(cuMemsetD8Async(start, 9, LEN, stream));
  OK(cuCtxSetCurrent(first));
  OK(cuMemUnmap(start, LEN));
  OK(cuMemAddressFree(start, LEN));
  *static_cast<volatile unsigned *>(word) = 1;
  OK(cuStreamSynchronize(stream));
  OK(cuMemAddressReserve(&start, LEN, 0, 0, 0));
  OK(cuMemMap(start, LEN, 0, handle, 0));
  OK(cuMemSetAccess(start, LEN, &allowed, 1));
  unsigned char byte = 0;
  OK(cuMemcpyDtoH(&byte, start, 1));
  CHECK(byte == 7);
  OK(cuMemRetainAllocationHandle(&again, reinterpret_cast<void *>(start + 100)));
  CHECK(again == handle);
}

// What places may do changes for all of them or for none, and the memory keeps its number. No context has to be current.
static void allowed_again() {
  CUdeviceptr start = 0;
  OK(cuMemAddressReserve(&start, LEN, 0, 0, 0));
  OK(cuMemMap(start, LEN, 0, backing(LEN), 0));
  CUmemAccessDesc both[2] = {allowed, allowed};
  both[1].flags = static_cast<CUmemAccess_flags>(2);
  GIVES(1, cuMemSetAccess(start, LEN, both, 2));
  GIVES(1, cuMemsetD8(start, 5, LEN));
  OK(cuMemSetAccess(start, LEN, &allowed, 1));
  unsigned long long before = 0, after = 0;
  OK(cuPointerGetAttribute(&before, CU_POINTER_ATTRIBUTE_BUFFER_ID, start));
  CUcontext context = nullptr;
  OK(cuCtxPopCurrent(&context));
  OK(cuMemSetAccess(start, LEN, &allowed, 1));
  OK(cuCtxPushCurrent(context));
  OK(cuPointerGetAttribute(&after, CU_POINTER_ATTRIBUTE_BUFFER_ID, start));
  CHECK(before == after);
  OK(cuMemsetD8(start, 5, LEN));
  both[0].flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  OK(cuMemSetAccess(start, LEN, both, 1));
  GIVES(1, cuMemsetD8(start, 5, LEN));
  OK(cuCtxPopCurrent(&context));
  OK(cuMemSetAccess(start, LEN, &allowed, 1));
  OK(cuMemUnmap(start, LEN));
  OK(cuCtxPushCurrent(context));
  OK(cuMemAddressFree(start, LEN));
}

// A descriptor is memory for whoever opens it; any other file is refused.
static void shared() {
  props.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  CUmemGenericAllocationHandle handle = backing(LEN), opened = 0;
  int file = -1;
  OK(cuMemExportToShareableHandle(&file, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  const auto as_pointer = [](int file) { return reinterpret_cast<void *>(static_cast<uintptr_t>(file)); };
  OK(cuMemImportFromShareableHandle(&opened, as_pointer(file), CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  CUdeviceptr one = 0, two = 0;
  OK(cuMemAddressReserve(&one, LEN, 0, 0, 0));
  OK(cuMemAddressReserve(&two, LEN, 4 * LEN, 0, 0));
  CHECK(two % (4 * LEN) == 0);
  OK(cuMemMap(one, LEN, 0, handle, 0));
  OK(cuMemMap(two, LEN, 0, opened, 0));
  OK(cuMemSetAccess(one, LEN, &allowed, 1));
  OK(cuMemSetAccess(two, LEN, &allowed, 1));
  OK(cuMemsetD32(one, 77, 4));
  unsigned back = 0;
  OK(cuMemcpyDtoH(&back, two, 4));
  CHECK(back == 77);
  const int plain = memfd_create("plain", 0);
  CHECK(plain >= 0 && ftruncate(plain, LEN) == 0);
  GIVES(999, cuMemImportFromShareableHandle(&opened, as_pointer(plain), CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  GIVES(999, cuMemImportFromShareableHandle(&opened, as_pointer(-1), CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
}

int main() {
  OK(cuInit(0));
  CUcontext context = nullptr;
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuCtxSetCurrent(context));
  props.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  allowed.location = props.location;
  allowed.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  pieces();
  taken_away();
  allowed_again();
  shared();
}
