/* What is remembered of an event, and when the driver has to be asked all the same. The stand-in for the driver counts. */
#include "asked.h"

#include <sys/wait.h>
#include <unistd.h>

/* The memory that the process uses, in KiB. */
static long resident(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  CHECK(file && fscanf(file, "%*s %ld", &pages) == 1);
  fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* It may have been recorded out of sight. */
static void unrecorded_is_asked_once(void) {
  CUevent event;
  begin();
  event = event_with(0);
  GIVES(1, asked(event));
  GIVES(0, asked(event));
  OK(cuEventRecord(event, new_stream()));
  GIVES(1, asked(event));
}

static void completion_is_remembered(void) {
  CUstream stream;
  CUevent event;
  int i;
  begin();
  stream = new_stream();
  event = event_with(0);
  OK(cuEventRecord(event, stream));
  stub_answer("cuEventQuery", CUDA_ERROR_NOT_READY);
  for (i = 1; i <= 3; i++) {
    GIVES(CUDA_ERROR_NOT_READY, cuEventQuery(event));
    GIVES(i, stub_calls("cuEventQuery"));
  }
  stub_answer("cuEventQuery", 0);
  for (i = 0; i < 100; i++) OK(cuEventQuery(event));
  GIVES(4, stub_calls("cuEventQuery"));
  OK(cuEventRecord(event, stream));
  OK(cuEventQuery(event));
  GIVES(5, stub_calls("cuEventQuery"));
  OK(cuEventRecord(event, stream));
  OK(cuEventSynchronize(event));
  GIVES(0, asked(event));
}

/* A synchronize makes the driver print what kernels have printed, whether or not the event is known to be complete. */
static void every_synchronize_reaches_the_driver(void) {
  CUevent event;
  int i;
  begin();
  event = event_with(0);
  OK(cuEventSynchronize(event));
  GIVES(1, stub_calls("cuEventSynchronize"));
  OK(cuEventRecord(event, new_stream()));
  OK(cuEventQuery(event));
  GIVES(0, asked(event));
  for (i = 2; i <= 4; i++) {
    OK(cuEventSynchronize(event));
    GIVES(i, stub_calls("cuEventSynchronize"));
  }
}

static void every_record_is_seen(void) {
  CUstream stream;
  CUevent event;
  begin();
  stream = new_stream();
  event = finished(stream);
  OK(cuEventRecord(event, stream));
  CHECK(asked(event) > 0);
  OK(cuEventRecord_ptsz(event, stream));
  CHECK(asked(event) > 0);
  OK(cuEventRecordWithFlags(event, stream, 0));
  CHECK(asked(event) > 0);
  OK(cuEventRecordWithFlags_ptsz(event, stream, 0));
  CHECK(asked(event) > 0);
  OK(cuCtxRecordEvent(NULL, event));
  CHECK(asked(event) > 0);
  OK(cuGreenCtxRecordEvent(NULL, event));
  CHECK(asked(event) > 0);
  OK(cuEventDestroy_v2(event));
}

/* A record that the driver refuses leaves the last one as it is, for the driver and for us. */
static void refused_record(void) {
  CUstream stream;
  CUevent event, never;
  begin();
  stream = new_stream();
  event = finished(stream);
  never = event_with(0);
  GIVES(CUDA_ERROR_INVALID_VALUE, cuEventRecordWithFlags(event, stream, 2));
  GIVES(1, stub_calls("cuEventRecordWithFlags"));
  OK(cuEventQuery(event));
  stub_answer("cuEventRecord", CUDA_ERROR_INVALID_HANDLE);
  GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(event, stream));
  GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(never, stream));
  stub_answer("cuEventRecord", 0);
  OK(cuEventQuery(event));
  OK(cuEventRecord(never, stream));
  stub_answer("cuEventQuery", CUDA_ERROR_NOT_READY);
  GIVES(CUDA_ERROR_NOT_READY, cuEventQuery(never));
}

/* An event that another process or a launch of a graph may record. */
static void always_asked_external(void) {
  CUstream stream;
  CUevent event;
  begin();
  stream = new_stream();
  event = finished(stream);
  OK(cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_EXTERNAL));
  GIVES(2, asked(event));
  GIVES(2, asked(event));
}

