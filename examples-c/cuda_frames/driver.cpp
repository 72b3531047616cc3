#include "driver.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace cuda {

Driver driver;

namespace {

// Looks names up, and keeps the first one that is missing.
class Symbols {
public:
  explicit Symbols(void *library) : library_(library) {}

  template <class Function>
  bool find(const char *name, Function &function) {
    // POSIX lets the address of a function pass through a pointer to an object.
    function = reinterpret_cast<Function>(dlsym(library_, name));
    return function != nullptr;
  }

  template <class Function>
  void need(const char *name, Function &function) {
    if (!find(name, function) && missing_.empty()) {
      missing_ = name;
    }
  }

  const std::string &missing() const { return missing_; }

private:
  void *library_;
  std::string missing_;
};

} // namespace

// The names with a number at the end are those that NVIDIA's header puts in the place of the plain ones.
std::string load_driver() {
  // Never closed: the driver has threads and exit handlers of its own.
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return "no CUDA driver (there is no libcuda.so.1)";
  }
  Symbols symbols(library);
  symbols.need("cuInit", driver.init);
  symbols.need("cuGetErrorName", driver.error_name);
  symbols.need("cuGetErrorString", driver.error_string);
  symbols.need("cuDriverGetVersion", driver.version);
  symbols.need("cuDeviceGetCount", driver.device_count);
  symbols.need("cuDeviceGet", driver.device_get);
  symbols.need("cuDeviceGetName", driver.device_name);
  symbols.need("cuCtxCreate_v2", driver.context_create);
  symbols.need("cuCtxSynchronize", driver.context_sync);
  symbols.need("cuCtxDestroy_v2", driver.context_destroy);
  symbols.need("cuModuleLoadDataEx", driver.module_load);
  symbols.need("cuModuleGetFunction", driver.module_function);
  symbols.need("cuModuleUnload", driver.module_unload);
  symbols.need("cuLaunchKernel", driver.launch);
  symbols.need("cuMemAlloc_v2", driver.allocate);
  symbols.need("cuMemFree_v2", driver.free);
  symbols.need("cuMemAllocHost_v2", driver.allocate_host);
  symbols.need("cuMemFreeHost", driver.free_host);
  symbols.need("cuMemHostRegister_v2", driver.register_host);
  symbols.need("cuMemHostUnregister", driver.unregister_host);
  symbols.need("cuMemcpyHtoDAsync_v2", driver.copy_to_device);
  symbols.need("cuMemsetD32Async", driver.fill);
  symbols.need("cuMemcpyDtoHAsync_v2", driver.copy_to_host);
  symbols.need("cuStreamCreate", driver.stream_create);
  symbols.need("cuStreamDestroy_v2", driver.stream_destroy);
  symbols.need("cuEventCreate", driver.event_create);
  symbols.need("cuEventRecord", driver.event_record);
  symbols.need("cuEventDestroy_v2", driver.event_destroy);
  if (!symbols.find("cuEventElapsedTime_v2", driver.event_elapsed)) {
    symbols.need("cuEventElapsedTime", driver.event_elapsed); // drivers before CUDA 12.8
  }
  if (!symbols.missing().empty()) {
    return "no CUDA driver that runs kernels (libcuda.so.1 has no " + symbols.missing() + ")";
  }
  if (const CUresult code = driver.init(0); code != 0) {
    return "no CUDA device (cuInit: " + describe(code) + ")";
  }
  int count = 0;
  CUDA(driver.device_count(&count));
  return count == 0 ? "no CUDA device" : "";
}

std::string describe(CUresult code) {
  const char *name = nullptr, *text = nullptr;
  const bool known = driver.error_name(code, &name) == 0 && driver.error_string(code, &text) == 0 && name && text;
  return "error " + std::to_string(code) + (known ? std::string(", ") + name + ": " + text : "");
}

void check_driver(CUresult code, const char *call, const char *file, int line) {
  if (code != 0) {
    std::fprintf(stderr, "%s:%d: %s\n  %s\n", file, line, call, describe(code).c_str());
    std::exit(EXIT_FAILURE);
  }
}

} // namespace cuda
