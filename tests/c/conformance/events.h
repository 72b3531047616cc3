/* Create, query, sync and destroy, and handles that name no event. */
#ifndef GEVT_TESTS_CONFORMANCE_EVENTS_H
#define GEVT_TESTS_CONFORMANCE_EVENTS_H

#include "case.h"

static void create_flags(void) {
  static const uint32_t flags[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 0x80000000u, UINT32_MAX};
  size_t i;
  place_begin();
  for (i = 0; i < sizeof flags / sizeof *flags; i++) {
    gevt_event_t event = NULL;
    say_flags(flags[i], gevt_create(&event, flags[i]));
  }
}

static void create_null_out(void) {
  place_begin();
  say_code("r", gevt_create(NULL, 0));
}

static void create_no_context(void) {
  gevt_event_t event = NULL;
  if (subject_is_cuda()) {
    driver_load();
    CHECK_EQUAL(driver.init(0), 0);
  }
  say_code("r", gevt_create(&event, 0));
}

static void create_no_init(void) {
  gevt_event_t event = NULL;
  say_code("r", gevt_create(&event, 0));
}

static void create_fail_leaves_out(void) {
  gevt_event_t event;
  pattern_fill(&event, sizeof event);
  place_begin();
  say_code("r", gevt_create(&event, 8));
  say_whether("untouched", pattern_intact(&event, sizeof event));
}

static void query_unrecorded(void) {
  place_begin();
  say_code("q", gevt_query(event_new()));
}

static void sync_unrecorded(void) {
  place_begin();
  say_code("y", gevt_sync(event_new()));
}

static void query_null(void) {
  place_begin();
  say_code("q", gevt_query(NULL));
}

static void sync_null(void) {
  place_begin();
  say_code("y", gevt_sync(NULL));
}

static void query_garbage_small(void) {
  place_begin();
  say_code("q", gevt_query((gevt_event_t)0x10));
}

static void query_garbage_ptr(void) {
  static char junk[4096];
  memset(junk, 0xab, sizeof junk);
  place_begin();
  say_code("q", gevt_query((gevt_event_t)(void *)junk));
}

static void query_zero_ptr(void) {
  static char zeros[4096];
  place_begin();
  say_code("q", gevt_query((gevt_event_t)(void *)zeros));
}

static void query_pending_then_done(void) {
  gate_t gate = GATE_CLOSED;
  gevt_stream_t stream;
  gevt_event_t event;
  place_begin();
  stream = stream_here();
  event = event_new();
  gate_close(&gate, stream);
  say_code("rec", gevt_record(event, stream));
  say_code("q1", gevt_query(event));
  gate_open(&gate);
  say_code("y", gevt_sync(event));
  say_code("q2", gevt_query(event));
  CHECK_OK(gevt_stream_sync(stream));
}

static void query_after_destroy(void) {
  gevt_event_t event;
  place_begin();
  event = event_new();
  say_code("d", gevt_destroy(event));
  say_code("q", gevt_query(event));
}

static void sync_after_destroy(void) {
  gevt_event_t event;
  place_begin();
  event = event_new();
  say_code("d", gevt_destroy(event));
  say_code("y", gevt_sync(event));
}

static void query_no_context_current(void) {
  gevt_stream_t stream;
  gevt_event_t event;
  place_begin();
  stream = stream_here();
  event = event_new();
  say_code("rec", gevt_record(event, stream));
  say_code("y", gevt_sync(event));
  place_leave();
  say_code("q", gevt_query(event));
  say_code("y2", gevt_sync(event));
}

static void destroy_null(void) {
  place_begin();
  say_code("d", gevt_destroy(NULL));
}

static void destroy_twice(void) {
  gevt_event_t event;
  place_begin();
  event = event_new();
  say_code("d1", gevt_destroy(event));
  say_code("d2", gevt_destroy(event));
}

static void destroy_pending(void) {
  gate_t gate = GATE_CLOSED;
  gevt_stream_t stream;
  gevt_event_t event;
  place_begin();
  stream = stream_here();
  event = event_new();
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(event, stream));
  say_code("d", gevt_destroy(event));
  /* Had it waited, it would wait for ever: the gate opens below. */
  say_whether("nonblocking", gevt_stream_query(stream) == GEVT_ERROR_NOT_READY);
  gate_open(&gate);
  say_code("ss", gevt_stream_sync(stream));
}

static void destroy_other_context(void) {
  place_t first = place_begin(), other = place_other(&first);
  gevt_event_t event;
  place_enter(&first);
  event = event_here();
  place_enter(&other);
  say_code("d", gevt_destroy(event));
}

static void destroy_no_context(void) {
  gevt_event_t event;
  place_begin();
  event = event_here();
  place_leave();
  say_code("d", gevt_destroy(event));
}

static void handle_reuse(void) {
  gevt_event_t first;
  int reused = 0, i;
  place_begin();
  first = event_new();
  CHECK_OK(gevt_destroy(first));
  for (i = 0; i < 64; i++) reused |= event_new() == first;
  say_whether("reused", reused);
}

#endif
