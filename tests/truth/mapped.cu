// What the real CUDA driver and runtime answer about memory whose addresses and backing are made apart.
// As truth.cu, one case a process.
// usage: mapped list | mapped CASE    prints CASE<TAB>name=value ...
#include "ask.h"

static CUmemAllocationProp backing() {
  CUmemAllocationProp props = {};
  props.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  props.location.id = 0;
  return props;
}
CASE(map_memory) {
  init();
  CUmemAllocationProp props = backing();
  size_t least = 0, good = 0;
  GIVES("least", cuMemGetAllocationGranularity(&least, &props, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  GIVES("recommended", cuMemGetAllocationGranularity(&good, &props, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
  value("least_is", least), value("recommended_is", good);
  GIVES("option", cuMemGetAllocationGranularity(&good, &props, static_cast<CUmemAllocationGranularity_flags>(9)));
  GIVES("no_place", cuMemGetAllocationGranularity(nullptr, &props, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  const size_t len = least;
  CUdeviceptr address = 0, other = 0;
  CUmemGenericAllocationHandle handle = 0, second = 0;
  GIVES("reserve", cuMemAddressReserve(&address, 2 * len, 0, 0, 0));
  GIVES("reserve_odd", cuMemAddressReserve(&other, len + 1, 0, 0, 0));
  GIVES("reserve_none", cuMemAddressReserve(&other, 0, 0, 0, 0));
  GIVES("reserve_alignment", cuMemAddressReserve(&other, len, 3, 0, 0));
  GIVES("reserve_flags", cuMemAddressReserve(&other, len, 0, 0, 1));
  GIVES("reserve_null", cuMemAddressReserve(nullptr, len, 0, 0, 0));
  GIVES("create", cuMemCreate(&handle, len, &props, 0));
  GIVES("create_odd", cuMemCreate(&second, len + 1, &props, 0));
  GIVES("create_none", cuMemCreate(&second, 0, &props, 0));
  GIVES("create_flags", cuMemCreate(&second, len, &props, 1));
  GIVES("create_null", cuMemCreate(nullptr, len, &props, 0));
  CUmemAllocationProp bad = props;
  bad.location.id = 99;
  GIVES("create_device", cuMemCreate(&second, len, &bad, 0));
  bad = props;
  bad.type = CU_MEM_ALLOCATION_TYPE_INVALID;
  GIVES("create_type", cuMemCreate(&second, len, &bad, 0));
  GIVES("map", cuMemMap(address, len, 0, handle, 0));
  GIVES("map_again", cuMemMap(address, len, 0, handle, 0));
  GIVES("map_second", cuMemMap(address + len, len, 0, handle, 0));
  GIVES("unmap_second", cuMemUnmap(address + len, len));
  GIVES("map_offset", cuMemMap(address + len, len, 4096, handle, 0));
  GIVES("map_flags", cuMemMap(address + len, len, 0, handle, 1));
  GIVES("map_long", cuMemMap(address + len, 2 * len, 0, handle, 0));
  GIVES("map_nowhere", cuMemMap(address + 8 * len, len, 0, handle, 0));
  GIVES("map_no_handle", cuMemMap(address + len, len, 0, 0, 0));
  CUmemAccessDesc access = {};
  access.location = props.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  unsigned long long flags = 77;
  GIVES("get_access_before", cuMemGetAccess(&flags, &access.location, address));
  value("flags_before", flags);
  GIVES("set", cuMemSetAccess(address, len, &access, 1));
  GIVES("get_access", cuMemGetAccess(&flags, &access.location, address));
  value("flags", flags);
  GIVES("set_unmapped", cuMemSetAccess(address + len, len, &access, 1));
  GIVES("set_null", cuMemSetAccess(address, len, nullptr, 1));
  GIVES("set_none", cuMemSetAccess(address, len, &access, 0));
  int there = 77, back = 0;
  GIVES("in", cuMemcpyHtoD(address, &there, 4));
  GIVES("out", cuMemcpyDtoH(&back, address, 4));
  value("same", back == 77);
  GIVES("fill", cuMemsetD8(address, 0, len));
  GIVES("beyond", cuMemsetD8(address, 0, len + 1));
  GIVES("free_plain", cuMemFree(address));
  CUmemGenericAllocationHandle again = 0;
  GIVES("retain", cuMemRetainAllocationHandle(&again, reinterpret_cast<void *>(address)));
  value("retained_same", again == handle);
  GIVES("retain_nowhere", cuMemRetainAllocationHandle(&again, &again));
  CUmemAllocationProp got = {};
  GIVES("props", cuMemGetAllocationPropertiesFromHandle(&got, handle));
  value("type", got.type), value("place", got.location.type);
  GIVES("release_retained", cuMemRelease(handle));
  GIVES("release", cuMemRelease(handle));
  GIVES("out_after_release", cuMemcpyDtoH(&back, address, 4));
  GIVES("free_mapped", cuMemAddressFree(address, 2 * len));
  GIVES("unmap_part", cuMemUnmap(address, 4096));
  GIVES("unmap", cuMemUnmap(address, len));
  GIVES("unmap_again", cuMemUnmap(address, len));
  GIVES("free_part", cuMemAddressFree(address, len));
  GIVES("free", cuMemAddressFree(address, 2 * len));
  GIVES("free_again", cuMemAddressFree(address, 2 * len));
  GIVES("fixed", cuMemAddressReserve(&other, len, 0, address, 0));
  value("fixed_there", other == address);
}
CASE(map_pointer_questions) {
  init();
  CUmemAllocationProp props = backing();
  const size_t len = 2 << 20;
  CUdeviceptr address = 0, start = 0;
  CUmemGenericAllocationHandle handle = 0;
  cuMemAddressReserve(&address, len, 0, 0, 0);
  size_t size = 0;
  GIVES("range_reserved", cuMemGetAddressRange(&start, &size, address));
  cuMemCreate(&handle, len, &props, 0);
  cuMemMap(address, len, 0, handle, 0);
  GIVES("in_before", cuMemsetD8(address, 0, 4));
  CUmemAccessDesc access = {};
  access.location = props.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  cuMemSetAccess(address, len, &access, 1);
  GIVES("range", cuMemGetAddressRange(&start, &size, address + 8));
  value("range_same", start == address && size == len);
  unsigned type = 0;
  GIVES("type", cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address));
  value("type_is", type);
  CUcontext context = nullptr;
  GIVES("context", cuPointerGetAttribute(&context, CU_POINTER_ATTRIBUTE_CONTEXT, address));
  int ordinal = -1;
  GIVES("ordinal", cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address));
  value("ordinal_is", ordinal);
  for (int number : {102, 103, 104, 105, 115}) {
    int got = -1;
    cuDeviceGetAttribute(&got, static_cast<CUdevice_attribute>(number), device);
    value("attribute_" + std::to_string(number), got);
  }
  cudaPointerAttributes attributes = {};
  GIVES("runtime", cudaPointerGetAttributes(&attributes, reinterpret_cast<void *>(address)));
  value("runtime_type", attributes.type);
}
CASE(map_shared) {
  init();
  CUmemAllocationProp props = backing();
  props.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  const size_t len = 2 << 20;
  CUmemGenericAllocationHandle handle = 0, imported = 0, plain = 0;
  GIVES("create", cuMemCreate(&handle, len, &props, 0));
  int file = -1;
  GIVES("export", cuMemExportToShareableHandle(&file, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  value("file", file >= 0);
  GIVES("export_type", cuMemExportToShareableHandle(&file, handle, CU_MEM_HANDLE_TYPE_WIN32, 0));
  GIVES("export_flags", cuMemExportToShareableHandle(&file, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 1));
  GIVES("import", cuMemImportFromShareableHandle(&imported, reinterpret_cast<void *>(static_cast<uintptr_t>(file)),
                                                 CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  value("differs", imported != handle);
  GIVES("import_wrong", cuMemImportFromShareableHandle(&plain, reinterpret_cast<void *>(static_cast<uintptr_t>(999)),
                                                       CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  props.requestedHandleTypes = CU_MEM_HANDLE_TYPE_NONE;
  GIVES("create_plain", cuMemCreate(&plain, len, &props, 0));
  GIVES("export_plain", cuMemExportToShareableHandle(&file, plain, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  CUdeviceptr address = 0, second = 0;
  cuMemAddressReserve(&address, len, 0, 0, 0);
  cuMemAddressReserve(&second, len, 0, 0, 0);
  cuMemMap(address, len, 0, handle, 0);
  cuMemMap(second, len, 0, imported, 0);
  CUmemAccessDesc access = {};
  access.location = props.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  GIVES("set", cuMemSetAccess(address, len, &access, 1));
  GIVES("set_second", cuMemSetAccess(second, len, &access, 1));
  cuMemsetD32(address, 77, 4);
  unsigned back = 0;
  cuMemcpyDtoH(&back, second, 4);
  value("seen", back);
}

int main(int count, char **words) {
  return ask(count, words);
}
