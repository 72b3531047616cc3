/* A program that is linked with the drop-in alone, and finds the rest of the driver itself. It calls an event function
   before it has loaded the driver. */
#include "exercise.h"

#include "../driver/cuda.h"

int main(void) {
  int (*init)(unsigned), (*retain)(void **, int), (*set_current)(void *);
  void *driver, *context;
  CUevent event;
  /* The answer is the same without a driver and with one that was not initialized. */
  GIVES(CUDA_ERROR_NOT_INITIALIZED, cuEventCreate(&event, 0));
  driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver) {
    puts("no driver");
    return 0;
  }
  find(&init, driver, "cuInit");
  find(&retain, driver, "cuDevicePrimaryCtxRetain");
  find(&set_current, driver, "cuCtxSetCurrent");
  OK(init(0));
  OK(retain(&context, 0));
  OK(set_current(context));
  OK(cuEventCreate(&event, 0));
  OK(cuEventRecord(event, NULL));
  OK(cuEventSynchronize(event));
  OK(cuEventQuery(event));
  OK(cuEventDestroy_v2(event));
  GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventQuery(event));
  puts("done");
  return 0;
}
