/* Every function of tests/functions.def, called once with good arguments. In a forked child and at the end of the process all that
   can be refused give one answer and leave their outputs alone. */
#ifndef GEVT_TESTS_EVERY_CALL_H
#define GEVT_TESTS_EVERY_CALL_H

#include "functions.h"

typedef function_arguments_t live_objects_t;

static inline live_objects_t live_objects_make(void) {
  live_objects_t live;
  int has_ipc = !subject_is_vulkan();
#ifdef _WIN32
  has_ipc = 0;
#endif
  memset(&live, 0, sizeof live);
  CHECK_OK(gevt_context_open(&live.context, subject_backend, 0));
  live.stream = stream_in(live.context, GEVT_STREAM_NON_BLOCKING);
  live.event = live.end = event_new();
  CHECK_OK(gevt_record(live.event, live.stream));
  CHECK_OK(gevt_sync(live.event));
  live.shared = event_with(GEVT_EVENT_DISABLE_TIMING | (has_ipc ? GEVT_EVENT_INTERPROCESS : 0));
  if (has_ipc) CHECK_OK(gevt_ipc_export(&live.handle, live.shared));
  CHECK_OK(gevt_record(live.shared, live.stream));
  CHECK_OK(gevt_sync(live.shared));
  /* A CUDA stream may finish a moment after the last event recorded on it. */
  CHECK_OK(gevt_stream_sync(live.stream));
  return live;
}

static inline void live_objects_finish(live_objects_t live) {
  CHECK_OK(gevt_query(live.event));
  CHECK_OK(gevt_stream_query(live.stream));
  CHECK_OK(gevt_query(live.shared));
  CHECK_OK(gevt_destroy(live.event));
  CHECK_OK(gevt_destroy(live.shared));
  CHECK_OK(gevt_stream_destroy(live.stream));
  CHECK_OK(gevt_context_close(live.context));
}

/* The second time, of an event in shared memory, which no forked child may touch. The message is not looked at: at the end of the process its
   thread's memory of it may be gone. */
static inline void every_call_answers(live_objects_t live, gevt_status_t status, gevt_detail_t detail) {
  size_t i;
  for (i = 0; i < 2 * FUNCTIONS; i++) {
    const size_t at = i % FUNCTIONS;
    function_outputs_t o;
    int before = check_failures();
    if (i == FUNCTIONS) live.event = live.end = live.shared;
    if (at == 0) function_arguments_complete(&live);
    if (functions[at].kind == ENDS) continue;
    pattern_fill(&o, sizeof o);
    if (functions[at].kind == FREE)
      CHECK_OK(functions[at].call(&live, &o));
    else if (CHECK_STATUS(functions[at].call(&live, &o), status))
      CHECK_DETAIL(detail);
    CHECK(function_outputs_intact(&o));
    if (check_failures() != before) printf("    in %s\n", functions[at].name);
  }
}

/* Makes every call, except where a call ends an object or takes a native one: the arguments have none. What the calls make ends. */
static inline void every_call_made(live_objects_t live) {
  size_t i;
  /* Never reset: callbacks may run after the calls. */
  functions_may_run = 1;
  function_arguments_complete(&live);
  for (i = 0; i < FUNCTIONS; i++) {
    function_outputs_t o;
    memset(&o, 0, sizeof o);
    if (functions[i].kind == ENDS || strstr(functions[i].name, "wrap") || strstr(functions[i].name, "vulkan")) continue;
    check_ignore(functions[i].call(&live, &o));
    /* This function returns an existing context. */
    if (strcmp(functions[i].name, "gevt_context_get_current") == 0) o.context = NULL;
    if (o.context) CHECK_OK(gevt_context_close(o.context));
    if (o.event) CHECK_OK(gevt_destroy(o.event));
    if (o.stream) CHECK_OK(gevt_stream_destroy(o.stream));
  }
  check_ignore(gevt_trace_stop());
  CHECK_OK(gevt_stream_sync(live.stream));
}

/* Calls that end things, as destructors make them: they succeed and touch nothing. */
static inline void every_end_succeeds(live_objects_t live) {
  size_t i;
  function_outputs_t o;
  for (i = 0; i < FUNCTIONS; i++) {
    if (functions[i].kind == ENDS) CHECK_OK(functions[i].call(&live, &o));
  }
  CHECK_OK(gevt_destroy(live.event));
  CHECK_OK(gevt_destroy(live.shared));
}

#endif
