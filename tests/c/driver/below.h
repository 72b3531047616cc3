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
  X(cuDeviceGet, (int *, int))                                                                                         \
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
  X(cuGraphLaunch, (void *, void *))

/* What is the same above: each name, with its parameters and arguments. */
#define FORWARDED(X)                                                                                                   \
  X(cuInit, (unsigned flags), (flags))                                                                                 \
  X(cuDriverGetVersion, (int *version), (version))                                                                     \
  X(cuDeviceGetCount, (int *count), (count))                                                                           \
  X(cuDeviceGetName, (char *name, int size, int device), (name, size, device))                                         \
  X(cuMemHostRegister_v2, (void *start, size_t size, unsigned flags), (start, size, flags))                            \
  X(cuMemHostGetDevicePointer_v2, (unsigned long long *address, void *start, unsigned flags), (address, start, flags)) \
  X(cuGraphInstantiateWithFlags, (void **executable, void *graph, unsigned long long flags),                           \
    (executable, graph, flags))                                                                                        \
  X(cuGraphDestroy, (void *graph), (graph))                                                                            \
  X(cuGraphExecDestroy, (void *executable), (executable))                                                              \
  X(cuThreadExchangeStreamCaptureMode, (unsigned *mode), (mode))

#define FIELD(name, parameters) unsigned(*name) parameters;
#define FORWARDED_FIELD(name, parameters, arguments) FIELD(name, parameters)
static struct below { FUNCTIONS(FIELD) FORWARDED(FORWARDED_FIELD) } below;

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
#define LOOK_UP(name, ...) look_up(library, &below.name, #name);
  FUNCTIONS(LOOK_UP)
  FORWARDED(LOOK_UP)
}

/* A wait as NVIDIA's driver waits by default: it keeps a core. */
static inline unsigned spin_while_pending(unsigned (*query)(void *), void *handle) {
  enum { NOT_READY_CODE = 600 };
  unsigned code;
  while ((code = query(handle)) == NOT_READY_CODE) {}
  return code;
}

#endif
