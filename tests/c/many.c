/* Calls about very many objects take time in proportion to their number. The test compares CPU time for many with CPU time for few:
   a clock would measure how busy the machine is.
   usage: many [host] */
#include "objects.h"

enum { FEW = 5000, TIMES = 8, MANY = FEW * TIMES };

/* Quadratic work takes TIMES times TIMES as long. Less than a millisecond for the few counts as one: so short a time
   says little. */
static void check_ratio(const char *what, long long few, long long many) {
  printf("%s: %lld us for %d, %lld us for %d\n", what, few / 1000, (int)FEW, many / 1000, (int)MANY);
  if (few < MILLISECOND) few = MILLISECOND;
  CHECK(many < few * TIMES * 3);
}

typedef struct crowd {
  gevt_event_t *events;
  size_t count;
  int waiter_id;
} crowd_t;

static void *wait_for_any(void *user) {
  crowd_t *crowd = (crowd_t *)user;
  size_t index = 0;
  CHECK_OK(gevt_context_set_current(subject_context));
  thread_publish(&crowd->waiter_id);
  CHECK_OK(gevt_sync_any(&index, crowd->events, crowd->count, UINT64_MAX));
  return NULL;
}

/* A call that waits for all of so many events, or for any. Another thread may wait for the same events. They are all recorded on one stream after a
   closed gate, each after a separate function. */
static long long wait_time(size_t count, int all, int beside) {
  crowd_t crowd = {(gevt_event_t *)calloc(count, sizeof(gevt_event_t)), count, 0};
  gevt_stream_t stream = stream_new();
  gate_t gate = GATE_CLOSED;
  pthread_t other = pthread_self();
  size_t index = 0, i;
  long long began;
  int functions = 0;
  gate_close(&gate, stream);
  for (i = 0; i < count; i++) {
    CHECK_OK(gevt_create(&crowd.events[i], GEVT_EVENT_DISABLE_TIMING));
    CHECK_OK(gevt_stream_launch(stream, count_up, &functions));
    CHECK_OK(gevt_record(crowd.events[i], stream));
  }
  if (beside) {
    other = thread_start(wait_for_any, &crowd);
    CHECK(thread_await_parked(&crowd.waiter_id));
  }
  began = thread_cpu_ns();
  if (all) {
    CHECK_STATUS(gevt_sync_all(crowd.events, count, 1), GEVT_ERROR_TIMEOUT);
    gate_open(&gate);
    CHECK_OK(gevt_sync_all(crowd.events, count, UINT64_MAX));
  } else {
    CHECK_STATUS(gevt_sync_any(&index, crowd.events, count, 1), GEVT_ERROR_TIMEOUT);
  }
  began = thread_cpu_ns() - began;
  gate_open(&gate);
  if (beside) thread_join(other);
  stream_finish(stream);
  for (i = 0; i < count; i++) CHECK_OK(gevt_destroy(crowd.events[i]));
  free(crowd.events);
  return began;
}

static long long destroy_time(size_t count) {
  gevt_stream_t *streams = (gevt_stream_t *)calloc(count, sizeof *streams);
  long long began;
  size_t i;
  for (i = 0; i < count; i++) streams[i] = stream_new();
  began = thread_cpu_ns();
  for (i = 0; i < count; i++) CHECK_OK(gevt_stream_destroy(streams[i]));
  began = thread_cpu_ns() - began;
  free(streams);
  return began;
}

static void waits_for_many(void) {
  int all, beside;
  for (all = 0; all < 2; all++) {
    for (beside = 0; beside < 2; beside++) {
      printf("%s", beside ? "beside another call, " : "");
      check_ratio(all ? "sync_all" : "sync_any", wait_time(FEW, all, beside), wait_time(MANY, all, beside));
    }
  }
}

static void streams_are_destroyed(void) {
  check_ratio("stream_destroy", destroy_time(FEW), destroy_time(MANY));
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN(waits_for_many);
  RUN(streams_are_destroyed);
  return subject_end();
}
