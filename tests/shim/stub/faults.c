/* After a fault of the device the driver is asked about every event. The stand-in for the driver says which call tells of it. */
#include "asked.h"

static int launch(void) {
  return cuLaunchKernel((CUfunction)1, 2, 4, 8, 16, 32, 64, 128, (CUstream)256, (void **)512, (void **)1024);
}

/* What passes through keeps all its arguments. */
static void arguments_of_launches_and_copies(void) {
  begin();
  GIVES(2047, launch());
  GIVES(7, cuMemcpy(1, 2, 4));
  GIVES(7, cuMemcpyDtoH_v2((void *)1, 2, 4));
  GIVES(7, cuMemcpyHtoD_v2(1, (void *)2, 4));
  GIVES(5, cuMemFree_v2(5));
  OK(cuGraphLaunch(NULL, new_stream()));
}

static void asked_after_a_fault(const char *function, int code) {
  CUstream stream;
  CUevent event, other;
  begin();
  stream = new_stream();
  event = finished(stream);
  other = event_with(0);
  OK(cuEventRecord(other, stream));
  stub_answer(function, code);
  if (strcmp(function, "cuEventSynchronize") == 0)
    GIVES(code, cuEventSynchronize(other));
  else if (strcmp(function, "cuStreamSynchronize") == 0)
    GIVES(code, cuStreamSynchronize(stream));
  else if (strcmp(function, "cuStreamQuery") == 0)
    GIVES(code, cuStreamQuery(stream));
  else if (strcmp(function, "cuEventRecord") == 0)
    GIVES(code, cuEventRecord(other, stream));
  else if (strcmp(function, "cuLaunchKernel") == 0)
    GIVES(code, launch());
  else if (strcmp(function, "cuGraphLaunch") == 0)
    GIVES(code, cuGraphLaunch(NULL, stream));
  else if (strcmp(function, "cuMemcpy") == 0)
    GIVES(code, cuMemcpy(0, 0, 0));
  else if (strcmp(function, "cuMemcpyDtoH_v2") == 0)
    GIVES(code, cuMemcpyDtoH_v2(NULL, 0, 0));
  else if (strcmp(function, "cuMemcpyHtoD_v2") == 0)
    GIVES(code, cuMemcpyHtoD_v2(0, NULL, 0));
  else if (strcmp(function, "cuMemFree_v2") == 0)
    GIVES(code, cuMemFree_v2(0));
  else
    GIVES(code, cuCtxSynchronize());
  stub_answer(function, 0);
  stub_answer("cuEventQuery", CUDA_ERROR_ILLEGAL_ADDRESS);
  if (code >= 700)
    GIVES(CUDA_ERROR_ILLEGAL_ADDRESS, cuEventQuery(event));
  else
    OK(cuEventQuery(event));
}
static void fault_in_synchronize(void) {
  asked_after_a_fault("cuEventSynchronize", 700);
}
static void fault_in_stream_synchronize(void) {
  asked_after_a_fault("cuStreamSynchronize", 719);
}
static void fault_in_stream_query(void) {
  asked_after_a_fault("cuStreamQuery", 716);
}
static void fault_in_context_synchronize(void) {
  asked_after_a_fault("cuCtxSynchronize", 715);
}
static void fault_in_record(void) {
  asked_after_a_fault("cuEventRecord", 718);
}
static void fault_in_launch(void) {
  asked_after_a_fault("cuLaunchKernel", 700);
}
static void fault_in_graph_launch(void) {
  asked_after_a_fault("cuGraphLaunch", 700);
}
static void fault_in_copy(void) {
  asked_after_a_fault("cuMemcpy", 700);
}
static void fault_in_copy_to_host(void) {
  asked_after_a_fault("cuMemcpyDtoH_v2", 700);
}
static void fault_in_copy_to_device(void) {
  asked_after_a_fault("cuMemcpyHtoD_v2", 700);
}
static void fault_in_free(void) {
  asked_after_a_fault("cuMemFree_v2", 700);
}
/* A server or a device elsewhere that is gone. */
static void fault_of_a_server(void) {
  asked_after_a_fault("cuEventSynchronize", 810);
}
static void fault_of_an_external_device(void) {
  asked_after_a_fault("cuStreamSynchronize", 911);
}
static void refusals_are_no_faults(void) {
  asked_after_a_fault("cuStreamSynchronize", 400);
}

static const struct test_case cases[] = {
    CASE(fault_in_synchronize),
    CASE(fault_in_stream_synchronize),
    CASE(fault_in_stream_query),
    CASE(fault_in_context_synchronize),
    CASE(fault_in_record),
    CASE(fault_of_a_server),
    CASE(fault_of_an_external_device),
    CASE(refusals_are_no_faults),
    CASE(arguments_of_launches_and_copies),
    CASE(fault_in_launch),
    CASE(fault_in_graph_launch),
    CASE(fault_in_copy),
    CASE(fault_in_copy_to_host),
    CASE(fault_in_copy_to_device),
    CASE(fault_in_free),
};
MAIN(cases)
