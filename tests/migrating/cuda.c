/* Runs the two programs of docs/MIGRATING.md, over libcudart: cuda_before.c, and with -DAFTER cuda_after.c. The copy takes a while, and
 * the computation must not begin before it. ci/docs.sh extracts the programs. NVIDIA's headers are not needed. */
#define _POSIX_C_SOURCE 199309L /* nanosleep */
#include <gevt.h>
#include <stdio.h>
#include <time.h>

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
enum { cudaErrorNotReady = 600, cudaEventDisableTiming = 2 };
int cudaStreamCreate(cudaStream_t *stream);
int cudaStreamDestroy(cudaStream_t stream);
int cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
int cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void *), void *user);
int cudaEventCreate(cudaEvent_t *event);
int cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
int cudaEventDestroy(cudaEvent_t event);
int cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
int cudaEventQuery(cudaEvent_t event);
int cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end);

enum { COMPUTES_MS = 20 };
static int copied_first, is_copied, polls;

static void sleeps(long ms) {
  struct timespec pause = {0, ms * 1000000};
  nanosleep(&pause, NULL);
}
static void copies_slowly(void *user) {
  (void)user;
  sleeps(50);
  is_copied = 1;
}
static void computes(void *user) {
  (void)user;
  copied_first = is_copied;
  sleeps(COMPUTES_MS);
}
static void copy(cudaStream_t stream) {
  cudaLaunchHostFunc(stream, copies_slowly, NULL);
}
static void compute(cudaStream_t stream) {
  cudaLaunchHostFunc(stream, computes, NULL);
}
static void other_work(void) {
  polls++;
  sleeps(1);
}

#ifdef AFTER
#include "cuda_after.c"
#else
#include "cuda_before.c"
#endif

int main(void) {
  cudaStream_t copies, kernels;
  float ms;
  if (cudaStreamCreate(&copies) || cudaStreamCreate(&kernels)) return 2;
  ms = step(copies, kernels);
  printf("%.3f ms, %d polls\n", ms, polls);
  if (cudaStreamDestroy(copies) || cudaStreamDestroy(kernels)) return 2;
  if (gevt_live_events()) return 3;
  return copied_first && polls > 0 && ms >= COMPUTES_MS ? 0 : 1;
}
