/* Ways past the drop-in: once one shows, the driver is asked about every event. The stand-in for the driver counts. */
#include "asked.h"

CASE(object_that_prefers_its_own) {
  CUevent event = finished(NULL);
  CHECK(dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL));
  GIVES(0, asked(event));
  CHECK(dlopen("libutil.so.1", RTLD_NOW | RTLD_DEEPBIND));
  GIVES(2, asked(event));
}

/* The loader's own lookup finds the driver's own record. */
CASE(look_up_of_libc_itself) {
  CUevent event = finished(NULL), gone = event_with(0);
  void *(*look_up)(void *handle, const char *name);
  CUresult (*record)(CUevent event, CUstream stream);
  CUresult (*create)(CUevent * event, unsigned flags);
  find(&look_up, dlopen("libc.so.6", RTLD_NOW), "dlsym");
  set_function(&record, look_up(dlopen("libcuda.so.1", RTLD_NOW), "cuEventRecord"));
  set_function(&create, look_up(dlopen("libcuda.so.1", RTLD_NOW), "cuEventCreate"));
  OK(record(event, NULL));
  stub_answer("cuEventQuery", CUDA_ERROR_NOT_READY);
  GIVES(CUDA_ERROR_NOT_READY, cuEventQuery(event));
  stub_answer("cuEventQuery", 0);
  /* One that was destroyed in sight, and made again out of sight. */
  OK(cuEventDestroy_v2(gone));
  OK(create(&gone, 0));
  OK(cuEventQuery(gone));
  OK(cuEventDestroy_v2(gone));
}

CASE(record_of_a_newer_driver) {
  CUevent event = finished(NULL);
  void *address = NULL;
  CUresult (*record)(CUevent event, CUstream stream, unsigned flags);
  OK(cuGetProcAddress("cuEventRecord", &address, 13000, 0));
  GIVES(0, asked(event));
  OK(cuGetProcAddress("cuEventRecord", &address, 14000, 0));
  memcpy(&record, &address, sizeof record);
  OK(record(event, NULL, 0));
  GIVES(2, asked(event));
}

CASE(function_of_a_newer_driver) {
  CUevent event = finished(NULL);
  CHECK(!dlsym(RTLD_DEFAULT, "cuEventNothing"));
  GIVES(0, asked(event));
  CHECK(dlsym(RTLD_DEFAULT, "cuEventRecord_v2"));
  GIVES(2, asked(event));
}

/* Functions that are new and make no difference. */
CASE(no_function_around_events) {
  CUevent event = finished(NULL);
  void *address = NULL;
  OK(cuGetProcAddress("cuCtxGetDevice", &address, 14000, 0));
  (void)cuGetProcAddress("cuMemcpy", &address, 14000, 0);
  (void)dlsym(RTLD_DEFAULT, "dlsym");
  (void)dlsym(RTLD_DEFAULT, "cudaEventRecord");
  GIVES(0, asked(event));
}

/* Started with another library's dlsym in front. */
CASE(front_look_up) {
  CUevent event = event_with(0);
  OK(cuEventRecord(event, NULL));
  OK(cuEventQuery(event));
  GIVES(2, asked(event));
}

MAIN
