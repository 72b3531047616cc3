/* Calls of a thread that ends. Once the C library has called the destructors of C++ and Rust thread-locals, it calls no others, so these calls
   register none.
   usage: thread_end [host] */
#include "objects.h"
#include "own_malloc.h"

extern void *__dso_handle;
typedef int registration_t(void (*)(void *), void *, void *);

static __thread int locals_have_ended __attribute__((tls_model("initial-exec")));
static int late_registrations;

/* Before the C library's. */
int __cxa_thread_atexit_impl(void (*end)(void *), void *object, void *library) {
  static registration_t *real;
  registration_t *found = __atomic_load_n(&real, __ATOMIC_RELAXED);
  if (!found) {
    void *symbol = dlsym(RTLD_NEXT, "__cxa_thread_atexit_impl");
    memcpy(&found, &symbol, sizeof found);
    __atomic_store_n(&real, found, __ATOMIC_RELAXED);
  }
  if (locals_have_ended) __atomic_add_fetch(&late_registrations, 1, __ATOMIC_RELAXED);
  return found(end, object, library);
}

static inline void locals_end(void *unused) {
  (void)unused;
  locals_have_ended = 1;
}

/* Counts from the time when the thread's locals have ended. Call it before the thread's first gevt call: the last destructor runs first. */
static inline void count_late_registrations(void) {
  CHECK_EQUAL(__cxa_thread_atexit_impl(locals_end, NULL, &__dso_handle), 0);
}

/* Calls from destructors of thread-specific data, which run after the thread's thread-locals are gone. */
static pthread_key_t key;
static gevt_stream_t stream;
static gevt_event_t event;
static gate_t gate = GATE_CLOSED;
static int entered, rounds, done, functions;

enum { ROUNDS = 4 };

static gevt_stream_t own_stream(void) {
  gevt_stream_t own = NULL;
  void *per_thread = (void *)(uintptr_t)2;
  CHECK_OK(gevt_stream_wrap(&own, subject_context, per_thread));
  return own;
}

static void wait_in_every_way(void) {
  size_t index = 7;
  gevt_stream_t own = own_stream();
  gevt_event_t mine = event_new();
  CHECK_STATUS(gevt_sync_timeout(event, 1), GEVT_ERROR_TIMEOUT);
  CHECK_STATUS(gevt_sync_any(&index, &event, 1, 1), GEVT_ERROR_TIMEOUT);
  CHECK_OK(gevt_stream_launch(own, count_up, &functions));
  CHECK_OK(gevt_record(mine, own));
  CHECK_OK(gevt_sync(mine));
  CHECK_OK(gevt_sync_any(&index, &mine, 1, UINT64_MAX));
  CHECK_OK(gevt_stream_sync(own));
  CHECK_OK(gevt_destroy(mine));
  CHECK_OK(gevt_stream_destroy(own));
}

/* Again in each round that the C library makes: in the first ones the thread's locals may still be there. */
static void at_thread_end(void *user) {
  wait_in_every_way();
  if (++rounds < ROUNDS) {
    CHECK_EQUAL(pthread_setspecific(key, user), 0);
    return;
  }
  count_up(&entered);
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_sync_all(&event, 1, UINT64_MAX));
  count_up(&done);
}

static void *end_with_data(void *user) {
  count_late_registrations();
  CHECK_OK(gevt_context_set_current(subject_context));
  if (user) wait_in_every_way();
  CHECK_EQUAL(pthread_setspecific(key, &key), 0);
  return NULL;
}

