/* Host functions that mark their thread while they run, because such a thread may not call the driver. Not for a capture: a graph may run its
   function more than once. */
#ifndef GEVT_TESTS_HOST_FUNCTION_H
#define GEVT_TESTS_HOST_FUNCTION_H

#include "below.h"

typedef struct host_function {
  void (*function)(void *);
  void *user;
} host_function_t;

/* The calling thread runs one. */
static __thread int runs_function;

static void run_marked(void *user) {
  const host_function_t run = *(host_function_t *)user;
  free(user);
  runs_function = 1;
  run.function(run.user);
  runs_function = 0;
}

static unsigned launch_marked(void *on, void (*function)(void *), void *user) {
  host_function_t *run = (host_function_t *)malloc(sizeof *run);
  unsigned code;
  run->function = function;
  run->user = user;
  code = BELOW(cuLaunchHostFunc)(on, run_marked, run);
  if (code) free(run);
  return code;
}

#endif
