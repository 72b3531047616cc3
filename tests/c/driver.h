/* The driver's own functions, for what belongs to the owner of a CUDA program: contexts, captures, kernels. They are looked up
   by name in libcuda.so.1, so that the tests build without NVIDIA's headers and run without a driver. */
#ifndef GEVT_TESTS_DRIVER_H
#define GEVT_TESTS_DRIVER_H

#include "subject.h"

#include <link.h>

enum {
  DRIVER_STREAM_NON_BLOCKING = 1,
  DRIVER_CAPTURE_GLOBAL = 0,
  DRIVER_CAPTURE_RELAXED = 2,
  DRIVER_NOT_SUPPORTED = 801
};

static struct driver {
  void *library;
  int (*init)(unsigned flags);
  int (*version)(int *version);
  int (*device_get)(int *device, int ordinal);
  int (*device_count)(int *count);
  int (*device_name)(char *name, int size, int device);
  int (*primary_retain)(void **context, int device);
  int (*primary_release)(int device);
  int (*primary_reset)(int device);
  int (*primary_state)(int device, unsigned *flags, int *active);
  int (*context_get_current)(void **context);
  int (*context_set_current)(void *context);
  int (*context_create)(void **context, unsigned flags, int device);
  int (*context_destroy)(void *context);
  int (*context_pop)(void **context);
  int (*stream_create)(void **stream, unsigned flags);
  int (*stream_destroy)(void *stream);
  int (*stream_query)(void *stream);
  int (*stream_context)(void *stream, void **context);
  int (*launch_host)(void *stream, void (*function)(void *), void *user);
  int (*memory_allocate)(unsigned long long *memory, size_t size);
  int (*memory_free)(unsigned long long memory);
  int (*copy_to_host)(void *to, unsigned long long from, size_t size);
  int (*event_create)(void **event, unsigned flags);
  int (*event_destroy)(void *event);
  int (*event_record)(void *event, void *stream);
  int (*event_query)(void *event);
  int (*event_sync)(void *event);
  int (*capture_begin)(void *stream, int mode);
  int (*capture_end)(void *stream, void **graph);
  int (*graph_instantiate)(void **executable, void *graph, unsigned long long flags);
  int (*graph_launch)(void *executable, void *stream);
  int (*graph_destroy)(void *graph);
  int (*executable_destroy)(void *executable);
  int (*module_load)(void **module, const void *image);
  int (*module_function)(void **function, void *module, const char *name);
  int (*kernel_launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                       unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream, void **parameters,
                       void **extra);
} driver;

/* Ends the program as skipped. */
static inline void driver_skip(const char *reason) {
  exit(subject_skip("%s", reason));
}

static inline void driver_symbol(void *field, const char *name) {
  void *symbol = dlsym(driver.library, name);
  if (!symbol) {
    exit(subject_skip("this libcuda.so.1 has no %s", name));
  }
  /* ISO C has no cast from an object's address to a function's. */
  memcpy(field, &symbol, sizeof symbol);
}

/* Loads the driver, or skips: the functions that every program needs. The rest is looked up by the cases that use it. */
static inline void driver_load(void) {
  driver.library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver.library) driver_skip("there is no libcuda.so.1 here");
  driver_symbol(&driver.init, "cuInit");
  driver_symbol(&driver.version, "cuDriverGetVersion");
  driver_symbol(&driver.device_get, "cuDeviceGet");
  driver_symbol(&driver.device_count, "cuDeviceGetCount");
  driver_symbol(&driver.device_name, "cuDeviceGetName");
  driver_symbol(&driver.primary_retain, "cuDevicePrimaryCtxRetain");
  driver_symbol(&driver.context_set_current, "cuCtxSetCurrent");
}

static inline void driver_load_contexts(void) {
  driver_symbol(&driver.context_create, "cuCtxCreate_v2");
  driver_symbol(&driver.context_destroy, "cuCtxDestroy_v2");
}

