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

/* A field of `driver`, the function's name, and its parameters. */
#define DRIVER_FUNCTIONS(X)                                                                                            \
  X(stream_create, cuStreamCreate, (void **stream, unsigned flags))                                                    \
  X(init, cuInit, (unsigned flags))                                                                                    \
  X(version, cuDriverGetVersion, (int *version))                                                                       \
  X(device_get, cuDeviceGet, (int *device, int ordinal))                                                               \
  X(device_name, cuDeviceGetName, (char *name, int size, int device))                                                  \
  X(primary_retain, cuDevicePrimaryCtxRetain, (void **context, int device))                                            \
  X(context_set_current, cuCtxSetCurrent, (void *context))                                                             \
  X(context_create, cuCtxCreate_v2, (void **context, unsigned flags, int device))                                      \
  X(context_destroy, cuCtxDestroy_v2, (void *context))                                                                 \
  X(primary_release, cuDevicePrimaryCtxRelease_v2, (int device))                                                       \
  X(primary_reset, cuDevicePrimaryCtxReset_v2, (int device))                                                           \
  X(primary_state, cuDevicePrimaryCtxGetState, (int device, unsigned *flags, int *active))                             \
  X(context_get_current, cuCtxGetCurrent, (void **context))                                                            \
  X(context_pop, cuCtxPopCurrent_v2, (void **context))                                                                 \
  X(stream_destroy, cuStreamDestroy_v2, (void *stream))                                                                \
  X(event_create, cuEventCreate, (void **event, unsigned flags))                                                       \
  X(event_destroy, cuEventDestroy_v2, (void *event))                                                                   \
  X(event_record, cuEventRecord, (void *event, void *stream))                                                          \
  X(event_query, cuEventQuery, (void *event))                                                                          \
  X(event_sync, cuEventSynchronize, (void *event))                                                                     \
  X(capture_begin, cuStreamBeginCapture_v2, (void *stream, int mode))                                                  \
  X(capture_end, cuStreamEndCapture, (void *stream, void **graph))                                                     \
  X(graph_instantiate, cuGraphInstantiateWithFlags, (void **executable, void *graph, unsigned long long flags))        \
  X(graph_launch, cuGraphLaunch, (void *executable, void *stream))                                                     \
  X(graph_destroy, cuGraphDestroy, (void *graph))                                                                      \
  X(executable_destroy, cuGraphExecDestroy, (void *executable))                                                        \
  X(stream_context, cuStreamGetCtx, (void *stream, void **context))                                                    \
  X(launch_host, cuLaunchHostFunc, (void *stream, void (*function)(void *), void *user))
#define DRIVER_KERNELS(X)                                                                                              \
  X(module_load, cuModuleLoadData, (void **module, const void *image))                                                 \
  X(module_function, cuModuleGetFunction, (void **function, void *module, const char *name))                           \
  X(kernel_launch, cuLaunchKernel,                                                                                     \
    (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,            \
     unsigned block_z, unsigned shared_bytes, void *stream, void **parameters, void **extra))

#define DRIVER_FIELD(field, name, parameters) int(*field) parameters;
static struct driver {
  void *library;
  DRIVER_FUNCTIONS(DRIVER_FIELD)
  DRIVER_KERNELS(DRIVER_FIELD)
} driver;
#undef DRIVER_FIELD

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

#define DRIVER_LOAD(field, name, parameters) driver_symbol(&driver.field, #name);

/* Loads the driver, or skips. The strict driver has no kernels, which are looked up by the cases that use them. */
static inline void driver_load(void) {
  driver.library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver.library) driver_skip("there is no libcuda.so.1 here");
  DRIVER_FUNCTIONS(DRIVER_LOAD)
}

static inline void driver_load_kernels(void) {
  DRIVER_KERNELS(DRIVER_LOAD)
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
