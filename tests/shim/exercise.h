/* One round of all that programs do with events, by functions that each program found in its own way. What it prints has to be
   the same with the drop-in and without it; how often it calls what is known to ci/shim.sh. */
#ifndef SHIM_TESTS_EXERCISE_H
#define SHIM_TESTS_EXERCISE_H

#include "check.h"

#include <unistd.h>

/* A function: its parameters, its name for cuGetProcAddress and the version that first had it, the names of its newest form and of that for
   the thread's own stream, and the runtime's name. */
/* clang-format off */
#define FUNCTIONS(F) \
  F(stream_create, (void **stream, unsigned flags), cuStreamCreate, 2000, cuStreamCreate, cuStreamCreate, cudaStreamCreateWithFlags) \
  F(stream_destroy, (void *stream), cuStreamDestroy, 2000, cuStreamDestroy_v2, cuStreamDestroy_v2, cudaStreamDestroy) \
  F(stream_wait, (void *stream, void *event, unsigned flags), \
    cuStreamWaitEvent, 3020, cuStreamWaitEvent, cuStreamWaitEvent_ptsz, cudaStreamWaitEvent) \
  F(launch_host, (void *stream, void (*function)(void *), void *user), \
    cuLaunchHostFunc, 10000, cuLaunchHostFunc, cuLaunchHostFunc_ptsz, cudaLaunchHostFunc) \
  F(event_create, (void **event, unsigned flags), cuEventCreate, 2000, cuEventCreate, cuEventCreate, cudaEventCreateWithFlags) \
  F(event_destroy, (void *event), cuEventDestroy, 2000, cuEventDestroy_v2, cuEventDestroy_v2, cudaEventDestroy) \
  F(event_query, (void *event), cuEventQuery, 2000, cuEventQuery, cuEventQuery, cudaEventQuery) \
  F(event_sync, (void *event), cuEventSynchronize, 2000, cuEventSynchronize, cuEventSynchronize, cudaEventSynchronize) \
  F(event_record, (void *event, void *stream), cuEventRecord, 2000, cuEventRecord, cuEventRecord_ptsz, cudaEventRecord) \
  F(event_record_with_flags, (void *event, void *stream, unsigned flags), \
    cuEventRecordWithFlags, 11010, cuEventRecordWithFlags, cuEventRecordWithFlags_ptsz, cudaEventRecordWithFlags) \
  F(event_elapsed, (float *ms, void *start, void *end), \
    cuEventElapsedTime, 2000, cuEventElapsedTime_v2, cuEventElapsedTime_v2, cudaEventElapsedTime)
/* clang-format on */

#define FIELD(field, parameters, ...) int(*field) parameters;
struct api {
  FUNCTIONS(FIELD)
};

static int exercise_gate;

static void exercise_wait(void *user) {
  (void)user;
  while (!__atomic_load_n(&exercise_gate, __ATOMIC_ACQUIRE)) usleep(100);
}

/* The library that an address lies in has to be the one that the environment names. */
static inline void expect_library(const char *what, const void *address) {
  const char *expected = getenv("SHIM_EXPECTS");
  Dl_info info;
  const char *name, *slash;
  if (!expected) return;
  CHECK(dladdr((void *)(size_t)address, &info) && info.dli_fname);
  slash = strrchr(info.dli_fname, '/');
  name = slash ? slash + 1 : info.dli_fname;
  if (strcmp(name, expected) == 0) return;
  fprintf(stderr, "%s is in %s, and has to be in %s\n", what, name, expected);
  exit(1);
}

static inline void *address_of(void (*function)(void)) {
  void *address;
  memcpy(&address, &function, sizeof address);
  return address;
}

/* Sets a field of `api` to a function that the program is linked with. */
#define LINKED(field, name) set_function(&api.field, address_of((void (*)(void))(name)))

#define SHOW(call) printf("%s = %d\n", #call, (call))

static inline void exercise(const struct api *api) {
  void *first, *second, *a, *b, *c;
  float ms = -1;
  int i, finished = 0;
  OK(api->stream_create(&first, 1));
  OK(api->stream_create(&second, 1));
  OK(api->event_create(&a, 0));
  OK(api->event_create(&b, 0));
  OK(api->event_create(&c, 2));
  SHOW(api->event_query(a));
  SHOW(api->event_record(a, first));
  OK(api->launch_host(first, exercise_wait, NULL));
  SHOW(api->event_record(b, first));
  SHOW(api->event_query(b));
  SHOW(api->event_elapsed(&ms, a, b));
  SHOW(api->stream_wait(second, b, 0));
  SHOW(api->event_record_with_flags(c, second, 0));
  SHOW(api->event_query(c));
  __atomic_store_n(&exercise_gate, 1, __ATOMIC_RELEASE);
  SHOW(api->event_sync(b));
  SHOW(api->event_sync(c));
  for (i = 0; i < 10; i++) finished += api->event_query(b) == 0;
  printf("finished %d times\n", finished);
  SHOW(api->event_elapsed(&ms, a, b));
  CHECK(ms >= 0);
  SHOW(api->event_elapsed(&ms, a, c));
  SHOW(api->event_record_with_flags(a, first, 2));
  SHOW(api->event_record(a, NULL));
  SHOW(api->event_sync(a));
  SHOW(api->event_query(NULL));
  SHOW(api->event_destroy(a));
  SHOW(api->event_destroy(b));
  SHOW(api->event_destroy(c));
  SHOW(api->event_destroy(NULL));
  OK(api->stream_destroy(first));
  OK(api->stream_destroy(second));
}

#endif
