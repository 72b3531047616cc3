/* Functions that gevt calls, and what is known of them. */
#ifndef GEVT_FUZZ_FUNCTIONS_H
#define GEVT_FUZZ_FUNCTIONS_H

#include "judge.h"
#include "objects.h"

#include <time.h>

/* The number of functions that were submitted, and of those that have run. */
static unsigned long given, done;
/* No other thread and no host function records events: an answer may be compared with the one before. */
static int alone;

static inline int is_alone(void) {
  return __atomic_load_n(&alone, __ATOMIC_RELAXED);
}

static inline void pause_briefly(long ns) {
  struct timespec pause;
  pause.tv_sec = 0;
  pause.tv_nsec = ns;
  nanosleep(&pause, NULL);
}

/* The argument encodes the operation and the event. This way no memory has to outlive the call. */
static void in_stream(void *user) {
  uintptr_t bits = (uintptr_t)user;
  gevt_event_t event = (gevt_event_t)objects_at(EVENT, (bits >> 4) % PLACES);
  gevt_stream_t stream = (gevt_stream_t)objects_at(STREAM, (bits >> 8) % PLACES);
  unsigned handle = INVALID_HANDLE | ILLEGAL_STATE;
  switch (bits & 7) {
  case 0:
    pause_briefly(50000);
    break;
  case 1:
    judge_status("gevt_query", gevt_query(event), handle | NOT_READY);
    break;
  case 2:
    judge_status("gevt_sync_timeout", gevt_sync_timeout(event, 20000), handle | TIMED_OUT);
    break;
  case 3:
    judge_status("gevt_record", gevt_record(event, stream), handle);
    break;
  case 4:
    judge_status("gevt_destroy", gevt_destroy(event), handle);
    break;
  case 5:
    judge_status("gevt_stream_wait", gevt_stream_wait(stream, event, GEVT_WAIT_DEFAULT), handle);
    break;
  default:
    break;
  }
  __atomic_add_fetch(&done, 1, __ATOMIC_RELEASE);
}

/* A host-signaled event exists: callbacks may get failures. */
static int signaled;

static void on_complete(void *user, gevt_status_t status) {
  judge_that(status == GEVT_SUCCESS || __atomic_load_n(&signaled, __ATOMIC_RELAXED), "gevt_on_complete",
             "a callback was told of a failure");
  in_stream(user);
}

/* The operation of the function. On CUDA, host functions may not call gevt. */
static inline void *user_of(input_t *input, int may_call) {
  uintptr_t bits = (uintptr_t)input_byte(input) | (uintptr_t)input_byte(input) << 8;
  if (!may_call) bits |= 7;
  if ((bits & 7) >= 3) __atomic_store_n(&alone, 0, __ATOMIC_RELAXED);
  return (void *)bits;
}

static inline void hand_over(int taken) {
  if (!taken) __atomic_sub_fetch(&given, 1, __ATOMIC_RELEASE);
}

/* A log callback that calls gevt does not receive the messages of its own calls. */
static void on_log(void *user, gevt_log_level_t level, const char *message) {
  static __thread int inside;
  judge_that(user == &given && level >= GEVT_LOG_ERROR && level <= GEVT_LOG_INFO, "gevt_set_log_callback",
             "wrong arguments");
  judge_that(*message != 0 && strchr(message, '\n') == NULL, "gevt_set_log_callback", "a message is no line");
  judge_that(!inside, "gevt_set_log_callback", "it was told of its own calls");
  inside = 1;
  judge_that(gevt_query(NULL) == GEVT_ERROR_INVALID_HANDLE, "gevt_query", "NULL is not refused");
  inside = 0;
}

#endif
