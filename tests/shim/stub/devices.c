/* Waits for an interprocess event by a stream of another device, where the driver crashes: a stream of the drop-in's own on the
   event's device waits for it, and the program's stream for an event that is recorded behind that. */
#include "../case.h"
#include "driver.h"

#include <stdint.h>

static CUcontext here, there;
static CUstream stream;

/* The stream is the first device's; the second one is current. */
static void begin_two(void) {
  here = begin();
  OK(cuDevicePrimaryCtxRetain(&there, 1));
  stream = new_stream();
  OK(cuCtxSetCurrent(there));
}

static CUevent imported(void) {
  CUipcEventHandle handle;
  CUevent event;
  memset(&handle, 0, sizeof handle);
  OK(cuIpcOpenEventHandle(&event, handle));
  return event;
}

static CUevent exported(void) {
  CUipcEventHandle handle;
  CUevent event = event_with(CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
  OK(cuIpcGetEventHandle(&handle, event));
  return event;
}

static void current_is(CUcontext expected) {
  CUcontext context;
  OK(cuCtxGetCurrent(&context));
  CHECK(context == expected);
}

static void all_is_given_back(CUevent next_event, CUstream next_stream) {
  int mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  CHECK(event_with(0) == next_event);
  CHECK(new_stream() == next_stream);
  OK(cuThreadExchangeStreamCaptureMode(&mode));
  GIVES(CU_STREAM_CAPTURE_MODE_GLOBAL, mode);
}

/* The pointers that the driver issues next. */
static CUevent next_event(void) {
  CUevent event = event_with(0);
  OK(cuEventDestroy_v2(event));
  return event;
}
static CUstream next_stream(void) {
  CUstream next = new_stream();
  OK(cuStreamDestroy_v2(next));
  return next;
}

static void stream_waits_for(CUevent event) {
  CUevent own_event = next_event();
  CUstream own_stream = next_stream();
  int waits = stub_calls("cuStreamWaitEvent");
  OK(cuStreamWaitEvent(stream, event, 0));
  GIVES(waits + 2, stub_calls("cuStreamWaitEvent"));
  CHECK(stub_follows(stream) == own_event);
  CHECK(stub_follows(own_event) == own_stream);
  CHECK(stub_follows(own_stream) == event);
  all_is_given_back(own_event, own_stream);
}

static void imported_event(void) {
  CUevent event;
  begin_two();
  event = imported();
  OK(cuCtxSetCurrent(here));
  stream_waits_for(event);
  current_is(here);
}

static void exported_event(void) {
  CUevent event;
  begin_two();
  event = exported();
  stream_waits_for(event);
  current_is(there);
}

/* A default stream belongs to the context that is current. */
static void default_streams(void) {
  CUevent event;
  uintptr_t number;
  begin_two();
  event = imported();
  OK(cuCtxSetCurrent(here));
  for (number = 0; number < 3; number++) {
    int waits = stub_calls("cuStreamWaitEvent");
    OK(cuStreamWaitEvent((CUstream)number, event, 0));
    GIVES(waits + 2, stub_calls("cuStreamWaitEvent"));
  }
  OK(cuStreamWaitEvent_ptsz(NULL, event, 0));
  GIVES(1, stub_calls("cuStreamWaitEvent_ptsz"));
  current_is(here);
}

/* What the driver can do, it does itself. */
static void waits_that_the_driver_can_do(void) {
  CUevent event;
  CUstream other;
  begin_two();
  other = new_stream();
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

static void captured_stream(void) {
  CUevent event;
  CUgraph graph;
  begin_two();
  event = exported();
  OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  GIVES(CUDA_ERROR_NOT_SUPPORTED, cuStreamWaitEvent(stream, event, 0));
  GIVES(CUDA_ERROR_NOT_SUPPORTED, cuStreamWaitEvent(stream, event, 1));
  GIVES(0, stub_calls("cuStreamWaitEvent"));
  OK(cuStreamEndCapture(stream, &graph));
  stream_waits_for(event);
}

/* Whatever the driver refuses, its answer comes through and nothing is left over. */
static void driver_that_refuses(void) {
  static const char *const functions[] = {"cuStreamCreate", "cuEventCreate", "cuStreamWaitEvent", "cuEventRecord",
                                          "cuStreamIsCapturing"};
  CUevent event, own_event;
  CUstream own_stream;
  size_t i;
  begin_two();
  event = imported();
  own_event = next_event();
  own_stream = next_stream();
  OK(cuCtxSetCurrent(here));
  for (i = 0; i < sizeof functions / sizeof *functions; i++) {
    stub_answer(functions[i], 2);
    GIVES(2, cuStreamWaitEvent(stream, event, 0));
    stub_answer(functions[i], 0);
    current_is(here);
  }
  GIVES(CUDA_ERROR_INVALID_VALUE, cuStreamWaitEvent(stream, event, 9));
  all_is_given_back(own_event, own_stream);
}

static const struct test_case cases[] = {
    CASE(imported_event),  CASE(exported_event),      CASE(default_streams), CASE(waits_that_the_driver_can_do),
    CASE(captured_stream), CASE(driver_that_refuses),
};
MAIN(cases)
