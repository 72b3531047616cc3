/* Whether the driver is asked of an event, which the stand-in for it counts. */
#ifndef SHIM_TESTS_ASKED_H
#define SHIM_TESTS_ASKED_H

#include "../case.h"
#include "driver.h"

/* How often the driver is asked by two queries. */
static inline int asked(CUevent event) {
  int before = stub_calls("cuEventQuery");
  OK(cuEventQuery(event));
  OK(cuEventQuery(event));
  return stub_calls("cuEventQuery") - before;
}

static inline void always_asked(CUevent event) {
  GIVES(2, asked(event));
  GIVES(2, asked(event));
}

/* An event whose completion is known. */
static inline CUevent finished(CUstream stream) {
  CUevent event = event_with(0);
  OK(cuEventRecord(event, stream));
  OK(cuEventSynchronize(event));
  GIVES(0, asked(event));
  return event;
}

#endif
