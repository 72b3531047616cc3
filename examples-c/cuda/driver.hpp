// The functions of the CUDA driver that the examples call, under their usual names. The driver is loaded when the program
// runs: the examples can be built without CUDA. A program of your own includes <cuda.h> instead.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include <dlfcn.h>

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUstream = struct CUstream_st *;
constexpr unsigned CU_STREAM_NON_BLOCKING = 1;

// Each function, the symbol that <cuda.h> gives it, and its parameters.
#define CUDA_FUNCTIONS(X)                                                                                              \
  X(cuInit, "cuInit", (unsigned flags))                                                                                \
  X(cuGetErrorName, "cuGetErrorName", (CUresult code, const char **name))                                              \
  X(cuCtxCreate, "cuCtxCreate_v2", (CUcontext * context, unsigned flags, CUdevice device))                             \
  X(cuCtxDestroy, "cuCtxDestroy_v2", (CUcontext context))                                                              \
  X(cuCtxSetCurrent, "cuCtxSetCurrent", (CUcontext context))                                                           \
  X(cuMemAlloc, "cuMemAlloc_v2", (CUdeviceptr * memory, size_t bytes))                                                 \
  X(cuMemFree, "cuMemFree_v2", (CUdeviceptr memory))                                                                   \
  X(cuMemAllocHost, "cuMemAllocHost_v2", (void **memory, size_t bytes))                                                \
  X(cuMemFreeHost, "cuMemFreeHost", (void *memory))                                                                    \
  X(cuMemsetD32Async, "cuMemsetD32Async", (CUdeviceptr memory, unsigned value, size_t words, CUstream stream))         \
  X(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", (CUdeviceptr to, const void *from, size_t bytes, CUstream stream))      \
  X(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", (void *to, CUdeviceptr from, size_t bytes, CUstream stream))            \
  X(cuStreamCreate, "cuStreamCreate", (CUstream * stream, unsigned flags))                                             \
  X(cuStreamDestroy, "cuStreamDestroy_v2", (CUstream stream))

#define CUDA_POINTER(name, symbol, parameters) inline CUresult(*name) parameters;
CUDA_FUNCTIONS(CUDA_POINTER)
#undef CUDA_POINTER

// Throws if a call failed.
inline void cuda(CUresult code) {
  const char *name = nullptr;
  if (code != 0) throw std::runtime_error(cuGetErrorName(code, &name) == 0 ? name : "an unknown CUDA error");
}

// Returns why there is no CUDA device; an empty string if there is one.
inline std::string load_cuda() {
  void *const library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) return "there is no CUDA driver";
#define CUDA_LOAD(name, symbol, parameters)                                                                            \
  name = reinterpret_cast<CUresult(*) parameters>(dlsym(library, symbol));                                             \
  if (name == nullptr) return "the CUDA driver lacks " symbol;
  CUDA_FUNCTIONS(CUDA_LOAD)
#undef CUDA_LOAD
  return cuInit(0) == 0 ? "" : "there is no CUDA device";
}
