/* Many threads at once, on their own objects and on shared ones. */
#include "objects.h"

enum { THREADS = 4 };

static void *own_events_body(void *user) {
  gevt_stream_t stream = stream_new();
  int i;
  (void)user;
  CHECK_OK(gevt_context_set_current(subject_context));
  for (i = 0; i < 20000; i++) {
    gevt_event_t event = NULL;
    int64_t ns = -1;
    if (!CHECK_OK(gevt_create(&event, GEVT_EVENT_DEFAULT)) || !CHECK_OK(gevt_record(event, stream)) ||
        !CHECK_OK(gevt_sync(event)) || !CHECK_OK(gevt_query(event)) || !CHECK_OK(gevt_elapsed_ns(&ns, event, event)) ||
        !CHECK_EQUAL(ns, 0) || !CHECK_OK(gevt_destroy(event)) ||
        !CHECK_STATUS(gevt_query(event), GEVT_ERROR_INVALID_HANDLE)) {
      break;
    }
  }
  stream_finish(stream);
  return NULL;
}

static void own_events(void) {
  size_t before = gevt_live_events();
  run_threads(THREADS, own_events_body, NULL);
  CHECK_EQUAL(gevt_live_events(), before);
}

/* All threads record the same event, each on its own stream, and it completes with every record counted. */
static void *record_shared_body(void *user) {
  gevt_stream_t stream = stream_new();
  int i, counter = 0;
  for (i = 0; i < 5000; i++) {
    CHECK_OK(gevt_stream_launch(stream, count_up, &counter));
    if (!CHECK_OK(gevt_record((gevt_event_t)user, stream))) break;
  }
  stream_finish(stream);
  CHECK_EQUAL(counter, 5000);
  return NULL;
}

static void record_shared(void) {
  gevt_event_t event = event_new();
  run_threads(THREADS, record_shared_body, event);
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_query(event));
  CHECK_EQUAL(event_info(event).record_count, 5000 * THREADS);
  CHECK_OK(gevt_destroy(event));
}

/* One stream fed by all. */
typedef struct feed {
  gevt_stream_t stream;
  int counter;
} feed_t;

static void *feed_body(void *user) {
  feed_t *feed = (feed_t *)user;
  int i;
  for (i = 0; i < 10000; i++) {
    if (!CHECK_OK(gevt_stream_launch(feed->stream, count_up, &feed->counter))) break;
  }
  return NULL;
}

static void one_stream_many_threads(void) {
  feed_t feed;
  feed.stream = stream_new();
  feed.counter = 0;
  run_threads(THREADS, feed_body, &feed);
  CHECK_OK(gevt_stream_sync(feed.stream));
  CHECK_EQUAL(count_of(&feed.counter), 10000 * THREADS);
  stream_finish(feed.stream);
}

static void *fresh_detail_body(void *user) {
  (void)user;
  CHECK_DETAIL(GEVT_DETAIL_NONE);
  CHECK(strcmp(gevt_last_message(), "") == 0);
  CHECK_FAILS(gevt_create(NULL, 0), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  return NULL;
}

static void details_are_per_thread(void) {
  char message[512];
  check_ignore(gevt_query(NULL));
  snprintf(message, sizeof message, "%s", gevt_last_message());
  run_threads(THREADS, fresh_detail_body, NULL);
  CHECK_DETAIL(GEVT_DETAIL_NULL_HANDLE);
  CHECK(strcmp(gevt_last_message(), message) == 0);
}

/* Values also stay unique across threads when slots move between them. */
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
  size_t repeated = 0, i;
  unique_values = (uintptr_t *)calloc((size_t)VALUES * THREADS, sizeof *unique_values);
  if (!CHECK(unique_values != NULL)) return;
  run_threads(THREADS, unique_body, NULL);
  qsort(unique_values, (size_t)VALUES * THREADS, sizeof *unique_values, compare_values);
  for (i = 1; i < (size_t)VALUES * THREADS; i++) repeated += unique_values[i] == unique_values[i - 1];
  CHECK_EQUAL(repeated, 0);
  CHECK(unique_values[0] != 0);
  free(unique_values);
}

/* Short-lived threads leave nothing behind: what a thread kept for itself goes when it ends. */
static void *short_lived_body(void *user) {
  gevt_event_t *event = (gevt_event_t *)user;
  if (*event) CHECK_OK(gevt_destroy(*event));
  *event = event_new();
  CHECK_OK(gevt_record(*event, NULL));
  return NULL;
}

static void handles_outlive_their_threads(void) {
  gevt_event_t event = NULL;
  size_t before = gevt_live_events();
  int i;
  for (i = 0; i < 2000; i++) thread_join(thread_start(short_lived_body, &event));
  CHECK_EQUAL(gevt_live_events(), before + 1);
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_destroy(event));
}

/* More threads record one event at once than its word can count; where the system allows it, none of them gives its core away
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

/* The first use of gevt's threads, on a thread with a small stack. */
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
  RUN(own_events);
  RUN(record_shared);
  RUN(crowd);
  RUN(one_stream_many_threads);
  RUN(details_are_per_thread);
  RUN(values_never_repeat);
  RUN(handles_outlive_their_threads);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