static void always_asked_ipc(void) {
  CUstream stream;
  CUevent event, opened;
  CUipcEventHandle handle;
  begin();
  stream = new_stream();
  event = finished(stream);
  memset(&handle, 0, sizeof handle);
  OK(cuIpcGetEventHandle(&handle, event));
  GIVES(2, asked(event));
  GIVES(2, asked(event));
  OK(cuIpcOpenEventHandle(&opened, handle));
  GIVES(2, asked(opened));
  GIVES(2, asked(opened));
  OK(cuEventDestroy_v2(opened));
  GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventQuery(opened));
}

static void always_asked_egl(void) {
  CUevent event;
  begin();
  OK(cuEventCreateFromEGLSync(&event, NULL, 0));
  GIVES(2, asked(event));
  GIVES(2, asked(event));
}

static void always_asked_record_nodes(void) {
  CUstream stream;
  CUevent events[8];
  CUgraphNode node;
  CUgraphNodeParams parameters;
  int i;
  begin();
  stream = new_stream();
  for (i = 0; i < 8; i++) events[i] = finished(stream);
  memset(&parameters, 0, sizeof parameters);
  parameters.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD;
  OK(cuGraphAddEventRecordNode(&node, NULL, NULL, 0, events[0]));
  OK(cuGraphEventRecordNodeSetEvent(node, events[1]));
  OK(cuGraphExecEventRecordNodeSetEvent(NULL, node, events[2]));
  parameters.of.event.event = events[3];
  OK(cuGraphAddNode(&node, NULL, NULL, 0, &parameters));
  parameters.of.event.event = events[4];
  OK(cuGraphAddNode_v2(&node, NULL, NULL, NULL, 0, &parameters));
  parameters.of.event.event = events[5];
  OK(cuGraphNodeSetParams(node, &parameters));
  parameters.of.event.event = events[6];
  OK(cuGraphExecNodeSetParams(NULL, node, &parameters));
  for (i = 0; i < 7; i++) {
    GIVES(2, asked(events[i]));
    GIVES(2, asked(events[i]));
  }
  GIVES(0, asked(events[7]));
}

/* A node that only waits leaves what is known. */
static void wait_nodes_only_read(void) {
  CUstream stream;
  CUevent event;
  CUgraphNode node;
  CUgraphNodeParams parameters;
  begin();
  stream = new_stream();
  event = finished(stream);
  memset(&parameters, 0, sizeof parameters);
  parameters.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT;
  parameters.of.event.event = event;
  OK(cuGraphAddEventWaitNode(&node, NULL, NULL, 0, event));
  OK(cuGraphEventWaitNodeSetEvent(node, event));
  OK(cuGraphExecEventWaitNodeSetEvent(NULL, node, event));
  OK(cuGraphAddNode(&node, NULL, NULL, 0, &parameters));
  OK(cuStreamWaitEvent(stream, event, 0));
  OK(cuCtxWaitEvent(NULL, event));
  OK(cuGreenCtxWaitEvent(NULL, event));
  GIVES(1, stub_calls("cuStreamWaitEvent"));
  GIVES(0, asked(event));
}

static void always_asked_launch_attributes(void) {
  const unsigned ids[] = {CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT, CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT, 1};
  CUstream stream;
  int i;
  begin();
  stream = new_stream();
  for (i = 0; i < 3; i++) {
    CUlaunchAttribute attributes[2];
    CUlaunchConfig config;
    CUevent launched = finished(stream), node = finished(stream);
    memset(attributes, 0, sizeof attributes);
    memset(&config, 0, sizeof config);
    attributes[0].id = 4;
    attributes[1].id = ids[i];
    attributes[1].value.event.event = launched;
    config.stream = stream;
    config.attributes = attributes;
    config.count = 2;
    OK(cuLaunchKernelEx(&config, NULL, NULL, NULL));
    GIVES(i < 2 ? 2 : 0, asked(launched));
    attributes[1].value.event.event = node;
    OK(cuGraphKernelNodeSetAttribute(NULL, (int)ids[i], &attributes[1].value));
    GIVES(i < 2 ? 2 : 0, asked(node));
  }
}

