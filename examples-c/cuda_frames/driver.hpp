// The CUDA driver, as cuda_frames uses it: the functions by name, each answer looked at, and a message for every failure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

// A program may use Vulkan's driver of the same shape beside it.
namespace cuda {

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;

// 0, or an error; open, because newer drivers have newer ones.
using CUresult = int;

struct Driver {
  static constexpr CUresult kNotSupported = 801;
  static constexpr unsigned kStreamNonBlocking = 1;
  static constexpr int kJitErrorLog = 5, kJitErrorLogSize = 6;

  CUresult (*init)(unsigned flags);
  CUresult (*error_name)(CUresult code, const char **name);
  CUresult (*error_string)(CUresult code, const char **text);
  CUresult (*version)(int *version);
  CUresult (*device_count)(int *count);
  CUresult (*device_get)(CUdevice *device, int number);
  CUresult (*device_name)(char *name, int size, CUdevice device);
  CUresult (*context_create)(CUcontext *context, unsigned flags, CUdevice device);
  CUresult (*context_sync)();
  CUresult (*context_destroy)(CUcontext context);
  CUresult (*module_load)(CUmodule *module, const void *image, unsigned options, int *names, void **values);
  CUresult (*module_function)(CUfunction *function, CUmodule module, const char *name);
  CUresult (*module_unload)(CUmodule module);
  CUresult (*launch)(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                     unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void **arguments,
                     void **extra);
  CUresult (*allocate)(CUdeviceptr *memory, size_t bytes);
  CUresult (*free)(CUdeviceptr memory);
  CUresult (*allocate_host)(void **memory, size_t bytes);
  CUresult (*free_host)(void *memory);
  CUresult (*register_host)(void *memory, size_t bytes, unsigned flags);
  CUresult (*unregister_host)(void *memory);
  CUresult (*fill)(CUdeviceptr memory, unsigned value, size_t words, CUstream stream);
  CUresult (*copy_to_device)(CUdeviceptr to, const void *from, size_t bytes, CUstream stream);
  CUresult (*copy_to_host)(void *to, CUdeviceptr from, size_t bytes, CUstream stream);
  CUresult (*stream_create)(CUstream *stream, unsigned flags);
  CUresult (*stream_destroy)(CUstream stream);
  CUresult (*event_create)(CUevent *event, unsigned flags);
  CUresult (*event_record)(CUevent event, CUstream stream);
  CUresult (*event_elapsed)(float *ms, CUevent start, CUevent end);
  CUresult (*event_destroy)(CUevent event);
};
extern Driver driver;

// Finds the driver and initialises it. Returns why there is no GPU to use; nothing where there is one.
std::string load_driver();

// CUDA(call): the driver's call succeeds, or the program ends with the driver's own words.
#define CUDA(call) cuda::check_driver((call), #call, __FILE__, __LINE__)
void check_driver(CUresult code, const char *call, const char *file, int line);
std::string describe(CUresult code);

} // namespace cuda
