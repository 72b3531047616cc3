/* A program of cases. Each runs in its own process: PROGRAM list names them, PROGRAM CASE runs one. */
#ifndef SHIM_TESTS_CASE_H
#define SHIM_TESTS_CASE_H

#include "check.h"
#include "../driver/cuda.h"

struct test_case {
  const char *name;
  void (*run)(void);
};

static struct test_case cases[64];
static size_t case_count;
static CUcontext case_context; /* the primary one, which is current when a case begins */

#define CASE(name)                                                                                                     \
  static void name(void);                                                                                              \
  __attribute__((constructor)) static void add_##name(void) {                                                          \
    cases[case_count++] = (struct test_case){#name, name};                                                             \
  }                                                                                                                    \
  static void name(void)

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

static inline int run_case(int argc, char **argv) {
  int is_list = argc == 2 && strcmp(argv[1], "list") == 0;
  size_t i;
  for (i = 0; i < case_count; i++) {
    if (is_list) puts(cases[i].name);
    if (argc != 2 || strcmp(argv[1], cases[i].name) != 0) continue;
    case_context = begin();
    cases[i].run();
    return 0;
  }
  return is_list ? 0 : 64;
}

#define MAIN                                                                                                           \
  int main(int argc, char **argv) {                                                                                    \
    return run_case(argc, argv);                                                                                       \
  }

#endif
