/* Objects of a CUDA program that gevt borrows: the driver's contexts, streams and events, and gevt's handles of them.
   No context is a device's primary one, so if a primary context appears, gevt made it. */
#ifndef GEVT_TESTS_OWNED_H
#define GEVT_TESTS_OWNED_H

#include "driver.h"
#include "objects.h"

typedef struct owned_context {
  void *native;
  gevt_context_t context;
} owned_context_t;

typedef struct owned_stream {
  void *native;
  gevt_stream_t stream;
} owned_stream_t;

static inline void *current_native(void) {
  void *current = NULL;
  CHECK_EQUAL(driver.context_get_current(&current), 0);
  return current;
}

/* Returns whether the device's primary context is active. */
static inline int primary_is_active(int number) {
  unsigned flags = 0;
  int device = 0, active = -1;
  CHECK_EQUAL(driver.device_get(&device, number), 0);
  CHECK_EQUAL(driver.primary_state(device, &flags, &active), 0);
  return active != 0;
}

/* A new context of device 0, which is not left current. */
static inline owned_context_t owned_context_make(void) {
  owned_context_t owned = {NULL, NULL};
  void *popped = NULL;
  int device = 0;
  CHECK_EQUAL(driver.device_get(&device, 0), 0);
  DRIVER_PREPARE(driver.context_create(&owned.native, 0, device));
  CHECK_EQUAL(driver.context_pop(&popped), 0);
  CHECK(popped == owned.native);
  CHECK_OK(gevt_context_wrap(&owned.context, GEVT_BACKEND_CUDA, owned.native));
  return owned;
}

/* Makes the driver's call with a context current, and none afterwards. */
static inline void native_in(void *context, int (*make)(void **, unsigned), void **made, unsigned flags) {
  CHECK_EQUAL(driver.context_set_current(context), 0);
  DRIVER_PREPARE(make(made, flags));
  CHECK_EQUAL(driver.context_set_current(NULL), 0);
}

static inline owned_stream_t owned_stream_make(owned_context_t in) {
  owned_stream_t owned = {NULL, NULL};
  native_in(in.native, driver.stream_create, &owned.native, DRIVER_STREAM_NON_BLOCKING);
  CHECK_OK(gevt_stream_wrap(&owned.stream, in.context, owned.native));
  return owned;
}

static inline void *native_event_in(owned_context_t in) {
  void *native = NULL;
  native_in(in.native, driver.event_create, &native, 0);
  return native;
}

static inline gevt_event_t event_in(owned_context_t in) {
  gevt_event_t event = NULL;
  CHECK_OK(gevt_create_in(&event, in.context, GEVT_EVENT_DEFAULT));
  return event;
}

#endif
