/* A program of the runtime API. Which library the runtime's own calls reach it cannot see; GEVT_STATS=1 tells. Built with
   SHIM_NVCC by nvcc on a machine with a GPU, against NVIDIA's own runtime, shared and static. */
#include "exercise.h"

#ifdef SHIM_NVCC
#include <cuda_runtime_api.h>
#else
int cudaStreamCreateWithFlags(void **stream, unsigned flags);
int cudaStreamDestroy(void *stream);
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags);
int cudaLaunchHostFunc(void *stream, void (*function)(void *), void *user);
int cudaEventCreateWithFlags(void **event, unsigned flags);
int cudaEventDestroy(void *event);
int cudaEventQuery(void *event);
int cudaEventSynchronize(void *event);
int cudaEventRecord(void *event, void *stream);
int cudaEventRecordWithFlags(void *event, void *stream, unsigned flags);
int cudaEventElapsedTime(float *ms, void *start, void *end);
int cudaPeekAtLastError(void);
#endif

int main(void) {
  struct api api;
  LINKED(stream_create, cudaStreamCreateWithFlags);
  LINKED(stream_destroy, cudaStreamDestroy);
  LINKED(stream_wait, cudaStreamWaitEvent);
  LINKED(launch_host, cudaLaunchHostFunc);
  LINKED(event_create, cudaEventCreateWithFlags);
  LINKED(event_destroy, cudaEventDestroy);
  LINKED(event_query, cudaEventQuery);
  LINKED(event_sync, cudaEventSynchronize);
  LINKED(event_record, cudaEventRecord);
  LINKED(event_record_with_flags, cudaEventRecordWithFlags);
  LINKED(event_elapsed, cudaEventElapsedTime);
  exercise(&api);
  SHOW((int)cudaPeekAtLastError());
  return 0;
}
