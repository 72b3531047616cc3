/* A stand-in for the CUDA driver, built as libcuda.so.1 for loading.c alone. It does as good as nothing; the environment
   variable TEST_DRIVER says what is wrong with it. Built with DRIVER_IS_OLD it lacks what came with CUDA 11.1, and with
   DRIVER_IS_PLAIN what gevt can do without. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SUCCEEDS(name, parameters)                                                                                     \
  unsigned name parameters;                                                                                            \
  unsigned name parameters {                                                                                           \
    return 0;                                                                                                          \
  }
#define GIVES(name, parameters, place, ...)                                                                            \
  unsigned name parameters;                                                                                            \
  unsigned name parameters {                                                                                           \
    place = (__VA_ARGS__);                                                                                             \
    return 0;                                                                                                          \
  }

/* A code that no driver of today has. */
#define NEW_CODE 99999

static char context, stream, events[64];
static int made;

static int is(const char *what) {
  const char *fault = getenv("TEST_DRIVER");
  return fault && strcmp(fault, what) == 0;
}

unsigned cuInit(unsigned flags);
unsigned cuInit(unsigned flags) {
  (void)flags;
  return is("stub") ? 34 : is("too-old") ? 35 : is("no-device") ? 100 : is("broken") ? 999 : 0;
}

unsigned cuEventCreate(void **event, unsigned flags);
unsigned cuEventCreate(void **event, unsigned flags) {
  (void)flags;
  if (is("new-code-create")) return NEW_CODE;
  *event = &events[made++ % 64];
  return 0;
}

static void *late_event;
static long long recorded_at;
static int queries;

static long long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void take_a_break(void) {
  const struct timespec pause = {0, 5000000};
  nanosleep(&pause, NULL);
}

unsigned cuEventRecord(void *event, void *on);
unsigned cuEventRecord(void *event, void *on) {
  (void)on;
  late_event = is("slow") || is("busy") ? event : NULL;
  recorded_at = now_ns();
  queries = 0;
  if (is("slow")) take_a_break();
  return is("new-code-record") ? NEW_CODE : 0;
}

/* TEST_DRIVER=code-NUMBER: queries answer that number. Of an event that was recorded since: slow: the record and the first query take 5 ms
   each, as if the thread had no core, and the query finds it pending; busy: it is pending for 50 ms. */
unsigned cuEventQuery(void *event);
unsigned cuEventQuery(void *event) {
  const char *fault = getenv("TEST_DRIVER");
  if (fault && strncmp(fault, "code-", 5) == 0) return (unsigned)atoi(fault + 5);
  if (event == late_event && is("slow") && queries++ == 0) {
    take_a_break();
    return 600;
  }
  if (event == late_event && is("busy") && now_ns() - recorded_at < 50000000) return 600;
  return is("new-code-query") ? NEW_CODE : 0;
}

GIVES(cuDeviceGetCount, (int *count), *count, is("none") ? 0 : 1)
GIVES(cuDeviceGet, (int *device, int number), *device, number)
GIVES(cuDevicePrimaryCtxRetain, (void **out, int device), *out, (void)device, &context)
GIVES(cuCtxGetCurrent, (void **out), *out, NULL)
GIVES(cuCtxPopCurrent_v2, (void **out), *out, &context)
GIVES(cuCtxGetDevice, (int *device), *device, 0)
GIVES(cuStreamCreate, (void **out, unsigned flags), *out, (void)flags, &stream)
GIVES(cuStreamGetCtx, (void *of, void **out), *out, (void)of, &context)
GIVES(cuStreamIsCapturing, (void *of, unsigned *capturing), *capturing, (void)of, 0)
GIVES(cuEventElapsedTime, (float *ms, void *start, void *end), *ms, (void)start, (void)end, 2)
SUCCEEDS(cuDevicePrimaryCtxRelease_v2, (void))
SUCCEEDS(cuCtxPushCurrent_v2, (void))
SUCCEEDS(cuCtxSynchronize, (void))
SUCCEEDS(cuStreamDestroy_v2, (void))
SUCCEEDS(cuStreamQuery, (void))
SUCCEEDS(cuStreamSynchronize, (void))
SUCCEEDS(cuStreamWaitEvent, (void))
SUCCEEDS(cuLaunchHostFunc, (void))
SUCCEEDS(cuEventSynchronize, (void))
SUCCEEDS(cuEventDestroy_v2, (void))
SUCCEEDS(cuIpcGetEventHandle, (void))
SUCCEEDS(cuIpcOpenEventHandle, (void))
#ifndef DRIVER_IS_OLD
SUCCEEDS(cuEventRecordWithFlags, (void))
#endif
#ifndef DRIVER_IS_PLAIN
unsigned cuCtxGetId(void *of, unsigned long long *id);
unsigned cuCtxGetId(void *of, unsigned long long *id) {
  (void)of;
  *id = 7;
  return is("refuses") ? 800 : is("destroyed") ? 709 : 0;
}
GIVES(cuEventElapsedTime_v2, (float *ms, void *start, void *end), *ms, (void)start, (void)end, 3)
#endif
