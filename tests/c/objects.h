/* Short ways to make the objects that nearly every case needs. Each checks that the making succeeded. */
#ifndef GEVT_TESTS_OBJECTS_H
#define GEVT_TESTS_OBJECTS_H

#include "gate.h"
#include "subject.h"

static inline gevt_event_t event_with(uint32_t flags) {
  gevt_event_t event = NULL;
  CHECK_OK(gevt_create(&event, flags));
  return event;
}

static inline gevt_event_t event_new(void) {
  return event_with(GEVT_EVENT_DEFAULT);
}

static inline gevt_stream_t stream_in(gevt_context_t context, uint32_t flags) {
  gevt_stream_t stream = NULL;
  CHECK_OK(gevt_stream_create(&stream, context, flags));
  return stream;
}

/* Non-blocking, and so independent of the default stream. */
static inline gevt_stream_t stream_new(void) {
  return stream_in(subject_context, GEVT_STREAM_NON_BLOCKING);
}

/* The ways to wait for one event, by number. */
enum { WAYS_TO_WAIT = 4 };

static inline gevt_status_t event_await(gevt_event_t event, int way) {
  size_t index = 0;
  switch (way) {
  case 0:
    return gevt_sync(event);
  case 1:
    return gevt_sync_timeout(event, HANG_LIMIT);
  case 2:
    return gevt_sync_all(&event, 1, HANG_LIMIT);
  default:
    return gevt_sync_any(&index, &event, 1, HANG_LIMIT);
  }
}

/* Destroys what a case is done with. The stream is drained first: its host functions may use the case's variables. */
static inline void stream_finish(gevt_stream_t stream) {
  CHECK_OK(gevt_stream_sync(stream));
  CHECK_OK(gevt_stream_destroy(stream));
}

static inline gevt_event_info_t event_info(gevt_event_t event) {
  gevt_event_info_t info;
  memset(&info, 0, sizeof info);
  info.size = sizeof info;
  CHECK_OK(gevt_get_info(&info, event));
  return info;
}

#endif
