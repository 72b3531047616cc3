/* A thread that has used gevt ends while another one is inside a create, and may hold a lock that the end needs. It registers no destructor
   there: the C library calls none any more. The program's own malloc stops the creating thread in each of its allocations.
   usage: thread_end [host] */
#include "objects.h"
#include "own_malloc.h"
#include "registrations.h"

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
  RUN(a_thread_ends_during_each_allocation_of_a_create);
  return subject_end();
}
