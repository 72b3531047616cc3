/* What is remembered of an event, and when the driver has to be asked all the same. The stand-in for the driver counts. */
#include "asked.h"

#include <sys/wait.h>
#include <unistd.h>

/* It may have been recorded out of sight. */
CASE(unrecorded_is_asked_once) {
  CUevent event = event_with(0);
  GIVES(1, asked(event));
  GIVES(0, asked(event));
  OK(cuEventRecord(event, new_stream()));
  GIVES(1, asked(event));
}

CASE(completion_is_remembered) {
  int i;
  CUstream stream = new_stream();
  CUevent event = event_with(0);
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
CASE(every_synchronize_reaches_the_driver) {
  int i;
  CUevent event = event_with(0);
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

CASE(every_record_is_seen) {
  CUstream stream = new_stream();
  CUevent event = finished(stream);
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
CASE(refused_record) {
  CUstream stream = new_stream();
  CUevent event = finished(stream), never = event_with(0);
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
CASE(always_asked_external) {
  CUstream stream = new_stream();
  CUevent event = finished(stream);
  OK(cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_EXTERNAL));
  always_asked(event);
}

CASE(always_asked_ipc) {
  CUevent opened;
  CUstream stream = new_stream();
  CUevent event = finished(stream);
  CUipcEventHandle handle = {0};
  OK(cuIpcGetEventHandle(&handle, event));
  always_asked(event);
  OK(cuIpcOpenEventHandle(&opened, handle));
  always_asked(opened);
  OK(cuEventDestroy_v2(opened));
  GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventQuery(opened));
}

CASE(always_asked_egl) {
  CUevent event;
  OK(cuEventCreateFromEGLSync(&event, NULL, 0));
  always_asked(event);
}

CASE(always_asked_record_nodes) {
  CUevent events[8];
  CUgraphNode node;
  int i;
  CUstream stream = new_stream();
  for (i = 0; i < 8; i++) events[i] = finished(stream);
  CUgraphNodeParams parameters = {0};
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
    always_asked(events[i]);
  }
  GIVES(0, asked(events[7]));
}

/* A node that only waits leaves what is known. */
CASE(wait_nodes_only_read) {
  CUgraphNode node;
  CUstream stream = new_stream();
  CUevent event = finished(stream);
  CUgraphNodeParams parameters = {0};
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

CASE(always_asked_launch_attributes) {
  const unsigned ids[] = {CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT, CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT, 1};
  int i;
  CUstream stream = new_stream();
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
CASE(unknown_launch_attribute) {
  CUlaunchAttribute attribute;
  CUlaunchConfig config;
  CUstream stream = new_stream();
  CUevent event = finished(stream);
  memset(&attribute, 0, sizeof attribute);
  memset(&config, 0, sizeof config);
  attribute.id = 99;
  config.stream = stream;
  config.attributes = &attribute;
  config.count = 1;
  OK(cuLaunchKernelEx(&config, NULL, NULL, NULL));
  GIVES(2, asked(event));
}
CASE(unknown_kernel_attribute) {
  CUlaunchAttribute attribute;
  CUevent event = finished(new_stream());
  memset(&attribute, 0, sizeof attribute);
  OK(cuGraphKernelNodeSetAttribute(NULL, 18, &attribute.value));
  GIVES(0, asked(event));
  OK(cuGraphKernelNodeSetAttribute(NULL, 19, &attribute.value));
  GIVES(2, asked(event));
}
CASE(unknown_node) {
  CUgraphNode node;
  CUevent event = finished(new_stream());
  CUgraphNodeParams parameters = {0};
  parameters.type = 18;
  OK(cuGraphAddNode(&node, NULL, NULL, 0, &parameters));
  GIVES(0, asked(event));
  parameters.type = 19;
  OK(cuGraphAddNode(&node, NULL, NULL, 0, &parameters));
  GIVES(2, asked(event));
}

/* Only the driver knows the events of a context, including events that were never recorded. */
CASE(asked_after_a_context_ends) {
  CUcontext context = case_context;
  CUstream stream = new_stream();
  CUevent event = finished(stream), never = event_with(0);
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

/* In a fork's child all goes to the driver, what it makes of it. */
CASE(child_asks_the_driver) {
  int status;
  CUstream stream = new_stream();
  CUevent event = finished(stream), gone = finished(stream);
  OK(cuEventDestroy_v2(gone));
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    alarm(10);
    always_asked(event);
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
CASE(record_out_of_sight) {
  int i;
  CUstream stream = new_stream();
  CUevent event = finished(stream), other = event_with(0);
  stub_answer("cuEventQuery", CUDA_ERROR_NOT_READY);
  OK(cuEventQuery(event));
  /* After some records of any event, one query asks. */
  for (i = 0; i < 64; i++) OK(cuEventRecord(other, stream));
  GIVES(CUDA_ERROR_NOT_READY, cuEventQuery(event));
  GIVES(1, stub_calls("cuEventQuery"));
  GIVES(CUDA_ERROR_NOT_READY, cuEventQuery(event));
  GIVES(CUDA_ERROR_NOT_READY, cuEventQuery(event_with(0)));
  stub_answer("cuEventQuery", 0);
  always_asked(event);
}

/* An event that was made in sight. */
CASE(first_record_out_of_sight) {
  CUevent event = event_with(0), known = finished(new_stream());
  stub_answer("cuEventQuery", CUDA_ERROR_NOT_READY);
  GIVES(CUDA_ERROR_NOT_READY, cuEventQuery(event));
  stub_answer("cuEventQuery", 0);
  GIVES(2, asked(known));
}

/* A time of an event that was not recorded in sight. */
CASE(time_of_an_event_recorded_out_of_sight) {
  float ms;
  CUstream stream = new_stream();
  CUevent event = finished(stream), never = event_with(0);
  stub_answer("cuEventElapsedTime", CUDA_ERROR_INVALID_HANDLE);
  GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, event, never));
  GIVES(0, asked(event));
  stub_answer("cuEventElapsedTime", 0);
  OK(cuEventElapsedTime(&ms, event, never));
  GIVES(2, asked(event));
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
CASE_ALONE(driver_that_has_ended) {
  CHECK(atexit(ask_at_exit) == 0);
  begin();
  at_exit = finished(new_stream());
  exit(0);
}

MAIN
