/* Processor time, which says what something costs however busy the machine is. */
#ifndef GEVT_TESTS_CPU_H
#define GEVT_TESTS_CPU_H

#include "gate.h"

#include <sys/resource.h>

static inline long long cpu_ns(clockid_t clock) {
  struct timespec used;
  clock_gettime(clock, &used);
  return used.tv_sec * SECOND + used.tv_nsec;
}

/* What the process has used. */
static inline long long process_cpu_ns(void) {
  return cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* What the calling thread has used. */
static inline long long thread_cpu_ns(void) {
  return cpu_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Checks that the whole process uses less than so much of a second in which nothing is asked of it, with fewer voluntary context
   switches. What was just done may spin for a moment before it parks, which is long on a busy machine: one such second has to come. */
static inline void stays_idle(const char *state, long long most_ns, long long most_switches) {
  struct rusage before, after;
  long long cpu, switches;
  int tries = 0;
  do {
    getrusage(RUSAGE_SELF, &before);
    cpu = process_cpu_ns();
    sleep_ns(SECOND);
    cpu = process_cpu_ns() - cpu;
    getrusage(RUSAGE_SELF, &after);
    switches = after.ru_nvcsw - before.ru_nvcsw;
  } while ((cpu >= most_ns || switches >= most_switches) && ++tries < 30);
  printf("%s: %lld us of CPU time, %lld switches in one second\n", state, cpu / 1000, switches);
  CHECK(cpu < most_ns);
  CHECK(switches < most_switches);
}

#endif
