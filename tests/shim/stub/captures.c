/* While a stream is being captured, the driver is asked of each event: it may have to refuse the query. */
#include "../case.h"
#include "driver.h"

#include <pthread.h>

#define PER_THREAD_STREAM ((CUstream)2)

static int is_asked(CUevent event) {
  int before = stub_calls("cuEventQuery");
  OK(cuEventQuery(event));
  return stub_calls("cuEventQuery") - before;
}

/* An event whose completion is known. */
static CUevent finished(void) {
  CUevent event = event_with(0);
  OK(cuEventRecord(event, NULL));
  OK(cuEventQuery(event));
  return event;
}

static void begin_capture(CUstream stream) {
  OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
}

static void end_capture(CUstream stream) {
  CUgraph graph;
  OK(cuStreamEndCapture(stream, &graph));
}

/* A capture ends by a successful end call, and continues after a refused one. */
static void ends_of_captures(void) {
  static const struct {
    int code, goes_on;
  } ends[] = {{0, 0}, {901, 0}, {904, 0}, {1, 1}, {400, 1}, {401, 1}, {903, 1}, {908, 1}};
  CUevent event;
  CUgraph graph;
  size_t i;
  begin();
  event = finished();
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

static void beginning_that_is_refused(void) {
  CUevent event;
  begin();
  event = finished();
  stub_answer("cuStreamBeginCapture_v2", CUDA_ERROR_INVALID_VALUE);
  GIVES(CUDA_ERROR_INVALID_VALUE, cuStreamBeginCapture_v2(new_stream(), 7));
  GIVES(0, is_asked(event));
}

static void several_captures(void) {
  CUstream streams[3];
  CUevent event;
  int i;
  begin();
  event = finished();
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
static void own_stream_under_both_numbers(void) {
  CUevent event;
  CUgraph graph;
  begin();
  event = finished();
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
static void own_streams_of_two_threads(void) {
  CUevent event;
  pthread_t thread;
  begin();
  event = finished();
  begin_capture(PER_THREAD_STREAM);
  CHECK(pthread_create(&thread, NULL, capture_of_own_stream, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  GIVES(1, is_asked(event));
  end_capture(PER_THREAD_STREAM);
  GIVES(0, is_asked(event));
}

/* A capture ends with its stream, unless the driver refuses to destroy it. */
static void stream_is_destroyed(void) {
  CUevent event;
  CUstream stream;
  begin();
  event = finished();
  begin_capture(stream = new_stream());
  stub_answer("cuStreamDestroy_v2", CUDA_ERROR_INVALID_VALUE);
  GIVES(CUDA_ERROR_INVALID_VALUE, cuStreamDestroy_v2(stream));
  GIVES(1, is_asked(event));
  stub_answer("cuStreamDestroy_v2", 0);
  OK(cuStreamDestroy_v2(stream));
  GIVES(0, is_asked(event));
}

/* A capture ends with its context. */
static void context_is_destroyed(void) {
  CUcontext context = begin();
  CUevent event = finished();
  begin_capture(new_stream());
  GIVES(1, is_asked(event));
  OK(cuCtxDestroy_v2(context));
  CHECK(is_asked(event) > 0);
  GIVES(0, is_asked(event));
  begin_capture(PER_THREAD_STREAM);
  OK(cuDevicePrimaryCtxReset_v2(0));
  (void)is_asked(event);
  GIVES(0, is_asked(event));
  begin_capture(NULL);
  OK(cuDevicePrimaryCtxRelease_v2(0));
  (void)is_asked(event);
  GIVES(0, is_asked(event));
}

/* A capture in another context continues. */
static void another_context_is_destroyed(void) {
  CUcontext context = begin();
  CUevent event = finished();
  CUstream stream = new_stream();
  begin_capture(stream);
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuDevicePrimaryCtxRelease_v2(0));
  GIVES(1, is_asked(event));
  GIVES(1, is_asked(event));
  /* The stand-in renumbers its one context, unless it must not end it. */
  OK(cuGreenCtxDestroy(NULL));
  GIVES(1, is_asked(event));
  GIVES(1, is_asked(event));
  end_capture(stream);
  (void)is_asked(event);
  GIVES(0, is_asked(event));
}

/* Only in a capture does an external record become a node: the refused one does not mark the event. */
static void external_record_without_a_capture(void) {
  CUevent event;
  begin();
  event = finished();
  stub_answer("cuEventRecordWithFlags", CUDA_ERROR_ILLEGAL_STATE);
  GIVES(CUDA_ERROR_ILLEGAL_STATE, cuEventRecordWithFlags(event, NULL, CU_EVENT_RECORD_EXTERNAL));
  GIVES(1, is_asked(event));
  GIVES(0, is_asked(event));
}

static const struct test_case cases[] = {CASE(ends_of_captures),
                                         CASE(beginning_that_is_refused),
                                         CASE(several_captures),
                                         CASE(own_stream_under_both_numbers),
                                         CASE(own_streams_of_two_threads),
                                         CASE(stream_is_destroyed),
                                         CASE(context_is_destroyed),
                                         CASE(another_context_is_destroyed),
                                         CASE(external_record_without_a_capture)};
MAIN(cases)