/* What is newer than the drop-in may record any event. */
static void unknown_launch_attribute(void) {
  CUlaunchAttribute attribute;
  CUlaunchConfig config;
  CUstream stream;
  CUevent event;
  begin();
  stream = new_stream();
  event = finished(stream);
  memset(&attribute, 0, sizeof attribute);
  memset(&config, 0, sizeof config);
  attribute.id = 99;
  config.stream = stream;
  config.attributes = &attribute;
  config.count = 1;
  OK(cuLaunchKernelEx(&config, NULL, NULL, NULL));
  GIVES(2, asked(event));
}
static void unknown_kernel_attribute(void) {
  CUlaunchAttribute attribute;
  CUevent event;
  begin();
  event = finished(new_stream());
  memset(&attribute, 0, sizeof attribute);
  OK(cuGraphKernelNodeSetAttribute(NULL, 18, &attribute.value));
  GIVES(0, asked(event));
  OK(cuGraphKernelNodeSetAttribute(NULL, 19, &attribute.value));
  GIVES(2, asked(event));
}
static void unknown_node(void) {
  CUgraphNodeParams parameters;
  CUgraphNode node;
  CUevent event;
  begin();
  event = finished(new_stream());
  memset(&parameters, 0, sizeof parameters);
  parameters.type = 18;
  OK(cuGraphAddNode(&node, NULL, NULL, 0, &parameters));
  GIVES(0, asked(event));
  parameters.type = 19;
  OK(cuGraphAddNode(&node, NULL, NULL, 0, &parameters));
  GIVES(2, asked(event));
}

static void asked_during_a_capture(void) {
  CUstream stream, other;
  CUevent event;
  CUgraph graph;
  begin();
  stream = new_stream();
  other = new_stream();
  event = finished(stream);
  OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  GIVES(2, asked(event));
  OK(cuStreamBeginCapture_v2(other, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(cuStreamEndCapture(stream, &graph));
  GIVES(2, asked(event));
  OK(cuStreamEndCapture(other, &graph));
  GIVES(0, asked(event));
  OK(cuStreamBeginCapture_v2(other, CU_STREAM_CAPTURE_MODE_RELAXED));
  CHECK(asked(event) > 0);
  OK(cuStreamDestroy_v2(other));
  GIVES(0, asked(event));
}

/* Only the driver knows the events of a context, including events that were never recorded. */
static void asked_after_a_context_ends(void) {
  CUstream stream;
  CUevent event, never;
  CUcontext context = begin();
  stream = new_stream();
  event = finished(stream);
  never = event_with(0);
  OK(cuCtxDestroy_v2(context));
  CHECK(asked(event) > 0);
  CHECK(asked(never) > 0);
  event = finished(stream);
  OK(cuDevicePrimaryCtxReset_v2(0));
  CHECK(asked(event) > 0);
  event = finished(stream);
  OK(cuDevicePrimaryCtxRelease_v2(0));
  CHECK(asked(event) > 0);
  GIVES(1, stub_calls("cuDevicePrimaryCtxRelease_v2"));
  event = finished(stream);
  OK(cuGreenCtxDestroy(NULL));
  CHECK(asked(event) > 0);
}

/* Libraries retain and release the primary context around single calls. */
static void release_of_a_context_that_others_retain(void) {
  CUevent event;
  CUcontext context = begin();
  event = finished(new_stream());
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuDevicePrimaryCtxRelease_v2(0));
  GIVES(0, asked(event));
  OK(cuDevicePrimaryCtxRelease_v2(0));
  CHECK(asked(event) > 0);
  GIVES(0, asked(event));
  /* There is nothing to release. */
  GIVES(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease_v2(0));
  GIVES(0, asked(event));
}

/* In a fork's child all goes to the driver, what it makes of it. */
static void child_asks_the_driver(void) {
  CUstream stream;
  CUevent event, gone;
  pid_t child;
  int status;
  begin();
  stream = new_stream();
  event = finished(stream);
  gone = finished(stream);
  OK(cuEventDestroy_v2(gone));
  child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    alarm(10);
    GIVES(2, asked(event));
    GIVES(2, asked(event));
    OK(cuEventRecord(event, stream));
    OK(cuEventDestroy_v2(event));
    _exit(0);
  }
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
  GIVES(0, WEXITSTATUS(status));
  GIVES(0, asked(event));
  GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventQuery(gone));
}

