/* Many threads at once: handles, more records than are counted, and a small stack. tests/scenarios/many_threads.scn and races.scn have more of what
   they do. */
#include "objects.h"

enum { THREADS = 4 };

/* Values stay unique when slots are used again and again, and move between threads; old ones stay dead. */
enum { VALUES = 100000 };
static uintptr_t *unique_values;
static int unique_turn;

static void *unique_body(void *user) {
  uintptr_t *values = unique_values + (size_t)__atomic_fetch_add(&unique_turn, 1, __ATOMIC_SEQ_CST) * VALUES;
  gevt_event_t held[16] = {NULL};
  int i, failures = 0;
  (void)user;
  for (i = 0; i < VALUES; i++) {
    gevt_event_t event = NULL;
    failures += gevt_create(&event, GEVT_EVENT_DEFAULT) != GEVT_SUCCESS;
    values[i] = (uintptr_t)event;
    if (held[i % 16]) failures += gevt_destroy(held[i % 16]) != GEVT_SUCCESS;
    held[i % 16] = event;
  }
  for (i = 0; i < 16; i++) failures += gevt_destroy(held[i]) != GEVT_SUCCESS;
  CHECK_EQUAL(failures, 0);
  return NULL;
}

static int compare_values(const void *left, const void *right) {
  uintptr_t a = *(const uintptr_t *)left, b = *(const uintptr_t *)right;
  return a < b ? -1 : a > b;
}

static void values_never_repeat(void) {
  size_t repeated = 0, accepted = 0, i;
  unique_values = (uintptr_t *)calloc((size_t)VALUES * THREADS, sizeof *unique_values);
  if (!CHECK(unique_values != NULL)) return;
  run_threads(THREADS, unique_body, NULL);
  for (i = 0; i < (size_t)VALUES * THREADS; i += 1000) {
    accepted += gevt_query((gevt_event_t)unique_values[i]) != GEVT_ERROR_INVALID_HANDLE;
  }
  CHECK_EQUAL(accepted, 0);
  qsort(unique_values, (size_t)VALUES * THREADS, sizeof *unique_values, compare_values);
  for (i = 1; i < (size_t)VALUES * THREADS; i++) repeated += unique_values[i] == unique_values[i - 1];
  CHECK_EQUAL(repeated, 0);
  CHECK(unique_values[0] != 0);
  free(unique_values);
}

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
  (void)user;
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
  RUN(values_never_repeat);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
