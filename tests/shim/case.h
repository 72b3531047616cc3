/* A program of cases. Each runs in its own process: PROGRAM list names them, PROGRAM CASE runs one. */
#ifndef SHIM_TESTS_CASE_H
#define SHIM_TESTS_CASE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "check.h"
#include "cuda.h"

#include <string.h>

struct test_case {
  const char *name;
  void (*run)(void);
};

#define CASE(name)                                                                                                     \
  { #name, name }

static inline int run_case(const struct test_case *cases, size_t count, int argc, char **argv) {
  size_t i;
  for (i = 0; i < count; i++) {
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
      puts(cases[i].name);
    } else if (argc == 2 && strcmp(argv[1], cases[i].name) == 0) {
      cases[i].run();
      return 0;
    }
  }
  return argc == 2 && strcmp(argv[1], "list") == 0 ? 0 : 64;
}

#define MAIN(cases)                                                                                                    \
  int main(int argc, char **argv) {                                                                                    \
    return run_case(cases, sizeof(cases) / sizeof *(cases), argc, argv);                                               \
  }

static inline CUcontext begin(void) {
  CUcontext context;
  OK(cuInit(0));
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuCtxSetCurrent(context));
  return context;
}

static inline CUevent event_with(unsigned flags) {
  CUevent event;
  OK(cuEventCreate(&event, flags));
  return event;
}

static inline CUstream new_stream(void) {
  CUstream stream;
  OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  return stream;
}

#endif