/* A record that the drop-in did not see: the driver says pending where memory says complete. */
static void record_out_of_sight(void) {
  CUstream stream;
  CUevent event, other;
  int i;
  begin();
  stream = new_stream();
  event = finished(stream);
  other = event_with(0);
  stub_answer("cuEventQuery", CUDA_ERROR_NOT_READY);
  OK(cuEventQuery(event));
  /* After some records of any event, one query asks. */
  for (i = 0; i < 64; i++) OK(cuEventRecord(other, stream));
  GIVES(CUDA_ERROR_NOT_READY, cuEventQuery(event));
  GIVES(1, stub_calls("cuEventQuery"));
  GIVES(CUDA_ERROR_NOT_READY, cuEventQuery(event));
  GIVES(CUDA_ERROR_NOT_READY, cuEventQuery(event_with(0)));
  stub_answer("cuEventQuery", 0);
  GIVES(2, asked(event));
  GIVES(2, asked(event));
}

/* An event that was made in sight. */
static void first_record_out_of_sight(void) {
  CUevent event, known;
  begin();
  event = event_with(0);
  known = finished(new_stream());
  stub_answer("cuEventQuery", CUDA_ERROR_NOT_READY);
  GIVES(CUDA_ERROR_NOT_READY, cuEventQuery(event));
  stub_answer("cuEventQuery", 0);
  GIVES(2, asked(known));
}

/* A time of an event that was not recorded in sight. */
static void time_of_an_event_recorded_out_of_sight(void) {
  CUstream stream;
  CUevent event, never;
  float ms;
  begin();
  stream = new_stream();
  event = finished(stream);
  never = event_with(0);
  stub_answer("cuEventElapsedTime", CUDA_ERROR_INVALID_HANDLE);
  GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, event, never));
  GIVES(0, asked(event));
  stub_answer("cuEventElapsedTime", 0);
  OK(cuEventElapsedTime(&ms, event, never));
  GIVES(2, asked(event));
}

/* Events of a program that makes new ones all the time, at pointers that are not issued again. */
static void events_at_ever_new_pointers(void) {
  CUstream stream;
  CUevent event = NULL;
  int i;
  begin();
  stream = new_stream();
  for (i = 0; i < 2000000; i++) {
    event = event_with(CU_EVENT_DISABLE_TIMING | STUB_NEW_POINTER);
    if (i % 1000 == 0) OK(cuEventRecord(event, stream));
    OK(cuEventDestroy_v2(event));
  }
  GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventQuery(event));
  /* In KiB. */
  CHECK(resident() < 40000);
}

static CUevent at_exit;

static void ask_at_exit(void) {
  /* The driver has ended. */
  stub_answer("cuEventDestroy_v2", CUDA_ERROR_DEINITIALIZED);
  stub_answer("cuEventRecord", CUDA_ERROR_DEINITIALIZED);
  if (cuEventRecord(at_exit, NULL) != CUDA_ERROR_DEINITIALIZED) _exit(3);
  if (cuEventDestroy_v2(at_exit) != CUDA_ERROR_DEINITIALIZED) _exit(4);
  if (cuEventDestroy_v2(at_exit) != CUDA_ERROR_DEINITIALIZED) _exit(5);
}

/* During exit the driver's answer is returned. */
static void driver_that_has_ended(void) {
  CHECK(atexit(ask_at_exit) == 0);
  begin();
  at_exit = finished(new_stream());
  exit(0);
}

static const struct test_case cases[] = {
    CASE(unrecorded_is_asked_once),
    CASE(completion_is_remembered),
    CASE(every_synchronize_reaches_the_driver),
    CASE(every_record_is_seen),
    CASE(refused_record),
    CASE(always_asked_external),
    CASE(always_asked_ipc),
    CASE(always_asked_egl),
    CASE(always_asked_record_nodes),
    CASE(wait_nodes_only_read),
    CASE(always_asked_launch_attributes),
    CASE(unknown_launch_attribute),
    CASE(unknown_kernel_attribute),
    CASE(unknown_node),
    CASE(asked_during_a_capture),
    CASE(asked_after_a_context_ends),
    CASE(release_of_a_context_that_others_retain),
    CASE(child_asks_the_driver),
    CASE(record_out_of_sight),
    CASE(first_record_out_of_sight),
    CASE(time_of_an_event_recorded_out_of_sight),
    CASE(events_at_ever_new_pointers),
    CASE(driver_that_has_ended),
};
MAIN(cases)
