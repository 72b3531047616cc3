// The plain CUDA driver, the yardstick of gevt_bench_cuda: the few functions that it calls, looked up in libcuda.so.1.
#ifndef GEVT_BENCH_DRIVER_HPP
#define GEVT_BENCH_DRIVER_HPP

#include <cstddef>
#include <cstdint>
#include <string>

namespace bench {

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;

// An open integer, because a newer driver may answer with a code that nobody here has heard of.
using CUresult = int;
constexpr CUresult driver_not_ready = 600;

constexpr unsigned driver_stream_non_blocking = 1;
constexpr unsigned driver_event_default = 0;
constexpr unsigned driver_event_blocking_sync = 1;
constexpr unsigned driver_event_disable_timing = 2;

constexpr unsigned driver_host_alloc_mapped = 2;
constexpr unsigned driver_wait_at_least = 0; // as numbers that may wrap round

struct Driver {
  CUresult (*init)(unsigned flags);
  CUresult (*version)(int *version);
  CUresult (*error_name)(CUresult code, const char **name);
  CUresult (*device_count)(int *count);
  CUresult (*device_get)(CUdevice *device, int number);
  CUresult (*device_name)(char *name, int size, CUdevice device);
  CUresult (*primary_retain)(CUcontext *context, CUdevice device);
  CUresult (*primary_release)(CUdevice device);
  CUresult (*set_current)(CUcontext context);
  CUresult (*context_sync)();
  CUresult (*stream_create)(CUstream *stream, unsigned flags);
  CUresult (*stream_destroy)(CUstream stream);
  CUresult (*stream_wait)(CUstream stream, CUevent event, unsigned flags);
  CUresult (*launch_host)(CUstream stream, void (*function)(void *), void *user);
  CUresult (*module_load)(CUmodule *module, const void *image);
  CUresult (*module_unload)(CUmodule module);
  CUresult (*module_function)(CUfunction *function, CUmodule module, const char *name);
  CUresult (*launch_kernel)(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                            unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void **arguments,
                            void **extra);
  CUresult (*host_alloc)(void **memory, std::size_t bytes, unsigned flags);
  CUresult (*host_address)(CUdeviceptr *address, void *memory, unsigned flags);
  CUresult (*free_host)(void *memory);
  CUresult (*wait_value)(CUstream stream, CUdeviceptr address, std::uint32_t value, unsigned flags);
  CUresult (*event_create)(CUevent *event, unsigned flags);
  CUresult (*event_destroy)(CUevent event);
  CUresult (*event_record)(CUevent event, CUstream stream);
  CUresult (*event_query)(CUevent event);
  CUresult (*event_sync)(CUevent event);
  CUresult (*event_elapsed)(float *ms, CUevent start, CUevent end);
};
extern Driver driver;

// Fills `driver` and initialises it. Returns why there is no device to measure on, and an empty string where there is one.
std::string load_driver();

// Such as "580.95.05, CUDA 13.0".
std::string driver_version();

// Ends the process with code 2 where the driver refused.
void check_driver(CUresult code, const char *call);

} // namespace bench

#endif
