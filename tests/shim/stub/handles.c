/* Handles that were destroyed, and values that cannot be handles: they are refused, and the driver, which would crash, is not
   asked. The stand-in for the driver ends the process where it is. */
#include "../case.h"
#include "driver.h"

#include <stdint.h>
#include <sys/mman.h>

#define REFUSED(call) GIVES(CUDA_ERROR_INVALID_HANDLE, call)

/* Every call that takes an event. */
static void all_refuse(CUevent bad) {
  CUstream stream = new_stream();
  CUevent good = event_with(0);
  CUipcEventHandle handle;
  CUgraphNode node;
  CUgraphNodeParams parameters;
  float ms = -7;
  int i;
  REFUSED(cuEventQuery(bad));
  REFUSED(cuEventSynchronize(bad));
  REFUSED(cuEventRecord(bad, stream));
  REFUSED(cuEventRecord_ptsz(bad, stream));
  REFUSED(cuEventRecordWithFlags(bad, stream, 0));
  REFUSED(cuEventRecordWithFlags_ptsz(bad, stream, 0));
  REFUSED(cuStreamWaitEvent(stream, bad, 0));
  REFUSED(cuStreamWaitEvent_ptsz(stream, bad, 0));
  REFUSED(cuEventElapsedTime(&ms, bad, good));
  REFUSED(cuEventElapsedTime(&ms, good, bad));
  REFUSED(cuEventElapsedTime_v2(&ms, bad, good));
  REFUSED(cuEventElapsedTime_v2(&ms, good, bad));
  CHECK(ms == -7);
  REFUSED(cuIpcGetEventHandle(&handle, bad));
  REFUSED(cuCtxRecordEvent(NULL, bad));
  REFUSED(cuCtxWaitEvent(NULL, bad));
  REFUSED(cuGreenCtxRecordEvent(NULL, bad));
  REFUSED(cuGreenCtxWaitEvent(NULL, bad));
  REFUSED(cuGraphAddEventRecordNode(&node, NULL, NULL, 0, bad));
  REFUSED(cuGraphAddEventWaitNode(&node, NULL, NULL, 0, bad));
  REFUSED(cuGraphEventRecordNodeSetEvent(NULL, bad));
  REFUSED(cuGraphEventWaitNodeSetEvent(NULL, bad));
  REFUSED(cuGraphExecEventRecordNodeSetEvent(NULL, NULL, bad));
  REFUSED(cuGraphExecEventWaitNodeSetEvent(NULL, NULL, bad));
  memset(&parameters, 0, sizeof parameters);
  parameters.of.event.event = bad;
  for (i = 0; i < 2; i++) {
    parameters.type = i == 0 ? CU_GRAPH_NODE_TYPE_EVENT_RECORD : CU_GRAPH_NODE_TYPE_WAIT_EVENT;
    REFUSED(cuGraphAddNode(&node, NULL, NULL, 0, &parameters));
    REFUSED(cuGraphNodeSetParams(NULL, &parameters));
    REFUSED(cuGraphExecNodeSetParams(NULL, NULL, &parameters));
  }
  REFUSED(cuEventDestroy(bad));
  REFUSED(cuEventDestroy_v2(bad));
  OK(cuEventDestroy_v2(good));
  OK(cuStreamDestroy_v2(stream));
}

static void stream_is_refused(CUstream bad) {
  CUevent event = event_with(0);
  REFUSED(cuEventRecord(event, bad));
  REFUSED(cuEventRecord_ptsz(event, bad));
  REFUSED(cuEventRecordWithFlags(event, bad, 0));
  REFUSED(cuEventRecordWithFlags_ptsz(event, bad, 0));
  REFUSED(cuStreamWaitEvent(bad, event, 0));
  REFUSED(cuStreamWaitEvent_ptsz(bad, event, 0));
  /* It is still the event that it was. */
  OK(cuEventQuery(event));
  OK(cuEventRecord(event, NULL));
  OK(cuEventSynchronize(event));
  OK(cuEventDestroy_v2(event));
}

/* An address that nothing is at. */
static void *unmapped(void) {
  void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED);
  OK(munmap(page, 4096));
  return page;
}

