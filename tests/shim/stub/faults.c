/* After a fault of the device the driver is asked about every event. The stand-in for the driver says which call tells of it. */
#include "asked.h"

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
  else
    GIVES(code, cuEventRecord(other, stream));
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
static void fault_in_record(void) {
  asked_after_a_fault("cuEventRecord", 718);
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
    CASE(fault_in_synchronize), CASE(fault_in_stream_synchronize), CASE(fault_in_stream_query),  CASE(fault_in_record),
    CASE(fault_of_a_server),    CASE(fault_of_an_external_device), CASE(refusals_are_no_faults),
};
MAIN(cases)
