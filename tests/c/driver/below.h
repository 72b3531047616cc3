/* The driver below the strict one (strict.c), and its functions. STRICT_DRIVER_BELOW names its file. */
#ifndef GEVT_TESTS_BELOW_H
#define GEVT_TESTS_BELOW_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ipc_handle {
  unsigned char bytes[64];
} ipc_handle_t;

/* What is called below: each name, with the types of its parameters. */
#define FUNCTIONS(X)                                                                                                   \
  X(cuInit, (unsigned))                                                                                                \
  X(cuDriverGetVersion, (int *))                                                                                       \
  X(cuDeviceGetCount, (int *))                                                                                         \
  X(cuDeviceGet, (int *, int))                                                                                         \
  X(cuDeviceGetName, (char *, int, int))                                                                               \
  X(cuDevicePrimaryCtxRetain, (void **, int))                                                                          \
  X(cuDevicePrimaryCtxRelease_v2, (int))                                                                               \
  X(cuDevicePrimaryCtxReset_v2, (int))                                                                                 \
  X(cuCtxCreate_v2, (void **, unsigned, int))                                                                          \
  X(cuCtxDestroy_v2, (void *))                                                                                         \
  X(cuCtxSetCurrent, (void *))                                                                                         \
  X(cuCtxSynchronize, (void))                                                                                          \
  X(cuStreamCreate, (void **, unsigned))                                                                               \
  X(cuStreamDestroy_v2, (void *))                                                                                      \
  X(cuStreamQuery, (void *))                                                                                           \
  X(cuStreamSynchronize, (void *))                                                                                     \
  X(cuStreamWaitEvent, (void *, void *, unsigned))                                                                     \
  X(cuStreamIsCapturing, (void *, unsigned *))                                                                         \
  X(cuStreamBeginCapture_v2, (void *, int))                                                                            \
  X(cuStreamEndCapture, (void *, void **))                                                                             \
  X(cuLaunchHostFunc, (void *, void (*)(void *), void *))                                                              \
  X(cuStreamWaitValue32_v2, (void *, unsigned long long, unsigned, unsigned))                                          \
  X(cuMemHostRegister_v2, (void *, size_t, unsigned))                                                                  \
  X(cuMemHostGetDevicePointer_v2, (unsigned long long *, void *, unsigned))                                            \
  X(cuEventCreate, (void **, unsigned))                                                                                \
  X(cuEventRecord, (void *, void *))                                                                                   \
  X(cuEventRecordWithFlags, (void *, void *, unsigned))                                                                \
  X(cuEventQuery, (void *))                                                                                            \
  X(cuEventSynchronize, (void *))                                                                                      \
  X(cuEventDestroy_v2, (void *))                                                                                       \
  X(cuEventElapsedTime, (float *, void *, void *))                                                                     \
  X(cuEventElapsedTime_v2, (float *, void *, void *))                                                                  \
  X(cuIpcGetEventHandle, (ipc_handle_t *, void *))                                                                     \
  X(cuIpcOpenEventHandle, (void **, ipc_handle_t))                                                                     \
  X(cuThreadExchangeStreamCaptureMode, (unsigned *))                                                                   \
  X(cuGraphInstantiateWithFlags, (void **, void *, unsigned long long))                                                \
  X(cuGraphLaunch, (void *, void *))                                                                                   \
  X(cuGraphDestroy, (void *))                                                                                          \
  X(cuGraphExecDestroy, (void *))

#define FIELD(name, parameters) unsigned(*name) parameters;
static struct below { FUNCTIONS(FIELD) } below;

/* A function that is missing below stays NULL. */
static void look_up(void *library, void *field, const char *name) {
  void *symbol = dlsym(library, name);
  memcpy(field, &symbol, sizeof symbol);
}

static void __attribute__((constructor)) load(void) {
  const char *path = getenv("STRICT_DRIVER_BELOW");
  void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!library) {
    fprintf(stderr, "STRICT_DRIVER_BELOW names no driver: %s\n", path ? dlerror() : "it is not set");
    abort();
  }
#define LOOK_UP(name, parameters) look_up(library, &below.name, #name);
  FUNCTIONS(LOOK_UP)
}

/* A wait as NVIDIA's driver waits by default: it keeps a core. */
static inline unsigned spin_while_pending(unsigned (*query)(void *), void *handle) {
  enum { NOT_READY_CODE = 600 };
  unsigned code;
  while ((code = query(handle)) == NOT_READY_CODE) {}
  return code;
}

#endif