static void destroyed_event(void) {
  CUevent event;
  begin();
  event = event_with(0);
  OK(cuEventDestroy_v2(event));
  REFUSED(cuEventQuery(event));
  REFUSED(cuEventDestroy_v2(event));
  REFUSED(cuEventDestroy(event));
  GIVES(1, stub_calls("cuEventDestroy_v2"));
}

static void destroyed_event_in_every_call(void) {
  CUevent low, event;
  begin();
  low = event_with(0);
  event = event_with(0);
  OK(cuEventDestroy(event));
  OK(cuEventDestroy_v2(low));
  /* all_refuse makes one event, which takes the lower place. */
  all_refuse(event);
}

static void small_and_unaligned(void) {
  CUevent event;
  begin();
  event = event_with(0);
  all_refuse((CUevent)0x10);
  all_refuse((CUevent)1);
  all_refuse((CUevent)0xfff8);
  all_refuse((CUevent)((uintptr_t)event + 4));
  all_refuse((CUevent)((uintptr_t)event + 1));
  stream_is_refused((CUstream)0x10);
  stream_is_refused((CUstream)3);
  stream_is_refused((CUstream)((uintptr_t)new_stream() + 4));
}

static void unmapped_addresses(void) {
  begin();
  all_refuse((CUevent)unmapped());
  stream_is_refused((CUstream)unmapped());
  all_refuse((CUevent)0x7ffffffffffffff8);
  stream_is_refused((CUstream)UINTPTR_MAX);
  stream_is_refused((CUstream)(UINTPTR_MAX - 7));
}

static void null_is_the_drivers(void) {
  begin();
  REFUSED(cuEventQuery(NULL));
  GIVES(1, stub_calls("cuEventQuery"));
  REFUSED(cuEventDestroy_v2(NULL));
  GIVES(1, stub_calls("cuEventDestroy_v2"));
  REFUSED(cuEventRecord(NULL, NULL));
  GIVES(1, stub_calls("cuEventRecord"));
  GIVES(CUDA_ERROR_INVALID_VALUE, cuEventCreate(NULL, 0));
  GIVES(1, stub_calls("cuEventCreate"));
  GIVES(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(NULL, 0));
}

static void default_streams(void) {
  CUevent event;
  uintptr_t i;
  begin();
  event = event_with(0);
  for (i = 0; i < 3; i++) {
    OK(cuEventRecord(event, (CUstream)i));
    OK(cuStreamWaitEvent((CUstream)i, event, 0));
  }
}

static void destroyed_stream(void) {
  CUstream stream, other;
  begin();
  stream = new_stream();
  other = new_stream();
  OK(cuStreamDestroy_v2(stream));
  stream_is_refused(stream);
  /* The driver issues it again. */
  GIVES((uintptr_t)stream, (uintptr_t)new_stream());
  OK(cuEventRecord(event_with(0), stream));
  OK(cuStreamDestroy_v2(stream));
  OK(cuStreamCreateWithPriority(&stream, 0, 0));
  OK(cuEventRecord(event_with(0), stream));
  OK(cuStreamDestroy_v2(other));
  stream_is_refused(other);
}

static void destroy_that_is_refused(void) {
  CUstream stream;
  CUevent event;
  begin();
  stream = new_stream();
  event = event_with(0);
  stub_answer("cuEventDestroy_v2", CUDA_ERROR_INVALID_VALUE);
  GIVES(CUDA_ERROR_INVALID_VALUE, cuEventDestroy_v2(event));
  stub_answer("cuEventDestroy_v2", 0);
  OK(cuEventQuery(event));
  OK(cuEventRecord(event, stream));
  OK(cuEventSynchronize(event));
  stub_answer("cuStreamDestroy_v2", CUDA_ERROR_INVALID_VALUE);
  GIVES(CUDA_ERROR_INVALID_VALUE, cuStreamDestroy_v2(stream));
  stub_answer("cuStreamDestroy_v2", 0);
  OK(cuEventRecord(event, stream));
  OK(cuStreamDestroy_v2(stream));
  OK(cuEventDestroy_v2(event));
  REFUSED(cuEventDestroy_v2(event));
}