/* What the owner of streams and events calls. */
static inline void driver_load_objects(void) {
  driver_symbol(&driver.primary_release, "cuDevicePrimaryCtxRelease_v2");
  driver_symbol(&driver.primary_reset, "cuDevicePrimaryCtxReset_v2");
  driver_symbol(&driver.primary_state, "cuDevicePrimaryCtxGetState");
  driver_symbol(&driver.context_get_current, "cuCtxGetCurrent");
  driver_symbol(&driver.context_pop, "cuCtxPopCurrent_v2");
  driver_symbol(&driver.stream_create, "cuStreamCreate");
  driver_symbol(&driver.stream_destroy, "cuStreamDestroy_v2");
  driver_symbol(&driver.stream_query, "cuStreamQuery");
  driver_symbol(&driver.event_create, "cuEventCreate");
  driver_symbol(&driver.event_destroy, "cuEventDestroy_v2");
  driver_symbol(&driver.event_record, "cuEventRecord");
  driver_symbol(&driver.event_query, "cuEventQuery");
  driver_symbol(&driver.event_sync, "cuEventSynchronize");
}

static inline void driver_load_captures(void) {
  driver_symbol(&driver.stream_create, "cuStreamCreate");
  driver_symbol(&driver.capture_begin, "cuStreamBeginCapture_v2");
  driver_symbol(&driver.capture_end, "cuStreamEndCapture");
  driver_symbol(&driver.graph_instantiate, "cuGraphInstantiateWithFlags");
  driver_symbol(&driver.graph_launch, "cuGraphLaunch");
  driver_symbol(&driver.graph_destroy, "cuGraphDestroy");
  driver_symbol(&driver.executable_destroy, "cuGraphExecDestroy");
}

static inline void driver_load_kernels(void) {
  driver_symbol(&driver.stream_create, "cuStreamCreate");
  driver_symbol(&driver.module_load, "cuModuleLoadData");
  driver_symbol(&driver.module_function, "cuModuleGetFunction");
  driver_symbol(&driver.kernel_launch, "cuLaunchKernel");
  driver_symbol(&driver.memory_allocate, "cuMemAlloc_v2");
  driver_symbol(&driver.memory_free, "cuMemFree_v2");
  driver_symbol(&driver.copy_to_host, "cuMemcpyDtoH_v2");
}

/* What a caller does with the native objects of streams. */
static inline void driver_load_streams(void) {
  driver_symbol(&driver.stream_context, "cuStreamGetCtx");
  driver_symbol(&driver.launch_host, "cuLaunchHostFunc");
}

/* A step that prepares a case: skips where the library says that it does not have the thing. */
static inline void driver_prepare(int code, const char *call) {
  if (code == DRIVER_NOT_SUPPORTED) {
    exit(subject_skip("NOT_SUPPORTED: %s", call));
  }
  check_equal(code, 0, call, __FILE__, __LINE__);
}

#define DRIVER_PREPARE(call) driver_prepare((call), #call)

/* The file that a name in the dynamic linker's list refers to. */
static inline void driver_file(const char *name, char *real) {
  if (!realpath(name, real)) snprintf(real, PATH_MAX, "%.*s", PATH_MAX - 1, name);
}

static inline int driver_compare_library(struct dl_phdr_info *info, size_t size, void *user) {
  const char *expected = (const char *)user, *base = strrchr(info->dlpi_name, '/');
  char real[PATH_MAX];
  (void)size;
  base = base ? base + 1 : info->dlpi_name;
  if (strncmp(base, "libcuda.so", 10) != 0) return 0;
  if (getenv("STRICT_DRIVER_BELOW")) return 0;
  driver_file(info->dlpi_name, real);
  if (strcmp(real, expected) == 0) return 0;
  printf("FAILED: a second driver is loaded, too: %s\n", real);
  return 1;
}

/* Prints which driver is loaded, and ends the program where gevt, which has started by now, may be using another one. */
static inline void driver_prove(void) {
  char real[PATH_MAX], name[256] = "unknown";
  void *symbol;
  Dl_info info;
  int version = 0, device = 0;
  memset(&info, 0, sizeof info);
  memcpy(&symbol, &driver.init, sizeof symbol);
  if (!dladdr(symbol, &info) || !info.dli_fname) {
    printf("FAILED: the file that cuInit comes from cannot be told\n");
    exit(1);
  }
  driver_file(info.dli_fname, real);
  if (dl_iterate_phdr(driver_compare_library, real)) exit(1);
  CHECK_EQUAL(driver.version(&version), 0);
  CHECK_EQUAL(driver.device_get(&device, 0), 0);
  CHECK_EQUAL(driver.device_name(name, (int)sizeof name, device), 0);
  printf("driver: %s (CUDA %d.%d)\ndevice: %s\n", real, version / 1000, version % 1000 / 10, name);
}

#endif
