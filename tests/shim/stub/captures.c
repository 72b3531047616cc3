/* While a stream is being captured, the driver is asked of each event: it may have to refuse the query. */
#include "asked.h"

#include <pthread.h>

#define PER_THREAD_STREAM ((CUstream)2)

static int is_asked(CUevent event) {
  int before = stub_calls("cuEventQuery");
  OK(cuEventQuery(event));
  return stub_calls("cuEventQuery") - before;
}

static void begin_capture(CUstream stream) {
  OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
}

static void end_capture(CUstream stream) {
  CUgraph graph;
  OK(cuStreamEndCapture(stream, &graph));
}

/* A capture ends by a successful end call, and continues after a refused one. */
CASE(ends_of_captures) {
  static const struct {
    int code, goes_on;
  } ends[] = {{0, 0}, {901, 0}, {904, 0}, {1, 1}, {400, 1}, {401, 1}, {903, 1}, {908, 1}};
  CUgraph graph;
  size_t i;
  CUevent event = finished(NULL);
  for (i = 0; i < sizeof ends / sizeof *ends; i++) {
    CUstream stream = new_stream();
    begin_capture(stream);
    GIVES(1, is_asked(event));
    stub_answer("cuStreamEndCapture", ends[i].code);
    GIVES(ends[i].code, cuStreamEndCapture(stream, &graph));
    GIVES(ends[i].goes_on, is_asked(event));
    stub_answer("cuStreamEndCapture", 0);
    OK(cuStreamEndCapture(stream, &graph));
    GIVES(0, is_asked(event));
    /* There is nothing more to end. */
    OK(cuStreamEndCapture(stream, &graph));
    GIVES(0, is_asked(event));
    OK(cuStreamDestroy_v2(stream));
  }
}

CASE(beginning_that_is_refused) {
  CUevent event = finished(NULL);
  stub_answer("cuStreamBeginCapture_v2", CUDA_ERROR_INVALID_VALUE);
  GIVES(CUDA_ERROR_INVALID_VALUE, cuStreamBeginCapture_v2(new_stream(), 7));
  GIVES(0, is_asked(event));
}

CASE(several_captures) {
  CUstream streams[3];
  int i;
  CUevent event = finished(NULL);
  for (i = 0; i < 3; i++) begin_capture(streams[i] = new_stream());
  for (i = 0; i < 3; i++) {
    GIVES(1, is_asked(event));
    end_capture(streams[i]);
  }
  GIVES(0, is_asked(event));
  /* One whose end was not seen does not outlast the next one of its stream. */
  begin_capture(streams[0]);
  begin_capture(streams[0]);
  end_capture(streams[0]);
  GIVES(0, is_asked(event));
}

/* The thread's own stream is 2, and 0 for the functions that are named for it. */
CASE(own_stream_under_both_numbers) {
  CUgraph graph;
  CUevent event = finished(NULL);
  OK(cuStreamBeginCapture_v2_ptsz(NULL, CU_STREAM_CAPTURE_MODE_RELAXED));
  GIVES(1, is_asked(event));
  end_capture(PER_THREAD_STREAM);
  GIVES(0, is_asked(event));
  begin_capture(PER_THREAD_STREAM);
  GIVES(1, is_asked(event));
  OK(cuStreamEndCapture_ptsz(NULL, &graph));
  GIVES(0, is_asked(event));
}

static void *capture_of_own_stream(void *user) {
  (void)user;
  begin_capture(PER_THREAD_STREAM);
  end_capture(PER_THREAD_STREAM);
  return NULL;
}

/* Another thread's own stream is another stream. */
CASE(own_streams_of_two_threads) {
  pthread_t thread;
  CUevent event = finished(NULL);
  begin_capture(PER_THREAD_STREAM);
  CHECK(pthread_create(&thread, NULL, capture_of_own_stream, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  GIVES(1, is_asked(event));
  end_capture(PER_THREAD_STREAM);
  GIVES(0, is_asked(event));
}

/* A capture ends with its stream, unless the driver refuses to destroy it. */
CASE(stream_is_destroyed) {
  CUstream stream;
  CUevent event = finished(NULL);
  begin_capture(stream = new_stream());
  stub_answer("cuStreamDestroy_v2", CUDA_ERROR_INVALID_VALUE);
  GIVES(CUDA_ERROR_INVALID_VALUE, cuStreamDestroy_v2(stream));
  GIVES(1, is_asked(event));
  stub_answer("cuStreamDestroy_v2", 0);
  OK(cuStreamDestroy_v2(stream));
  GIVES(0, is_asked(event));
}

/* Only in a capture does an external record become a node: the refused one does not mark the event. */
CASE(external_record_without_a_capture) {
  CUevent event = finished(NULL);
  stub_answer("cuEventRecordWithFlags", CUDA_ERROR_ILLEGAL_STATE);
  GIVES(CUDA_ERROR_ILLEGAL_STATE, cuEventRecordWithFlags(event, NULL, CU_EVENT_RECORD_EXTERNAL));
  GIVES(1, is_asked(event));
  GIVES(0, is_asked(event));
}

MAIN
