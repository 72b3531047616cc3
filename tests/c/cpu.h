/* Processor time, which says what something costs however busy the machine is. */
#ifndef GEVT_TESTS_CPU_H
#define GEVT_TESTS_CPU_H

#include "gate.h"

static inline long long cpu_ns(clockid_t clock) {
  struct timespec used;
  clock_gettime(clock, &used);
  return used.tv_sec * SECOND + used.tv_nsec;
}

/* What the calling thread has used. */
static inline long long thread_cpu_ns(void) {
  return cpu_ns(CLOCK_THREAD_CPUTIME_ID);
}

#endif
