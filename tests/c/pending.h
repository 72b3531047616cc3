/* Events that are pending and finish one by one, in an order that the test chooses.

   On the host each stands behind a closed gate in its own stream. CUDA runs all host functions of a context on one thread,
   where a closed gate holds back the functions of every stream: there the gates stand in one further stream, in the order in
   which they are to be opened, and each event's stream waits for what is recorded behind its gate. */
#ifndef GEVT_TESTS_PENDING_H
#define GEVT_TESTS_PENDING_H

#include "objects.h"

enum { PENDING_MOST = 8 };

typedef struct pending {
  int count;
  int order[PENDING_MOST];    /* in which the gates are opened */
  gate_t gates[PENDING_MOST]; /* gates[i] holds back events[i] */
  gevt_stream_t streams[PENDING_MOST];
  gevt_event_t events[PENDING_MOST];
  gevt_stream_t holder;              /* on CUDA: the stream with the gates, */
  gevt_event_t behind[PENDING_MOST]; /* and what is recorded behind each of them */
} pending_t;

/* Makes the events; a NULL order is that of the numbers. */
static inline void pending_make(pending_t *pending, int count, const int *order) {
  const gate_t closed = GATE_CLOSED;
  int i;
  pending->count = count;
  pending->holder = subject_is_host() ? NULL : stream_new();
  for (i = 0; i < count; i++) {
    pending->order[i] = order ? order[i] : i;
    pending->gates[i] = closed;
    pending->streams[i] = stream_new();
    pending->events[i] = event_new();
    pending->behind[i] = subject_is_host() ? NULL : event_new();
  }
  for (i = 0; i < count; i++) {
    int at = pending->order[i];
    if (pending->holder) {
      gate_close(&pending->gates[at], pending->holder);
      CHECK_OK(gevt_record(pending->behind[at], pending->holder));
      CHECK_OK(gevt_stream_wait(pending->streams[at], pending->behind[at], GEVT_WAIT_DEFAULT));
    } else {
      gate_close(&pending->gates[at], pending->streams[at]);
    }
    CHECK_OK(gevt_record(pending->events[at], pending->streams[at]));
  }
}

/* Ends all but the events. Their gates are opened where they are not yet. */
static inline void pending_finish_streams(pending_t *pending) {
  int i;
  for (i = 0; i < pending->count; i++) gate_open(&pending->gates[pending->order[i]]);
  for (i = 0; i < pending->count; i++) {
    stream_finish(pending->streams[i]);
    if (pending->holder) CHECK_OK(gevt_destroy(pending->behind[i]));
  }
  if (pending->holder) stream_finish(pending->holder);
}

static inline void pending_finish(pending_t *pending) {
  int i;
  pending_finish_streams(pending);
  for (i = 0; i < pending->count; i++) {
    CHECK_OK(gevt_sync(pending->events[i]));
    CHECK_OK(gevt_destroy(pending->events[i]));
  }
}

#endif
