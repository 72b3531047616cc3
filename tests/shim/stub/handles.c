/* Handles that were destroyed, and values that cannot be handles: they are refused, and the driver, which would crash, is not
   asked. The stand-in for the driver ends the process where it is. */
#include "../case.h"
#include "driver.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define REFUSED(call) GIVES(CUDA_ERROR_INVALID_HANDLE, call)

/* Every call that takes an event. */
static void all_refuse(CUevent bad) {
  CUstream stream = new_stream();
  CUevent good = event_with(0);
  CUipcEventHandle handle;
  CUgraphNode node;
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
  CUgraphNodeParams parameters = {0};
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

CASE(destroyed_event) {
  CUevent low = event_with(0), event = event_with(0);
  OK(cuEventDestroy(event));
  OK(cuEventDestroy_v2(low));
  /* all_refuse makes one event, which takes the lower place. */
  all_refuse(event);
}

CASE(small_and_unaligned) {
  CUevent event = event_with(0);
  all_refuse((CUevent)0x10);
  all_refuse((CUevent)1);
  all_refuse((CUevent)0xfff8);
  all_refuse((CUevent)((uintptr_t)event + 4));
  all_refuse((CUevent)((uintptr_t)event + 1));
  stream_is_refused((CUstream)0x10);
  stream_is_refused((CUstream)3);
  stream_is_refused((CUstream)((uintptr_t)new_stream() + 4));
}

CASE(unmapped_addresses) {
  all_refuse((CUevent)unmapped());
  stream_is_refused((CUstream)unmapped());
  all_refuse((CUevent)0x7ffffffffffffff8);
  stream_is_refused((CUstream)UINTPTR_MAX);
  stream_is_refused((CUstream)(UINTPTR_MAX - 7));
}

CASE(null_is_the_drivers) {
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

CASE(default_streams) {
  uintptr_t i;
  CUevent event = event_with(0);
  for (i = 0; i < 3; i++) {
    OK(cuEventRecord(event, (CUstream)i));
    OK(cuStreamWaitEvent((CUstream)i, event, 0));
  }
}

CASE(destroyed_stream) {
  CUstream stream = new_stream(), other = new_stream();
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

CASE(destroy_that_is_refused) {
  CUstream stream = new_stream();
  CUevent event = event_with(0);
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
CASE(reissued_event) {
  CUipcEventHandle handle;
  CUstream stream = new_stream();
  CUevent event = event_with(0);
  OK(cuIpcGetEventHandle(&handle, event));
  OK(cuEventRecord(event, stream));
  OK(cuEventSynchronize(event));
  OK(cuEventDestroy_v2(event));
  CUevent again = event_with(0);
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

/* A driver may give one pointer for several opens of one handle: then it alone knows which destroy is the last. */
CASE(event_that_is_opened_twice) {
  CUevent event, again;
  CUipcEventHandle handle = {0};
  handle.bytes[1] = 7;
  OK(cuIpcOpenEventHandle(&event, handle));
  OK(cuEventDestroy_v2(event));
  REFUSED(cuEventDestroy_v2(event));
  OK(cuIpcOpenEventHandle(&event, handle));
  OK(cuIpcOpenEventHandle(&again, handle));
  CHECK(again == event);
  OK(cuEventDestroy_v2(again));
  OK(cuEventRecord(event, NULL));
  OK(cuEventQuery(event));
  OK(cuEventDestroy_v2(event));
  /* An event of this process at the same address is destroyed once. */
  while ((again = event_with(0)) != event) continue;
  OK(cuEventDestroy_v2(event));
  REFUSED(cuEventDestroy_v2(event));
}

/* An event that we did not see made goes to the driver, every time. */
CASE(foreign_event) {
  CUipcEventHandle handle;
  float ms;
  int i;
  CUevent event = stub_event();
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
CASE(event_issued_again_out_of_sight) {
  CUevent event = event_with(0);
  OK(cuEventDestroy_v2(event));
  CHECK(stub_event() == event);
  REFUSED(cuEventQuery(event));
  CUevent other = stub_event();
  OK(cuEventQuery(other));
  OK(cuEventQuery(event));
  OK(cuEventRecord(event, NULL));
  OK(cuEventDestroy_v2(event));
}

/* An event that was not seen made may come back as often as it likes. */
CASE(foreign_event_again) {
  int i;
  CUevent event = stub_event();
  for (i = 0; i < 3; i++) {
    OK(cuEventRecord(event, NULL));
    OK(cuEventDestroy_v2(event));
    CHECK(stub_event() == event);
  }
  OK(cuEventQuery(event));
}

/* The driver is asked about a stream that was not seen made, once. */
CASE(foreign_stream) {
  int i;
  CUstream stream = stub_new_stream();
  for (i = 0; i < 3; i++) {
    OK(cuEventRecord(event_with(0), stream));
    OK(cuStreamQuery(stream));
  }
  GIVES(1, stub_calls("cuStreamGetCtx"));
  OK(cuStreamDestroy_v2(stream));
}

/* As an event. No driver is asked about a destroyed stream, as it may crash. */
CASE(stream_issued_again_out_of_sight) {
  CUstream stream = new_stream();
  OK(cuStreamDestroy_v2(stream));
  CHECK(stub_new_stream() == stream);
  REFUSED(cuStreamQuery(stream));
  OK(cuEventQuery(stub_event()));
  OK(cuStreamQuery(stream));
  OK(cuEventRecord(event_with(0), stream));
  GIVES(0, stub_calls("cuStreamGetCtx"));
}

static int warnings[2];

static void crashed(int signal) {
  char text[512] = {0};
  (void)signal;
  _exit(read(warnings[0], text, sizeof text - 1) > 0 && strstr(text, "a destroyed event or stream was used") ? 0 : 1);
}

/* The driver judges what may live again. It crashes, and the warning comes before. */
CASE(warning_before_a_crash) {
  CUevent event = event_with(0);
  OK(cuEventQuery(stub_event()));
  OK(cuEventDestroy_v2(event));
  CHECK(pipe(warnings) == 0 && fcntl(warnings[0], F_SETFL, O_NONBLOCK) == 0 && dup2(warnings[1], STDERR_FILENO) >= 0);
  signal(SIGILL, crashed);
  signal(SIGTRAP, crashed);
  (void)cuEventQuery(event);
  CHECK(!"the call came back");
}

/* GEVT_SHIM=strict refuses every handle whose creation was not seen. */
CASE(strict_foreign_event) {
  static char junk[4096];
  all_refuse(stub_event());
  all_refuse((CUevent)(((uintptr_t)junk + 63) & ~(uintptr_t)63));
  stream_is_refused((CUstream)(((uintptr_t)junk + 63) & ~(uintptr_t)63));
  int before = stub_calls("cuEventQuery");
  REFUSED(cuEventQuery(NULL));
  GIVES(before + 1, stub_calls("cuEventQuery"));
  default_streams();
}

/* With GEVT_SHIM=off all goes to the driver. */
CASE(off_forwards) {
  int i;
  CUevent event = event_with(0);
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
CASE(unknown_codes) {
  CUevent event = event_with(0);
  OK(cuEventRecord(event, NULL));
  stub_answer("cuEventSynchronize", 99999);
  GIVES(99999, cuEventSynchronize(event));
  stub_answer("cuEventRecord", -5);
  GIVES(-5, cuEventRecord(event, NULL));
  stub_answer("cuEventCreate", 99999);
  GIVES(99999, cuEventCreate(&event, 0));
}

MAIN