/* An address that is issued again is a new event: never recorded, and nothing that was known of the old one holds. */
static void reissued_event(void) {
  CUstream stream;
  CUevent event, again;
  CUipcEventHandle handle;
  begin();
  stream = new_stream();
  event = event_with(0);
  OK(cuIpcGetEventHandle(&handle, event));
  OK(cuEventRecord(event, stream));
  OK(cuEventSynchronize(event));
  OK(cuEventDestroy_v2(event));
  again = event_with(0);
  CHECK(again == event);
  OK(cuEventQuery(again));
  stub_answer("cuEventQuery", CUDA_ERROR_NOT_READY);
  OK(cuEventRecord(again, stream));
  GIVES(CUDA_ERROR_NOT_READY, cuEventQuery(again));
  stub_answer("cuEventQuery", 0);
  OK(cuEventQuery(again));
  stub_answer("cuEventQuery", CUDA_ERROR_NOT_READY);
  OK(cuEventQuery(again));
  OK(cuEventDestroy_v2(again));
}

/* A driver may give one pointer for several opens of one handle: it lives until it was destroyed as often. */
static void event_that_is_opened_twice(void) {
  CUevent event, again;
  CUipcEventHandle handle;
  int round;
  begin();
  memset(&handle, 0, sizeof handle);
  handle.bytes[1] = 7;
  for (round = 0; round < 2; round++) {
    OK(cuIpcOpenEventHandle(&event, handle));
    OK(cuEventRecord(event, NULL));
    OK(cuEventSynchronize(event));
    OK(cuIpcOpenEventHandle(&again, handle));
    CHECK(again == event);
    stub_answer("cuEventQuery", CUDA_ERROR_NOT_READY);
    GIVES(CUDA_ERROR_NOT_READY, cuEventQuery(event));
    stub_answer("cuEventQuery", 0);
    stub_answer("cuEventDestroy_v2", CUDA_ERROR_INVALID_VALUE);
    GIVES(CUDA_ERROR_INVALID_VALUE, cuEventDestroy_v2(again));
    stub_answer("cuEventDestroy_v2", 0);
    OK(cuEventDestroy_v2(again));
    OK(cuEventQuery(event));
    OK(cuEventRecord(event, NULL));
    OK(cuEventDestroy_v2(event));
    REFUSED(cuEventQuery(event));
    REFUSED(cuEventDestroy_v2(event));
  }
  /* An event of this process at the same address is destroyed once. */
  OK(cuIpcOpenEventHandle(&event, handle));
  OK(cuIpcOpenEventHandle(&again, handle));
  OK(cuEventDestroy_v2(event));
  OK(cuEventDestroy_v2(event));
  while ((again = event_with(0)) != event) continue;
  OK(cuEventDestroy_v2(event));
  REFUSED(cuEventDestroy_v2(event));
}

/* An event that we did not see made goes to the driver, every time. */
static void foreign_event(void) {
  CUevent event;
  CUipcEventHandle handle;
  float ms;
  int i;
  begin();
  event = stub_event();
  for (i = 1; i <= 3; i++) {
    OK(cuEventQuery(event));
    GIVES(i, stub_calls("cuEventQuery"));
    OK(cuEventSynchronize(event));
    GIVES(i, stub_calls("cuEventSynchronize"));
  }
  OK(cuEventRecord(event, new_stream()));
  OK(cuStreamWaitEvent(NULL, event, 0));
  OK(cuEventElapsedTime(&ms, event, event_with(0)));
  OK(cuIpcGetEventHandle(&handle, event));
  OK(cuEventQuery(event));
  GIVES(4, stub_calls("cuEventQuery"));
  OK(cuEventDestroy_v2(event));
}

/* A pointer that was destroyed in sight and issued again out of sight is refused, unless something shows that events are made there. */
static void event_issued_again_out_of_sight(void) {
  CUevent event, other;
  begin();
  event = event_with(0);
  OK(cuEventDestroy_v2(event));
  CHECK(stub_event() == event);
  REFUSED(cuEventQuery(event));
  other = stub_event();
  OK(cuEventQuery(other));
  OK(cuEventQuery(event));
  OK(cuEventRecord(event, NULL));
  OK(cuEventDestroy_v2(event));
}

