/* What only CUDA has: stream captures, contexts that their owner destroys, and kernels that fail. */
#ifndef GEVT_TESTS_CONFORMANCE_CAPTURES_H
#define GEVT_TESTS_CONFORMANCE_CAPTURES_H

#include "../owned.h"
#include "case.h"

/* A stream that this program owns, in the current context. */
static inline owned_stream_t stream_owned(void) {
  owned_stream_t owned = {NULL, NULL};
  DRIVER_PREPARE(driver.stream_create(&owned.native, DRIVER_STREAM_NON_BLOCKING));
  CHECK_OK(gevt_stream_wrap(&owned.stream, NULL, owned.native));
  return owned;
}

static inline owned_stream_t capture_prepare(void) {
  place_begin();
  driver_load_captures();
  return stream_owned();
}

static inline void capture_begin(const owned_stream_t *owned, int mode) {
  int code = driver.capture_begin(owned->native, mode);
  if (code == DRIVER_NOT_SUPPORTED) driver_skip("NOT_SUPPORTED: cuStreamBeginCapture_v2");
  say_code("begin", code);
}

static inline void *capture_end(const owned_stream_t *owned) {
  void *graph = NULL;
  say_code("end", driver.capture_end(owned->native, &graph));
  return graph;
}

static void capture_record(void) {
  owned_stream_t owned = capture_prepare();
  gevt_event_t event = event_here(), next = event_here();
  float ms;
  capture_begin(&owned, DRIVER_CAPTURE_RELAXED);
  say_code("rec", gevt_record(event, owned.stream));
  say_code("q", gevt_query(event));
  say_code("y", gevt_sync(event));
  CHECK_OK(gevt_record(next, owned.stream));
  say_code("el", gevt_elapsed(&ms, event, next));
  capture_end(&owned);
  say_code("q_after", gevt_query(event));
  say_code("el_after", gevt_elapsed(&ms, event, next));
  say_code("rerec", gevt_record(event, owned.stream));
  say_code("y2", gevt_sync(event));
}

static void capture_query_global_mode(void) {
  owned_stream_t owned = capture_prepare();
  gevt_event_t event = event_here();
  CHECK_OK(gevt_record(event, owned.stream));
  CHECK_OK(gevt_sync(event));
  capture_begin(&owned, DRIVER_CAPTURE_GLOBAL);
  say_code("q", gevt_query(event));
  say_code("create", gevt_create_in(&event, NULL, 0));
  capture_end(&owned);
}

static void capture_sync_invalidates(void) {
  owned_stream_t owned = capture_prepare();
  gevt_event_t event = event_here();
  capture_begin(&owned, DRIVER_CAPTURE_GLOBAL);
  CHECK_OK(gevt_record(event, owned.stream));
  say_code("y", gevt_sync(event));
  capture_end(&owned);
}

static void capture_external(void) {
  owned_stream_t owned = capture_prepare();
  gevt_event_t first = event_here(), second = event_here(), awaited = NULL;
  void *graph, *executable = NULL;
  float ms;
  CHECK_OK(gevt_create_in(&awaited, NULL, GEVT_EVENT_DISABLE_TIMING));
  capture_begin(&owned, DRIVER_CAPTURE_RELAXED);
  say_code("ra", gevt_record_with_flags(first, owned.stream, GEVT_RECORD_EXTERNAL));
  say_code("rb", gevt_record_with_flags(second, owned.stream, GEVT_RECORD_EXTERNAL));
  say_code("q_in", gevt_query(first));
  say_code("w_ext", gevt_stream_wait(owned.stream, awaited, GEVT_WAIT_EXTERNAL));
  graph = capture_end(&owned);
  say_code("inst", driver.graph_instantiate(&executable, graph, 0));
  say_code("el_before", gevt_elapsed(&ms, first, second));
  say_code("launch", driver.graph_launch(executable, owned.native));
  say_code("ss", gevt_stream_sync(owned.stream));
  say_code("q", gevt_query(first));
  say_code("el", gevt_elapsed(&ms, first, second));
  say_code("launch2", driver.graph_launch(executable, owned.native));
  say_code("ss2", gevt_stream_sync(owned.stream));
  say_code("el2", gevt_elapsed(&ms, first, second));
}

static void capture_wait_external_uncaptured_event(void) {
  owned_stream_t owned = capture_prepare();
  gevt_event_t event = event_here();
  CHECK_OK(gevt_record(event, stream_here()));
  CHECK_OK(gevt_sync(event));
  /* The driver's case does not tell of this call. */
  DRIVER_PREPARE(driver.capture_begin(owned.native, DRIVER_CAPTURE_RELAXED));
  say_code("w_plain", gevt_stream_wait(owned.stream, event, GEVT_WAIT_DEFAULT));
  capture_end(&owned);
}

/* Goes on where the driver's case ends: the next call that has to ask the driver finds the context gone, and from then on
   its finished events say so. */
static void context_destroyed(void) {
  place_t first = place_begin(), other = place_other(&first);
  gevt_event_t event;
  gevt_stream_t stream;
  place_enter(&other);
  event = event_here();
  stream = stream_here();
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_sync(event));
  say_code("cd", driver.context_destroy(other.native));
  place_enter(&first);
  say_code("q", gevt_query(event));
  say_code("rec", gevt_record(event, stream));
  say_code("q_then", gevt_query(event));
}

/* Writes to an invalid address. */
static const char failing_kernel[] = ".version 7.0\n"
                                     ".target sm_70\n"
                                     ".address_size 64\n"
                                     ".visible .entry boom()\n"
                                     "{\n"
                                     "  .reg .b32 %r<2>;\n"
                                     "  .reg .b64 %rd<2>;\n"
                                     "  mov.u64 %rd1, 16;\n"
                                     "  mov.u32 %r1, 1;\n"
                                     "  st.global.u32 [%rd1], %r1;\n"
                                     "  ret;\n"
                                     "}\n";

static void sticky_error(void) {
  void *module = NULL, *function = NULL;
  gevt_event_t before, event, created = NULL;
  owned_stream_t owned;
  place_begin();
  driver_load_kernels();
  DRIVER_PREPARE(driver.module_load(&module, failing_kernel));
  DRIVER_PREPARE(driver.module_function(&function, module, "boom"));
  owned = stream_owned();
  before = event_here();
  event = event_here();
  CHECK_OK(gevt_record(before, owned.stream));
  CHECK_OK(gevt_sync(before));
  say_code("q_before", gevt_query(before));
  DRIVER_PREPARE(driver.kernel_launch(function, 1, 1, 1, 1, 1, 1, 0, owned.native, NULL, NULL));
  say_code("rec", gevt_record(event, owned.stream));
  say_code("y", gevt_sync(event));
  say_code("q", gevt_query(event));
  say_code("q_completed_before", gevt_query(before));
  say_code("create", gevt_create_in(&created, NULL, 0));
  say_code("destroy", gevt_destroy(event));
}

#endif
