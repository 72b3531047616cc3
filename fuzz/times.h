/* One function for each function of gevt.h that gives times. */
#ifndef GEVT_FUZZ_TIMES_H
#define GEVT_FUZZ_TIMES_H

#include "call.h"

FUNCTION(elapsed) {
  OUTPUT(float);
  gevt_event_t start = objects_event(input), end = objects_event(input);
  if (!JUDGE(elapsed, gevt_elapsed(out, start, end)))
    UNTOUCHED(elapsed);
  else if (is_alone() && start == end)
    judge_that(output == 0.0f, elapsed_name, "time from an event to itself");
}

FUNCTION(elapsed_ns) {
  OUTPUT(int64_t);
  gevt_event_t start = objects_event(input), end = objects_event(input);
  int64_t back = 0;
  if (!JUDGE(elapsed_ns, gevt_elapsed_ns(out, start, end)))
    UNTOUCHED(elapsed_ns);
  else if (is_alone())
    judge_that(gevt_elapsed_ns(&back, end, start) == GEVT_SUCCESS && back == -output, elapsed_ns_name,
               "not antisymmetric");
}

FUNCTION(elapsed_n) {
  gevt_event_t starts[MAX_EVENTS] = {NULL}, ends[MAX_EVENTS] = {NULL};
  gevt_status_t statuses[MAX_EVENTS];
  int64_t ns[MAX_EVENTS], alone_ns = 0;
  size_t count = events_of(input, starts), i;
  int null = input_rarely(input);
  for (i = 0; i < count; i++) ends[i] = objects_event(input);
  judge_fill(ns, sizeof ns);
  if (!JUDGE(elapsed_n, gevt_elapsed_n(null ? NULL : ns, statuses, starts, ends, count))) {
    judge_intact(elapsed_n_name, ns, sizeof ns);
    return;
  }
  for (i = 0; i < count; i++) {
    if (statuses[i] != GEVT_SUCCESS) {
      int is_told = __atomic_load_n(&signaled, __ATOMIC_RELAXED) || (judge_bit(statuses[i]) & elapsed_ns_answers) != 0;
      judge_that(is_told, elapsed_n_name, "an answer that no pair has");
      judge_intact(elapsed_n_name, &ns[i], sizeof ns[i]);
    } else if (is_alone()) {
      judge_that(gevt_elapsed_ns(&alone_ns, starts[i], ends[i]) == GEVT_SUCCESS && alone_ns == ns[i], elapsed_n_name,
                 "another time than that of the pair alone");
    }
  }
}

FUNCTION(host_time) {
  OUTPUT(int64_t);
  uint64_t error = 0;
  if (!JUDGE(host_time, gevt_host_time(out, input_rarely(input) ? NULL : &error, objects_event(input)))) {
    UNTOUCHED(host_time);
  }
}

#endif
