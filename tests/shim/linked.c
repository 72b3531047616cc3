/* A program that is linked to libcuda. Built with PER_THREAD, it calls the forms whose default stream is the calling thread's
   own. */
#include "exercise.h"

#include "../driver/cuda.h"

#ifdef PER_THREAD
#define OF_DRIVER(field, parameters, name, since, exported, per_thread, runtime) LINKED(field, per_thread);
#else
#define OF_DRIVER(field, parameters, name, since, exported, per_thread, runtime) LINKED(field, exported);
#endif

int main(void) {
  struct api api;
  CUdevice device;
  CUcontext context, current;
  OK(cuInit(0));
  OK(cuDeviceGet(&device, 0));
  OK(cuDevicePrimaryCtxRetain(&context, device));
  OK(cuCtxSetCurrent(context));
  FUNCTIONS(OF_DRIVER)
  /* The form that programs from before CUDA 12.8 are linked with. */
  LINKED(event_elapsed, cuEventElapsedTime);
  expect_library("cuEventRecord", address_of((void (*)(void))api.event_record));
  exercise(&api);
  OK(cuCtxGetCurrent(&current));
  CHECK(current == context);
  return 0;
}