/* Of a thread that made no calls before, and of one that did. */
static void waits(void) {
  const gate_t closed = GATE_CLOSED;
  pthread_t thread;
  int made_calls;
  for (made_calls = 0; made_calls < 2; made_calls++) {
    gate = closed;
    rounds = entered = done = functions = 0;
    stream = stream_new();
    event = event_new();
    gate_close(&gate, stream);
    CHECK_OK(gevt_record(event, stream));
    thread = thread_start(end_with_data, made_calls ? &key : NULL);
    while (count_of(&entered) == 0) sleep_ns(MILLISECOND / 10);
    CHECK_EQUAL(count_of(&done), 0);
    gate_open(&gate);
    thread_join(thread);
    CHECK_EQUAL(count_of(&done), 1);
    CHECK_EQUAL(count_of(&functions), made_calls ? ROUNDS + 1 : ROUNDS);
    CHECK_EQUAL(late_registrations, 0);
    CHECK_OK(gevt_destroy(event));
    stream_finish(stream);
  }
}

/* A thread that has used gevt ends while another one is inside a create, and may hold a lock that the end needs. The program's own malloc stops
   the creating thread in each of its allocations. */
enum { EVENTS = 600, ENDS = 32 };

/* A thread that uses gevt, and ends once `may_end` is set. */
typedef struct ending {
  pthread_t thread;
  int has_used, may_end, tid;
} ending_t;

static ending_t endings[ENDS];
static __thread volatile int stops_here __attribute__((tls_model("initial-exec")));
/* How often the creating thread has stopped and has been allowed to continue; whether it has finished. */
static int stops, continues, is_done;

#ifndef NO_MALLOC_OF_ITS_OWN
static int refuses_allocation(size_t size) {
  (void)size;
  if (stops_here) {
    int stop = __atomic_add_fetch(&stops, 1, __ATOMIC_SEQ_CST);
    while (count_of(&continues) < stop) sched_yield();
  }
  return 0;
}
#endif

static void *create_many(void *user) {
  gevt_event_t *events = (gevt_event_t *)user;
  int i;
  stops_here = 1;
  for (i = 0; i < EVENTS; i++) CHECK_OK(gevt_create(&events[i], GEVT_EVENT_DEFAULT));
  stops_here = 0;
  count_up(&is_done);
  return NULL;
}

static void *use_and_end(void *user) {
  ending_t *ending = (ending_t *)user;
  gevt_event_t event;
  count_late_registrations();
  event = event_new();
  CHECK_OK(gevt_record(event, NULL));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_destroy(event));
  count_up(&ending->has_used);
  CHECK(count_await(&ending->may_end, 1));
  thread_publish(&ending->tid);
  return NULL;
}

static void a_thread_ends_during_each_allocation_of_a_create(void) {
  static gevt_event_t events[EVENTS];
  pthread_t creator;
  int end, waits = 0;
  for (end = 0; end < ENDS; end++) {
    endings[end].thread = thread_start(use_and_end, &endings[end]);
    CHECK(count_await(&endings[end].has_used, 1));
  }
  creator = thread_start(create_many, events);
  for (end = 0; !count_of(&is_done);) {
    if (count_of(&stops) == count_of(&continues)) continue;
    if (end < ENDS) {
      count_up(&endings[end].may_end);
      waits += thread_await_parked(&endings[end++].tid);
    }
    count_up(&continues);
  }
  printf("%d stops, %d ends that waited\n", stops, waits);
  /* Tools replace this program's malloc with their own. */
  if (!subject_tool()) CHECK(stops > 0 && stops <= ENDS && waits > 0);
  for (; end < ENDS; end++) count_up(&endings[end].may_end);
  for (end = 0; end < ENDS; end++) thread_join(endings[end].thread);
  thread_join(creator);
  CHECK_EQUAL(late_registrations, 0);
  for (end = 0; end < EVENTS; end++) CHECK_OK(gevt_destroy(events[end]));
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  CHECK_EQUAL(pthread_key_create(&key, at_thread_end), 0);
  /* First, while there are few free places for events. */
  RUN(a_thread_ends_during_each_allocation_of_a_create);
  if (subject_tool() && strcmp(subject_tool(), "tsan") == 0) {
    printf("SKIPPED: cases of specific data: ThreadSanitizer has forgotten a thread whose specific data is being "
           "destroyed\n");
  } else {
    RUN(waits);
  }
  return subject_end();
}
