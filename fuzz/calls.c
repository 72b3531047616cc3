/* The calls that bytes can spell, and a run of them. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "calls.h"

#include "call.h"
#include "times.h"
#include "vulkan.h"

#include <pthread.h>
#include <sys/mman.h>

enum { MAX_THREADS = 3, MAX_CALLS = 200, HANG_SECONDS = 300 };

/* The functions of gevt.h. An input byte is an index into the table. */
static struct {
  const char *name;
  void (*call)(input_t *input);
  unsigned long made;
} functions[] = {
#undef FUNCTION
#define FUNCTION(name, kind, handles, answers, call) {name##_name, call_##name, 0},
#include "../tests/functions.def"
#undef FUNCTION
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

size_t calls_count(void) {
  return FUNCTIONS;
}

const char *calls_name(size_t function) {
  return functions[function].name;
}

unsigned long calls_made(size_t function) {
  return __atomic_load_n(&functions[function].made, __ATOMIC_RELAXED);
}

void calls_begin(gevt_backend_t chosen) {
  backend = chosen;
  setenv("GEVT_BACKEND", chosen == GEVT_BACKEND_HOST ? "host" : "cuda", 1);
  setenv("GEVT_HOST_DEVICES", "2", 0);
  snprintf(trace_path, sizeof trace_path, "/proc/self/fd/%d", memfd_create("trace", MFD_CLOEXEC));
}

static void *run_thread(void *user) {
  input_t *input = (input_t *)user;
  gevt_status_t back;
  int calls;
  for (calls = 0; calls < MAX_CALLS && input->at < input->end; calls++) {
    size_t function = input_below(input, FUNCTIONS);
    __atomic_add_fetch(&functions[function].made, 1, __ATOMIC_RELAXED);
    functions[function].call(input);
  }
  back = gevt_context_set_current(NULL);
  judge_that(back == GEVT_SUCCESS, "gevt_context_set_current", "NULL is refused");
  return NULL;
}

/* Creates a few objects, to give most calls something to work with. */
static void make_objects(void) {
  int device;
  for (device = 0; device < 2; device++) {
    gevt_context_t context = NULL;
    int i;
    if (gevt_context_open(&context, backend, device) != GEVT_SUCCESS) break;
    objects_put(CONTEXT, (size_t)device, context);
    for (i = 0; i < 2; i++) {
      gevt_stream_t stream = NULL;
      gevt_event_t event = NULL;
      judge_that(gevt_stream_create(&stream, context, (uint32_t)i) == GEVT_SUCCESS, "gevt_stream_create", "no stream");
      judge_that(gevt_create_in(&event, context, i ? 2 : 0) == GEVT_SUCCESS, "gevt_create_in", "no event");
      objects_put(STREAM, (size_t)(2 * device + i), stream);
      objects_put(EVENT, (size_t)(2 * device + i), event);
    }
  }
}

/* Waits for all work that is still under way. */
static void drain(void) {
  int device, waits;
  for (device = 0; device < 2; device++) {
    gevt_context_t context = NULL;
    if (gevt_context_open(&context, backend, device) != GEVT_SUCCESS) break;
    judge_status("gevt_context_sync", gevt_context_sync(context), 0);
    judge_status("gevt_context_close", gevt_context_close(context), 0);
  }
  for (waits = 0; __atomic_load_n(&done, __ATOMIC_ACQUIRE) != __atomic_load_n(&given, __ATOMIC_ACQUIRE); waits++) {
    judge_that(waits < HANG_SECONDS * 20000, "gevt_stream_launch or gevt_on_complete", "a function was not called");
    pause_briefly(50000);
  }
}

void calls_run(const uint8_t *bytes, size_t size) {
  pthread_t threads[MAX_THREADS];
  input_t inputs[MAX_THREADS];
  size_t count, i;
  if (size < 2) return;
  count = 1 + bytes[0] % MAX_THREADS;
  __atomic_store_n(&alone, count == 1, __ATOMIC_RELAXED);
  make_objects();
  for (i = 0; i < count; i++) {
    inputs[i].at = bytes + 1 + (size - 1) * i / count;
    inputs[i].end = bytes + 1 + (size - 1) * (i + 1) / count;
  }
  for (i = 1; i < count; i++) {
    judge_that(pthread_create(&threads[i], NULL, run_thread, &inputs[i]) == 0, "pthread_create", "no thread");
  }
  run_thread(&inputs[0]);
  for (i = 1; i < count; i++) pthread_join(threads[i], NULL);
  drain();
  objects_end_all();
  judge_status("gevt_trace_stop", gevt_trace_stop(), ILLEGAL_STATE);
  judge_status("gevt_set_log_callback", gevt_set_log_callback(on_log, &given, GEVT_LOG_OFF), 0);
  judge_that(gevt_live_events() == 0, "gevt_live_events", "events are left");
}
