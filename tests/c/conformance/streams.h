/* Record and stream wait. */
#ifndef GEVT_TESTS_CONFORMANCE_STREAMS_H
#define GEVT_TESTS_CONFORMANCE_STREAMS_H

#include "case.h"

static void record_null_event(void) {
  place_begin();
  say_code("r", gevt_record(NULL, stream_here()));
}

static void record_null_stream(void) {
  gevt_event_t event;
  place_begin();
  event = event_new();
  say_code("r", gevt_record(event, NULL));
  say_code("y", gevt_sync(event));
}

/* CUDA's special streams: 1 is the legacy default stream, 2 that of the calling thread. */
static void record_legacy_and_ptds(void) {
  gevt_stream_t legacy = NULL, per_thread = NULL;
  gevt_event_t event;
  place_begin();
  event = event_new();
  CHECK_OK(gevt_stream_wrap(&legacy, NULL, (void *)1));
  CHECK_OK(gevt_stream_wrap(&per_thread, NULL, (void *)2));
  say_code("legacy", gevt_record(event, legacy));
  say_code("y1", gevt_sync(event));
  say_code("ptds", gevt_record(event, per_thread));
  say_code("y2", gevt_sync(event));
}

static void record_other_context_stream(void) {
  place_t first = place_begin(), other = place_other(&first);
  gevt_event_t event;
  gevt_stream_t stream;
  place_enter(&first);
  event = event_here();
  place_enter(&other);
  stream = stream_here();
  say_code("cur_c2", gevt_record(event, stream));
  place_enter(&first);
  say_code("cur_c1", gevt_record(event, stream));
}

static void record_garbage_stream(void) {
  place_begin();
  say_code("r", gevt_record(event_new(), (gevt_stream_t)0x10));
}

static void record_garbage_event(void) {
  place_begin();
  say_code("r", gevt_record((gevt_event_t)0x10, stream_here()));
}

static void record_destroyed_stream(void) {
  place_begin();
  say_code("r", gevt_record(event_new(), stream_stale()));
}

static void record_destroyed_event(void) {
  place_begin();
  say_code("r", gevt_record(event_stale(), stream_here()));
}

static void record_flags(void) {
  gevt_stream_t stream;
  int i;
  place_begin();
  stream = stream_here();
  for (i = 0; i < CASE_OPERATION_FLAGS; i++) {
    gevt_event_t event = event_new();
    say_flags(case_operation_flags[i], gevt_record_with_flags(event, stream, case_operation_flags[i]));
    CHECK_OK(gevt_sync(event));
    say_code("q", gevt_query(event));
  }
}

static void rerecord_overwrites(void) {
  gate_t gate = GATE_CLOSED;
  gevt_stream_t stream;
  gevt_event_t event;
  place_begin();
  stream = stream_here();
  event = event_new();
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_sync(event));
  say_code("q1", gevt_query(event));
  gate_close(&gate, stream);
  say_code("r2", gevt_record(event, stream));
  say_code("q2", gevt_query(event));
  gate_open(&gate);
  say_code("y", gevt_sync(event));
  CHECK_OK(gevt_stream_sync(stream));
}

static void wait_unrecorded(void) {
  gevt_stream_t stream;
  place_begin();
  stream = stream_here();
  say_code("w", gevt_stream_wait(stream, event_new(), 0));
  say_code("sq", gevt_stream_sync(stream));
}

static void wait_null_event(void) {
  place_begin();
  say_code("w", gevt_stream_wait(stream_here(), NULL, 0));
}

static void wait_null_stream(void) {
  gevt_event_t event;
  place_begin();
  event = event_new();
  CHECK_OK(gevt_record(event, stream_here()));
  say_code("w", gevt_stream_wait(NULL, event, 0));
}

static void wait_flags(void) {
  gevt_stream_t stream;
  gevt_event_t event;
  int i;
  place_begin();
  stream = stream_here();
  event = event_new();
  CHECK_OK(gevt_record(event, stream));
  for (i = 0; i < CASE_OPERATION_FLAGS; i++) {
    say_flags(case_operation_flags[i], gevt_stream_wait(stream, event, case_operation_flags[i]));
  }
}

static void wait_cross_context(void) {
  gate_t gate = GATE_CLOSED;
  place_t first = place_begin(), other = place_other(&first);
  gevt_stream_t stream, waiting;
  gevt_event_t event;
  place_enter(&first);
  stream = stream_here();
  event = event_here();
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(event, stream));
  place_enter(&other);
  waiting = stream_here();
  say_code("w", gevt_stream_wait(waiting, event, 0));
  say_code("sq", gevt_stream_query(waiting));
  gate_open(&gate);
  say_code("ss", gevt_stream_sync(waiting));
  CHECK_OK(gevt_stream_sync(stream));
}

static void wait_destroyed_event(void) {
  place_begin();
  say_code("w", gevt_stream_wait(stream_here(), event_stale(), 0));
}

static void wait_garbage_event(void) {
  place_begin();
  say_code("w", gevt_stream_wait(stream_here(), (gevt_event_t)0x10, 0));
}

/* The driver's `n` is 2; a machine with more devices is as good. */
static void drv_two_devices(void) {
  place_t first = place_begin(), second;
  gevt_event_t event, other_event;
  gevt_stream_t stream, other_stream;
  int32_t count = 0;
  float ms;
  CHECK_OK(gevt_device_count(&count, subject_backend));
  if (count < 2) driver_skip("one device");
  say_code("n", 2);
  second = place_of_device(1);
  event = event_here();
  stream = stream_here();
  place_enter(&second);
  other_event = event_here();
  other_stream = stream_here();
  say_code("rec_wrong_dev", gevt_record(event, other_stream));
  say_code("rec_cur_other", gevt_record(event, stream));
  say_code("rec1", gevt_record(other_event, other_stream));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_sync(other_event));
  say_code("el_cross", gevt_elapsed(&ms, event, other_event));
  say_code("w_cross", gevt_stream_wait(stream, other_event, 0));
  place_enter(&first);
}

#endif
