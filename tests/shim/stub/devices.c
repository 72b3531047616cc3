/* Waits for an interprocess event by a stream of another device, where the driver crashes, are refused. */
#include "../case.h"
#include "driver.h"

#include <stdint.h>

static CUcontext here, there;
static CUstream stream;

/* The stream is the first device's; the second one is current. */
static void begin_two(void) {
  here = case_context;
  OK(cuDevicePrimaryCtxRetain(&there, 1));
  stream = new_stream();
  OK(cuCtxSetCurrent(there));
}

static CUevent imported(void) {
  CUevent event;
  CUipcEventHandle handle = {0};
  OK(cuIpcOpenEventHandle(&event, handle));
  return event;
}

static CUevent exported(void) {
  CUipcEventHandle handle;
  CUevent event = event_with(CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
  OK(cuIpcGetEventHandle(&handle, event));
  return event;
}

static void is_refused(CUstream waiting, CUevent event) {
  int waits = stub_calls("cuStreamWaitEvent");
  CUcontext before, after;
  OK(cuCtxGetCurrent(&before));
  GIVES(CUDA_ERROR_NOT_SUPPORTED, cuStreamWaitEvent(waiting, event, 0));
  GIVES(waits, stub_calls("cuStreamWaitEvent"));
  OK(cuCtxGetCurrent(&after));
  CHECK(before == after);
}

CASE(imported_event) {
  begin_two();
  CUevent event = imported();
  is_refused(stream, event);
  OK(cuCtxSetCurrent(here));
  is_refused(stream, event);
}

CASE(exported_event) {
  begin_two();
  is_refused(stream, exported());
}

/* A default stream belongs to the context that is current. */
CASE(default_streams) {
  uintptr_t number;
  begin_two();
  CUevent event = imported();
  OK(cuCtxSetCurrent(here));
  for (number = 0; number < 3; number++) is_refused((CUstream)number, event);
  GIVES(CUDA_ERROR_NOT_SUPPORTED, cuStreamWaitEvent_ptsz(NULL, event, 0));
  GIVES(0, stub_calls("cuStreamWaitEvent_ptsz"));
}

/* What the driver can do, it does itself. */
CASE(waits_that_the_driver_can_do) {
  CUevent event;
  begin_two();
  CUstream other = new_stream();
  OK(cuStreamWaitEvent(other, imported(), 0));
  OK(cuStreamWaitEvent(other, exported(), 0));
  OK(cuStreamWaitEvent(NULL, exported(), 0));
  OK(cuStreamWaitEvent(stream, event_with(0), 0));
  GIVES(4, stub_calls("cuStreamWaitEvent"));
  /* An ordinary event at the pointer of one that was shared. */
  event = exported();
  OK(cuEventDestroy_v2(event));
  CHECK(event_with(0) == event);
  OK(cuStreamWaitEvent(stream, event, 0));
  GIVES(5, stub_calls("cuStreamWaitEvent"));
}

MAIN
