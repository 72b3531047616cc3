/* Elapsed times. */
#ifndef GEVT_TESTS_CONFORMANCE_TIMES_H
#define GEVT_TESTS_CONFORMANCE_TIMES_H

#include "case.h"

static void elapsed_ok(void) {
  event_pair_t pair;
  float ms = -7, back = -7, self = -7;
  place_begin();
  pair = event_pair(0, 0, stream_here());
  say_code("r", gevt_elapsed(&ms, pair.first, pair.second));
  say_whether("nonneg", ms >= 0);
  say_code("rev", gevt_elapsed(&back, pair.second, pair.first));
  say_whether("rev_is_negation", back == -ms);
  say_code("self", gevt_elapsed(&self, pair.first, pair.first));
  say_whether("self_zero", self == 0);
}

static void elapsed_null_out(void) {
  event_pair_t pair;
  place_begin();
  pair = event_pair(0, 0, stream_here());
  say_code("r", gevt_elapsed(NULL, pair.first, pair.second));
}

static void elapsed_null_events(void) {
  event_pair_t pair;
  float ms;
  place_begin();
  pair = event_pair(0, 0, stream_here());
  pattern_fill(&ms, sizeof ms);
  say_code("start", gevt_elapsed(&ms, NULL, pair.second));
  say_code("end", gevt_elapsed(&ms, pair.first, NULL));
  say_whether("untouched", pattern_intact(&ms, sizeof ms));
}

static void elapsed_unrecorded(void) {
  gevt_event_t first, second, recorded;
  float ms;
  place_begin();
  first = event_new();
  second = event_new();
  recorded = event_new();
  CHECK_OK(gevt_record(recorded, stream_here()));
  CHECK_OK(gevt_sync(recorded));
  pattern_fill(&ms, sizeof ms);
  say_code("both", gevt_elapsed(&ms, first, second));
  say_code("start", gevt_elapsed(&ms, first, recorded));
  say_code("end", gevt_elapsed(&ms, recorded, second));
  say_code("self", gevt_elapsed(&ms, first, first));
  say_whether("untouched", pattern_intact(&ms, sizeof ms));
}

static void elapsed_timing_disabled(void) {
  event_pair_t pair;
  gevt_stream_t stream;
  float ms;
  place_begin();
  stream = stream_here();
  pattern_fill(&ms, sizeof ms);
  pair = event_pair(GEVT_EVENT_DISABLE_TIMING, 0, stream);
  say_code("start", gevt_elapsed(&ms, pair.first, pair.second));
  pair = event_pair(0, GEVT_EVENT_DISABLE_TIMING, stream);
  say_code("end", gevt_elapsed(&ms, pair.first, pair.second));
  pair = event_pair(GEVT_EVENT_DISABLE_TIMING, GEVT_EVENT_DISABLE_TIMING, stream);
  say_code("both", gevt_elapsed(&ms, pair.first, pair.second));
  say_whether("untouched", pattern_intact(&ms, sizeof ms));
}

static void elapsed_pending(void) {
  gate_t gate = GATE_CLOSED;
  gevt_event_t first, second, third;
  gevt_stream_t stream;
  float ms;
  place_begin();
  stream = stream_here();
  first = event_new();
  second = event_new();
  third = event_new();
  CHECK_OK(gevt_record(first, stream));
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(second, stream));
  CHECK_OK(gevt_record(third, stream));
  pattern_fill(&ms, sizeof ms);
  say_code("end", gevt_elapsed(&ms, first, second));
  say_code("start", gevt_elapsed(&ms, second, first));
  say_code("both", gevt_elapsed(&ms, second, third));
  say_whether("untouched", pattern_intact(&ms, sizeof ms));
  gate_open(&gate);
  CHECK_OK(gevt_context_sync(NULL));
  say_code("after", gevt_elapsed(&ms, first, second));
}

static void elapsed_pending_and_unrecorded(void) {
  gate_t gate = GATE_CLOSED;
  gevt_event_t pending, unrecorded;
  gevt_stream_t stream;
  float ms;
  place_begin();
  stream = stream_here();
  pending = event_new();
  unrecorded = event_new();
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(pending, stream));
  say_code("pend_unrec", gevt_elapsed(&ms, pending, unrecorded));
  say_code("unrec_pend", gevt_elapsed(&ms, unrecorded, pending));
  gate_open(&gate);
  CHECK_OK(gevt_context_sync(NULL));
}

static void elapsed_destroyed(void) {
  event_pair_t pair;
  float ms;
  place_begin();
  pair = event_pair(0, 0, stream_here());
  CHECK_OK(gevt_destroy(pair.first));
  say_code("r", gevt_elapsed(&ms, pair.first, pair.second));
}

static void elapsed_cross_context(void) {
  place_t first = place_begin(), other = place_other(&first);
  gevt_event_t event, other_event;
  float ms;
  place_enter(&first);
  event = event_here();
  CHECK_OK(gevt_record(event, stream_here()));
  CHECK_OK(gevt_sync(event));
  place_enter(&other);
  other_event = event_here();
  CHECK_OK(gevt_record(other_event, stream_here()));
  CHECK_OK(gevt_sync(other_event));
  pattern_fill(&ms, sizeof ms);
  say_code("cur_c2", gevt_elapsed(&ms, event, other_event));
  place_enter(&first);
  say_code("cur_c1", gevt_elapsed(&ms, event, other_event));
  say_whether("untouched", pattern_intact(&ms, sizeof ms));
}

static void elapsed_no_context(void) {
  event_pair_t pair;
  float ms;
  place_begin();
  pair = event_pair(0, 0, stream_here());
  place_leave();
  say_code("r", gevt_elapsed(&ms, pair.first, pair.second));
}

#endif
