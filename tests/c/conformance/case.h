/* Building blocks of the cases. A case is one process. It prints `step=answer` for each call under test, in the order
   of the program that asked the driver; preparatory calls are checked instead. */
#ifndef GEVT_TESTS_CONFORMANCE_CASE_H
#define GEVT_TESTS_CONFORMANCE_CASE_H

#include "../objects.h"
#include "../driver.h"

static inline void say(const char *step, const char *answer) {
  printf("%s=%s ", step, answer);
  /* What was answered before a crash must not be lost. */
  fflush(stdout);
}

static inline void say_code(const char *step, int code) {
  char text[16];
  snprintf(text, sizeof text, "%d", code);
  say(step, text);
}

static inline void say_flags(uint32_t flags, int code) {
  char step[16];
  snprintf(step, sizeof step, "f%x", (unsigned)flags);
  say_code(step, code);
}

static inline void say_whether(const char *step, int holds) {
  say(step, holds ? "yes" : "no");
}

/* A context as gevt has it, and as the driver does; the latter only on CUDA. */
typedef struct place {
  gevt_context_t context;
  void *native;
  int device;
} place_t;

/* Makes it the thread's current one, for gevt and for the driver. */
static inline void place_enter(const place_t *place) {
  CHECK_OK(gevt_context_set_current(place->context));
  if (subject_is_cuda()) CHECK_EQUAL(driver.context_set_current(place->native), 0);
}

/* Leaves the thread without a current context. */
static inline void place_leave(void) {
  CHECK_OK(gevt_context_set_current(NULL));
  if (subject_is_cuda()) CHECK_EQUAL(driver.context_set_current(NULL), 0);
}

/* The context of a device: on CUDA its primary one. */
static inline place_t place_of_device(int number) {
  place_t place = {NULL, NULL, 0};
  if (subject_is_cuda()) {
    CHECK_EQUAL(driver.device_get(&place.device, number), 0);
    CHECK_EQUAL(driver.primary_retain(&place.native, place.device), 0);
  }
  CHECK_OK(gevt_context_open(&place.context, subject_backend, number));
  return place;
}

/* Starts the backend and enters the context of its first device. */
static inline place_t place_begin(void) {
  place_t place;
  if (subject_is_cuda()) {
    driver_load();
    CHECK_EQUAL(driver.init(0), 0);
  }
  place = place_of_device(0);
  subject_context = place.context;
  place_enter(&place);
  return place;
}

/* Another context: on CUDA one that the caller makes on the same device, elsewhere the second device. */
static inline place_t place_other(const place_t *first) {
  place_t place = {NULL, NULL, first->device};
  int32_t count = 0;
  if (!subject_is_cuda()) {
    CHECK_OK(gevt_device_count(&count, subject_backend));
    if (count < 2) driver_skip("one device");
    return place_of_device(1);
  }
  driver_load_contexts();
  DRIVER_PREPARE(driver.context_create(&place.native, 0, place.device));
  CHECK_OK(gevt_context_wrap(&place.context, GEVT_BACKEND_CUDA, place.native));
  return place;
}

/* An event that belongs to the current context from the start, as the driver's events do. */
static inline gevt_event_t event_here(void) {
  gevt_event_t event = NULL;
  CHECK_OK(gevt_create_in(&event, NULL, GEVT_EVENT_DEFAULT));
  return event;
}

/* A stream of the current context. */
static inline gevt_stream_t stream_here(void) {
  return stream_in(NULL, GEVT_STREAM_NON_BLOCKING);
}

/* Two events that are recorded on the stream, one after the other, and done. */
typedef struct event_pair {
  gevt_event_t first, second;
} event_pair_t;

static inline event_pair_t event_pair(uint32_t first_flags, uint32_t second_flags, gevt_stream_t stream) {
  event_pair_t pair;
  pair.first = event_with(first_flags);
  pair.second = event_with(second_flags);
  CHECK_OK(gevt_record(pair.first, stream));
  CHECK_OK(gevt_record(pair.second, stream));
  CHECK_OK(gevt_sync(pair.second));
  return pair;
}

static const uint32_t case_operation_flags[] = {0, 1, 2, 3, 4, UINT32_MAX};
enum { CASE_OPERATION_FLAGS = sizeof case_operation_flags / sizeof *case_operation_flags };

#endif
