#include "driver.hpp"

#include "bench.hpp"

#include <dlfcn.h>

#include <fstream>

namespace bench {

Driver driver;

namespace {

template <class Function>
bool find(void *library, const char *name, Function &function) {
  // POSIX lets the address of a function pass through a pointer to an object.
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

template <class Function>
void look_up(void *library, const char *name, Function &function) {
  if (!find(library, name, function)) fail(name, "libcuda.so.1 has no such function");
}

std::string error_name(CUresult code) {
  const char *name = nullptr;
  const bool known = driver.error_name(code, &name) == 0 && name != nullptr;
  return (known ? name : "an error without a name") + (" (" + std::to_string(code) + ")");
}

} // namespace

std::string load_driver() {
  // Never closed: the driver has threads and exit handlers of its own.
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return "there is no libcuda.so.1";
  look_up(library, "cuInit", driver.init);
  look_up(library, "cuDriverGetVersion", driver.version);
  look_up(library, "cuGetErrorName", driver.error_name);
  look_up(library, "cuDeviceGetCount", driver.device_count);
  look_up(library, "cuDeviceGet", driver.device_get);
  look_up(library, "cuDeviceGetName", driver.device_name);
  look_up(library, "cuDevicePrimaryCtxRetain", driver.primary_retain);
  look_up(library, "cuDevicePrimaryCtxRelease_v2", driver.primary_release);
  look_up(library, "cuCtxSetCurrent", driver.set_current);
  look_up(library, "cuCtxSynchronize", driver.context_sync);
  look_up(library, "cuStreamCreate", driver.stream_create);
  look_up(library, "cuStreamDestroy_v2", driver.stream_destroy);
  look_up(library, "cuStreamWaitEvent", driver.stream_wait);
  look_up(library, "cuLaunchHostFunc", driver.launch_host);
  // A driver without a device may lack these.
  find(library, "cuModuleLoadData", driver.module_load);
  find(library, "cuModuleUnload", driver.module_unload);
  find(library, "cuModuleGetFunction", driver.module_function);
  find(library, "cuLaunchKernel", driver.launch_kernel);
  find(library, "cuMemHostAlloc", driver.host_alloc);
  find(library, "cuMemHostGetDevicePointer_v2", driver.host_address);
  find(library, "cuMemFreeHost", driver.free_host);
  find(library, "cuStreamWaitValue32_v2", driver.wait_value);
  look_up(library, "cuEventCreate", driver.event_create);
  look_up(library, "cuEventDestroy_v2", driver.event_destroy);
  look_up(library, "cuEventRecord", driver.event_record);
  look_up(library, "cuEventQuery", driver.event_query);
  look_up(library, "cuEventSynchronize", driver.event_sync);
  // From CUDA 12.8 on the headers give this name to the newer form.
  if (!find(library, "cuEventElapsedTime_v2", driver.event_elapsed)) {
    look_up(library, "cuEventElapsedTime", driver.event_elapsed);
  }

  if (const CUresult code = driver.init(0); code != 0) return "cuInit answers " + error_name(code);
  int count = 0;
  check_driver(driver.device_count(&count), "cuDeviceGetCount");
  return count == 0 ? "the driver has none to offer" : "";
}

std::string driver_version() {
  std::string text;
  if (!std::getline(std::ifstream("/sys/module/nvidia/version"), text)) text = "of unknown number";
  int version = 0;
  check_driver(driver.version(&version), "cuDriverGetVersion");
  return text + ", CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

void check_driver(CUresult code, const char *call) {
  if (code != 0) fail(call, error_name(code).c_str());
}

} // namespace bench