/* An event that was not seen made may come back as often as it likes. */
static void foreign_event_again(void) {
  CUevent event;
  int i;
  begin();
  event = stub_event();
  for (i = 0; i < 3; i++) {
    OK(cuEventRecord(event, NULL));
    OK(cuEventDestroy_v2(event));
    CHECK(stub_event() == event);
  }
  OK(cuEventQuery(event));
}

/* The driver is asked about a stream that was not seen made, once. */
static void foreign_stream(void) {
  CUstream stream;
  int i;
  begin();
  stream = stub_new_stream();
  for (i = 0; i < 3; i++) {
    OK(cuEventRecord(event_with(0), stream));
    OK(cuStreamQuery(stream));
  }
  GIVES(1, stub_calls("cuStreamGetId"));
  OK(cuStreamDestroy_v2(stream));
  REFUSED(cuStreamQuery(stream));
}

/* As an event. The driver then says which pointers live. */
static void stream_issued_again_out_of_sight(void) {
  CUstream stream, gone;
  begin();
  stream = new_stream();
  gone = new_stream();
  OK(cuStreamDestroy_v2(gone));
  OK(cuStreamDestroy_v2(stream));
  CHECK(stub_new_stream() == stream);
  REFUSED(cuStreamQuery(stream));
  GIVES(0, stub_calls("cuStreamGetId"));
  OK(cuEventQuery(stub_event()));
  OK(cuStreamQuery(stream));
  OK(cuEventRecord(event_with(0), stream));
  GIVES(1, stub_calls("cuStreamGetId"));
  stream_is_refused(gone);
}

/* GEVT_SHIM=strict refuses every handle whose creation was not seen. */
static void strict_foreign_event(void) {
  static char junk[4096];
  int before;
  begin();
  all_refuse(stub_event());
  all_refuse((CUevent)(((uintptr_t)junk + 63) & ~(uintptr_t)63));
  stream_is_refused((CUstream)(((uintptr_t)junk + 63) & ~(uintptr_t)63));
  before = stub_calls("cuEventQuery");
  REFUSED(cuEventQuery(NULL));
  GIVES(before + 1, stub_calls("cuEventQuery"));
  default_streams();
}

/* With GEVT_SHIM=off all goes to the driver. */
static void off_forwards(void) {
  CUevent event;
  int i;
  begin();
  event = event_with(0);
  for (i = 1; i <= 3; i++) {
    OK(cuEventQuery(event));
    GIVES(i, stub_calls("cuEventQuery"));
  }
  OK(cuEventRecord(event, new_stream()));
  OK(cuEventSynchronize(event));
  OK(cuEventQuery(event));
  GIVES(4, stub_calls("cuEventQuery"));
  stub_answer("cuEventQuery", 12345);
  GIVES(12345, cuEventQuery(event));
  OK(cuEventDestroy_v2(event));
  GIVES(12345, cuEventQuery(event));
}

/* An unknown code is passed through. */
static void unknown_codes(void) {
  CUevent event;
  begin();
  event = event_with(0);
  OK(cuEventRecord(event, NULL));
  stub_answer("cuEventSynchronize", 99999);
  GIVES(99999, cuEventSynchronize(event));
  stub_answer("cuEventRecord", -5);
  GIVES(-5, cuEventRecord(event, NULL));
  stub_answer("cuEventCreate", 99999);
  GIVES(99999, cuEventCreate(&event, 0));
}

static const struct test_case cases[] = {
    CASE(destroyed_event),
    CASE(destroyed_event_in_every_call),
    CASE(small_and_unaligned),
    CASE(unmapped_addresses),
    CASE(null_is_the_drivers),
    CASE(default_streams),
    CASE(destroyed_stream),
    CASE(destroy_that_is_refused),
    CASE(reissued_event),
    CASE(foreign_event),
    CASE(strict_foreign_event),
    CASE(off_forwards),
    CASE(unknown_codes),
    CASE(event_that_is_opened_twice),
    CASE(event_issued_again_out_of_sight),
    CASE(foreign_event_again),
    CASE(foreign_stream),
    CASE(stream_issued_again_out_of_sight),
};
MAIN(cases)
