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

static void *library_below;

static void __attribute__((constructor)) load(void) {
  const char *path = getenv("STRICT_DRIVER_BELOW");
  library_below = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!library_below) {
    fprintf(stderr, "STRICT_DRIVER_BELOW names no driver: %s\n", path ? dlerror() : "it is not set");
    abort();
  }
}

typedef void any_function(void);

static any_function *function_below(const char *name) {
  void *symbol = dlsym(library_below, name);
  any_function *function;
  memcpy(&function, &symbol, sizeof function);
  return function;
}

/* The function of that name below, with the parameters of the one above. It is looked up once: a lookup before each call would be a pause between
   a program's check of a handle and its use. */
#define BELOW(name)                                                                                                    \
  (*__extension__({                                                                                                    \
    static __typeof__(name) *found_;                                                                                   \
    if (!__atomic_load_n(&found_, __ATOMIC_RELAXED))                                                                   \
      __atomic_store_n(&found_, (__typeof__(name) *)function_below(#name), __ATOMIC_RELAXED);                          \
    found_;                                                                                                            \
  }))

/* Called before they are defined. */
unsigned cuCtxSetCurrent(void *context);
unsigned cuLaunchHostFunc(void *stream, void (*function)(void *), void *user);

/* A wait as NVIDIA's driver waits by default: it keeps a core. */
static inline unsigned spin_while_pending(unsigned (*query)(void *), void *handle) {
  enum { NOT_READY_CODE = 600 };
  unsigned code;
  while ((code = query(handle)) == NOT_READY_CODE) {}
  return code;
}

#endif
