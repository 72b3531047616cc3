// gevt_bench_shim: what the event calls of a CUDA program cost with the drop-in in front of the driver, each figure beside the
// same call without it, in one run and one process.
//
//   LD_PRELOAD=libgevt_cuda.so gevt_bench_shim [--check] [--cudart RUNTIME COPY]
//
// --cudart measures the runtime API too: RUNTIME is libcudart.so, and COPY a copy of that file, since a library has only one
// way to the driver. --check makes the exit code 1 if a bound is missed. Without a device there is nothing to measure: the
// program says so, and that is no failure.
#include "shim.hpp"

#include "cuda.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstring>

namespace {

using bench::Api;
using bench::fail;
using LookUp = void *(*)(void *, const char *);

template <class Function>
void look_up(LookUp by, void *library, const char *name, Function &function) {
  // POSIX lets the address of a function pass through a pointer to an object.
  function = reinterpret_cast<Function>(by(library, name));
  if (function == nullptr) fail(name, "there is no such function");
}

std::string library_of(const void *address) {
  Dl_info info;
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

bool is_in_drop_in(const Api &api) {
  return library_of(reinterpret_cast<const void *>(api.query)).find("libgevt_cuda.so") != std::string::npos;
}

Api driver_api(LookUp by) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  Api api;
  look_up(by, library, "cuEventCreate", api.create);
  look_up(by, library, "cuEventDestroy_v2", api.destroy);
  look_up(by, library, "cuEventQuery", api.query);
  look_up(by, library, "cuEventSynchronize", api.sync);
  look_up(by, library, "cuEventRecord", api.record);
  look_up(by, library, "cuStreamWaitEvent", api.wait);
  look_up(by, library, "cuEventElapsedTime", api.elapsed);
  return api;
}

Api runtime_api(const char *path, int how) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | how);
  if (library == nullptr) fail(path, dlerror());
  Api api;
  look_up(dlsym, library, "cudaEventCreateWithFlags", api.create);
  look_up(dlsym, library, "cudaEventDestroy", api.destroy);
  look_up(dlsym, library, "cudaEventQuery", api.query);
  look_up(dlsym, library, "cudaEventSynchronize", api.sync);
  look_up(dlsym, library, "cudaEventRecord", api.record);
  look_up(dlsym, library, "cudaStreamWaitEvent", api.wait);
  look_up(dlsym, library, "cudaEventElapsedTime", api.elapsed);
  return api;
}

} // namespace

int main(int argc, char **argv) {
  bool check = false;
  const char *runtime = nullptr, *copy = nullptr;
  for (int i = 1; i < argc; i++) {
    if (std::strcmp(argv[i], "--check") == 0) {
      check = true;
    } else if (std::strcmp(argv[i], "--cudart") == 0 && i + 2 < argc) {
      runtime = argv[++i];
      copy = argv[++i];
    } else {
      std::fprintf(stderr, "usage: gevt_bench_shim [--check] [--cudart RUNTIME COPY]\n");
      return 2;
    }
  }
  if (const std::string reason = bench::load_driver(); !reason.empty()) {
    std::printf("SKIPPED: no CUDA device (%s)\n", reason.c_str());
    return 0;
  }
  const bench::Device device;
  // libc's own look-up, which the drop-in does not answer.
  LookUp plain;
  look_up(dlsym, dlopen("libc.so.6", RTLD_NOW), "dlsym", plain);
  const bench::Apis driver{"driver API", driver_api(dlsym), driver_api(plain), {bench::Bound::at_most, 0, 30}};
  if (!is_in_drop_in(driver.ours)) fail("LD_PRELOAD", "libgevt_cuda.so is not in front of the driver");
  if (is_in_drop_in(driver.plain)) fail("dlsym", "there is no way around libgevt_cuda.so");

  std::printf("gpu       %s\n", device.name().c_str());
  std::printf("driver    %s\n", bench::driver_version().c_str());
  std::printf("drop-in   %s\n", library_of(reinterpret_cast<const void *>(driver.ours.query)).c_str());
  bench::Table table;
  table.print_head();
  shim_call_rows(table, driver);
  shim_threads_rows(table, driver, 300);
  if (runtime != nullptr) {
    // Its own libraries come first for the copy, so that its dlsym is libc's.
    const bench::Apis cudart{
        "runtime API", runtime_api(runtime, 0), runtime_api(copy, RTLD_DEEPBIND), {bench::Bound::at_most, 1, -80}};
    shim_call_rows(table, cudart);
    shim_threads_rows(table, cudart, 0);
  }
  table.print_foot();
  return check && table.missed() > 0 ? 1 : 0;
}
