/* After a fault of the device the driver is asked about every event. The stand-in for the driver says which call tells of it. */
#include "asked.h"

/* `call` tells of the code, which `function` answers. */
#define FAULT(name, code, function, call)                                                                              \
  CASE(name) {                                                                                                         \
    CUstream stream = new_stream();                                                                                    \
    CUevent event = finished(stream), other = event_with(0);                                                           \
    OK(cuEventRecord(other, stream));                                                                                  \
    stub_answer(#function, code);                                                                                      \
    GIVES(code, function call);                                                                                        \
    stub_answer(#function, 0);                                                                                         \
    stub_answer("cuEventQuery", CUDA_ERROR_ILLEGAL_ADDRESS);                                                           \
    GIVES((code) >= 700 ? CUDA_ERROR_ILLEGAL_ADDRESS : 0, cuEventQuery(event));                                        \
  }

FAULT(fault_in_synchronize, 700, cuEventSynchronize, (other))
FAULT(fault_in_stream_synchronize, 719, cuStreamSynchronize, (stream))
FAULT(fault_in_stream_query, 716, cuStreamQuery, (stream))
FAULT(fault_in_record, 718, cuEventRecord, (other, stream))
/* A server or a device elsewhere that is gone. */
FAULT(fault_of_a_server, 810, cuEventSynchronize, (other))
FAULT(fault_of_an_external_device, 911, cuStreamSynchronize, (stream))
FAULT(refusals_are_no_faults, 400, cuStreamSynchronize, (stream))

MAIN
