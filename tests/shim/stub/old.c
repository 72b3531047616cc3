/* A driver from before CUDA 12: what it lacks, the drop-in does not have either. */
#include "../case.h"
#include "driver.h"

CASE(absent_functions) {
  CUevent event;
  CUresult (*elapsed)(float *ms, CUevent start, CUevent end);
  void *address = &event;
  float ms = -7;
  event = event_with(0);
  OK(cuEventRecord(event, NULL));
  OK(cuEventElapsedTime(&ms, event, event));
  CHECK(ms == 2);
  CHECK(dlsym(RTLD_DEFAULT, "cuEventElapsedTime"));
  CHECK(!dlsym(RTLD_DEFAULT, "cuEventElapsedTime_v2"));
  CHECK(!dlsym(RTLD_DEFAULT, "cuGetProcAddress_v2"));
  GIVES(CUDA_ERROR_NOT_FOUND, cuGetProcAddress("cuGreenCtxRecordEvent", &address, 13000, 0));
  CHECK(!address);
  /* The form that the driver has, for any version. */
  OK(cuGetProcAddress("cuEventElapsedTime", &address, 13000, 0));
  memcpy(&elapsed, &address, sizeof elapsed);
  OK(elapsed(&ms, event, event));
  GIVES(2, stub_calls("cuEventElapsedTime"));
  /* A destroyed event tells the drop-in's function from the driver's, which would crash. */
  OK(cuEventDestroy_v2(event));
  GIVES(CUDA_ERROR_INVALID_HANDLE, elapsed(&ms, event, event));
}

MAIN
