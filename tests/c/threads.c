/* More records at once than are counted, and a small stack. tests/scenarios/many_threads.scn and races.scn have more of what many threads do. */
#include "objects.h"

/* More threads record one event at once than its word can count. Where the system allows it, no thread gives its core away
   by itself. Each record waits for its turn, and none is lost. */
enum { CROWD = 48, CROWD_RECORDS = 2000 };

static void *crowd_body(void *event) {
  struct sched_param high;
  gevt_stream_t stream;
  int i;
  memset(&high, 0, sizeof high);
  high.sched_priority = 1;
  CHECK_OK(gevt_context_set_current(subject_context));
  stream = stream_new();
  (void)pthread_setschedparam(pthread_self(), SCHED_FIFO, &high);
  for (i = 0; i < CROWD_RECORDS; i++) {
    if (!CHECK_OK(gevt_record((gevt_event_t)event, stream))) break;
  }
  stream_finish(stream);
  return NULL;
}

static void crowd(void) {
  pthread_t threads[CROWD];
  gevt_event_t event = event_new();
  int i;
  for (i = 0; i < CROWD; i++) threads[i] = thread_start(crowd_body, event);
  for (i = 0; i < CROWD; i++) thread_join(threads[i]);
  CHECK_EQUAL(event_info(event).record_count, CROWD * CROWD_RECORDS);
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_destroy(event));
}

/* Makes the first use of gevt threads, on a thread with a small stack. */
static void *first_use_body(void *user) {
  gevt_event_t event = NULL;
  gevt_stream_t stream = NULL;
  CHECK_OK(gevt_context_set_current(subject_context));
  CHECK_OK(gevt_create(&event, GEVT_EVENT_DEFAULT));
  CHECK_OK(gevt_stream_create(&stream, subject_context, GEVT_STREAM_NON_BLOCKING));
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_stream_launch(stream, count_up, user));
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_stream_destroy(stream));
  return NULL;
}

static void a_small_stack_serves(void) {
  pthread_attr_t attributes;
  pthread_t thread;
  int ran = 0;
  CHECK_EQUAL(pthread_attr_init(&attributes), 0);
  CHECK_EQUAL(pthread_attr_setstacksize(&attributes, 16384), 0);
  if (CHECK_EQUAL(pthread_create(&thread, &attributes, first_use_body, &ran), 0)) thread_join(thread);
  CHECK_EQUAL(pthread_attr_destroy(&attributes), 0);
  CHECK_EQUAL(ran, 1);
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  /* First. Frames of instrumented code are larger. */
  if (!subject_tool()) RUN(a_small_stack_serves);
  RUN(crowd);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
