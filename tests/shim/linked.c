/* A program that is linked to libcuda. Built with PER_THREAD, it calls the forms whose default stream is the calling thread's
   own. */
#include "exercise.h"

#include "cuda.h"

#ifdef PER_THREAD
#define FORM(name) name##_ptsz
#else
#define FORM(name) name
#endif

int main(void) {
  struct api api;
  CUdevice device;
  CUcontext context, current;
  OK(cuInit(0));
  OK(cuDeviceGet(&device, 0));
  OK(cuDevicePrimaryCtxRetain(&context, device));
  OK(cuCtxSetCurrent(context));
  LINKED(stream_create, cuStreamCreate);
  LINKED(stream_destroy, cuStreamDestroy_v2);
  LINKED(stream_wait, FORM(cuStreamWaitEvent));
  LINKED(launch_host, FORM(cuLaunchHostFunc));
  LINKED(event_create, cuEventCreate);
  LINKED(event_destroy, cuEventDestroy_v2);
  LINKED(event_query, cuEventQuery);
  LINKED(event_sync, cuEventSynchronize);
  LINKED(event_record, FORM(cuEventRecord));
  LINKED(event_record_with_flags, FORM(cuEventRecordWithFlags));
  LINKED(event_elapsed, cuEventElapsedTime);
  expect_library("cuEventRecord", address_of((void (*)(void))FORM(cuEventRecord)));
  exercise(&api);
  OK(cuCtxGetCurrent(&current));
  CHECK(current == context);
  return 0;
}
