/* A known number of mistakes, leaks and calls, which GEVT_LOG, GEVT_LEAKS and GEVT_STATS must report. Each is at a place that
   has a name: the program is linked with -rdynamic, and built with no jumps instead of last calls. The standard output says
   what must be reported, and run.sh compares. */
#include "case.h"

#define PLACE __attribute__((noinline, used))

PLACE int query_destroyed(CUevent event) {
  return cuEventQuery(event);
}
PLACE int query_destroyed_elsewhere(CUevent event) {
  return cuEventQuery(event);
}
PLACE int record_on_destroyed(CUevent event, CUstream stream) {
  return cuEventRecord(event, stream);
}
PLACE int destroy_twice(CUevent event) {
  return cuEventDestroy_v2(event);
}
PLACE int wait_for_small(CUstream stream) {
  return cuStreamWaitEvent(stream, (CUevent)0x10, 0);
}

/* Five mistakes at five places, each of them several times; then one place that makes two kinds of them. */
CASE(mistakes) {
  /* A compiler that lays the loops out flat would make more places of one. */
  volatile int i;
  CUevent event = event_with(0), gone = event_with(0);
  CUstream stream = new_stream(), over = new_stream();
  OK(cuEventDestroy_v2(gone));
  OK(cuStreamDestroy_v2(over));
  for (i = 0; i < 4; i++) {
    GIVES(CUDA_ERROR_INVALID_HANDLE, query_destroyed(gone));
    GIVES(CUDA_ERROR_INVALID_HANDLE, query_destroyed_elsewhere(gone));
    GIVES(CUDA_ERROR_INVALID_HANDLE, record_on_destroyed(event, over));
    GIVES(CUDA_ERROR_INVALID_HANDLE, destroy_twice(gone));
    GIVES(CUDA_ERROR_INVALID_HANDLE, wait_for_small(stream));
  }
  for (i = 0; i < 2; i++) GIVES(CUDA_ERROR_INVALID_HANDLE, query_destroyed((CUevent)0x10));
  /* No mistakes. */
  OK(query_destroyed(event));
  OK(cuEventRecord(event, stream));
  OK(cuEventSynchronize(event));
  OK(cuEventDestroy_v2(event));
  puts("query_destroyed\nquery_destroyed_elsewhere\nrecord_on_destroyed\ndestroy_twice\nwait_for_small\nquery_"
       "destroyed");
}

PLACE CUevent make_and_forget(void) {
  CUevent event = NULL;
  int code = cuEventCreate(&event, 0);
  return code ? NULL : event;
}
PLACE CUevent make_and_end(void) {
  CUevent event = NULL;
  int code = cuEventCreate(&event, 0);
  return code ? NULL : event;
}

CASE(leaks) {
  int i;
  for (i = 0; i < 3; i++) CHECK(make_and_forget());
  for (i = 0; i < 3; i++) OK(cuEventDestroy_v2(make_and_end()));
  puts("make_and_forget\nmake_and_forget\nmake_and_forget");
}

CASE(no_leaks) {
  OK(cuEventDestroy_v2(make_and_end()));
}

CASE(calls) {
  int i;
  CUstream stream = new_stream();
  CUevent event = event_with(0);
  for (i = 0; i < 5; i++) OK(cuEventQuery(event));
  OK(cuEventRecord(event, stream));
  OK(cuEventSynchronize(event));
  for (i = 0; i < 100; i++) OK(cuEventQuery(event));
  for (i = 0; i < 10; i++) OK(cuEventSynchronize(event));
  OK(cuEventDestroy_v2(event));
  puts("cuEventQuery 105 104\ncuEventSynchronize 11 0\ncuEventRecord 1 0");
}

MAIN
