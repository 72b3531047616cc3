/* Pointers: arrays of events, also large ones, and the pointers of callbacks. */
#include "objects.h"

static void null_pointers(void) {
  gevt_event_t event = event_new();
  size_t index;
  pattern_fill(&index, sizeof index);
  CHECK_OK(gevt_sync_all(NULL, 0, GEVT_TIMEOUT_INFINITE));
  CHECK_FAILS(gevt_sync_all(NULL, 1, 0), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_sync_any(&index, NULL, 1, 0), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_sync_any(NULL, &event, 1, 0), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK(pattern_intact(&index, sizeof index));
  CHECK_OK(gevt_destroy(event));
}

/* As every other pointer, the array's need not be aligned: programs that pack their structures pass such ones. */
static void arrays_that_are_not_aligned(void) {
  gevt_event_t events[2];
  char packed[1 + sizeof events];
  gevt_event_t *array = (gevt_event_t *)(void *)(packed + ((uintptr_t)packed % sizeof *events == 0));
  size_t index = 99;
  events[0] = event_new();
  events[1] = event_new();
  memcpy((void *)array, events, sizeof events);
  CHECK_OK(gevt_sync_all(array, 2, GEVT_TIMEOUT_INFINITE));
  CHECK_OK(gevt_sync_any(&index, array, 2, GEVT_TIMEOUT_INFINITE));
  CHECK_EQUAL(index, 0);
  CHECK_OK(gevt_destroy(events[1]));
  CHECK_FAILS(gevt_sync_all(array, 2, 0), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  CHECK_FAILS(gevt_sync_all(array, SIZE_MAX, 0), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_ARGUMENT);
  CHECK_OK(gevt_destroy(events[0]));
}

/* One timeout for all together, not one for each: 1,000 pending events and a second each would be half an hour. */
static void timeout_is_for_all_together(void) {
  enum { MANY = 1000 };
  gate_t gate = GATE_CLOSED;
  gevt_stream_t stream = stream_new();
  gevt_event_t events[MANY];
  long long start, took;
  size_t index;
  int i;
  /* Recorded before anything is pending: the driver creates its events then, and creating many may wait for the device. */
  for (i = 0; i < MANY; i++) {
    events[i] = event_new();
    CHECK_OK(gevt_record(events[i], stream));
  }
  CHECK_OK(gevt_stream_sync(stream));
  gate_close(&gate, stream);
  for (i = 0; i < MANY; i++) CHECK_OK(gevt_record(events[i], stream));
  start = now_ns();
  CHECK_STATUS(gevt_sync_all(events, MANY, SECOND), GEVT_ERROR_TIMEOUT);
  CHECK_STATUS(gevt_sync_any(&index, events, MANY, SECOND), GEVT_ERROR_TIMEOUT);
  took = now_ns() - start;
  CHECK(took >= 2 * SECOND);
  CHECK(took < HANG_LIMIT);
  gate_open(&gate);
  CHECK_OK(gevt_sync_all(events, MANY, GEVT_TIMEOUT_INFINITE));
  for (i = 0; i < MANY; i++) CHECK_OK(gevt_destroy(events[i]));
  stream_finish(stream);
}

/* The consumer's loop: take whichever is finished, until none is left. */
static void any_drains_a_set(void) {
  enum { MANY = 64 };
  gevt_stream_t streams[MANY];
  gevt_event_t events[MANY];
  int counter = 0, left = MANY, i;
  for (i = 0; i < MANY; i++) {
    streams[i] = stream_new();
    events[i] = event_new();
    CHECK_OK(gevt_stream_launch(streams[i], count_up, &counter));
    CHECK_OK(gevt_record(events[i], streams[i]));
  }
  while (left > 0) {
    size_t index = MANY;
    if (!CHECK_OK(gevt_sync_any(&index, events, (size_t)left, GEVT_TIMEOUT_INFINITE)) || !CHECK(index < (size_t)left))
      return;
    CHECK_OK(gevt_query(events[index]));
    CHECK_OK(gevt_destroy(events[index]));
    events[index] = events[--left];
  }
  CHECK_EQUAL(count_of(&counter), MANY);
  for (i = 0; i < MANY; i++) stream_finish(streams[i]);
}

/* The user pointer belongs to the caller: NULL is as good as any. */
static int null_user_calls;

static void note_null_user(void *user, gevt_status_t status) {
  CHECK(user == NULL);
  CHECK_EQUAL(status, GEVT_SUCCESS);
  count_up(&null_user_calls);
}

static void null_user(void) {
  gevt_event_t event = event_new();
  CHECK_OK(gevt_record(event, NULL));
  CHECK_OK(gevt_on_complete(event, note_null_user, NULL));
  CHECK(count_await(&null_user_calls, 1));
  CHECK_OK(gevt_destroy(event));
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN(null_pointers);
  RUN(arrays_that_are_not_aligned);
  RUN(timeout_is_for_all_together);
  RUN(any_drains_a_set);
  RUN(null_user);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
