/* A destroy allocates nothing, nor does a launch, once as much work as before fits into the memory that streams have. The program's own malloc counts.
   usage: allocations [host|cuda] */
#include "objects.h"
#include "own_malloc.h"

enum { STREAMS = 20, LAUNCHES = 500, ROUNDS = 20 };

/* Allocations of the calling thread, and of all threads. Volatile, as the compiler takes malloc for a function that changes no variable. */
static __thread volatile long mine __attribute__((tls_model("initial-exec")));
static long of_all;

#ifndef NO_MALLOC_OF_ITS_OWN
static int refuses_allocation(size_t size) {
  (void)size;
  mine++;
  __atomic_add_fetch(&of_all, 1, __ATOMIC_RELAXED);
  return 0;
}
#endif

static gevt_stream_t streams[STREAMS];
static int functions_run;

static void run(void *user) {
  (void)user;
  count_up(&functions_run);
}

/* Launches on all streams; with a gate, while all of them are blocked. Returns how often the launches allocated. */
static long launch_round(gate_t *gate) {
  long allocated;
  int stream, at;
  gevt_event_t closed = event_new();
  if (gate) {
    gate_close(gate, streams[0]);
    gate_await_entry(gate);
    CHECK_OK(gevt_record(closed, streams[0]));
    for (stream = 1; stream < STREAMS; stream++) CHECK_OK(gevt_stream_wait(streams[stream], closed, GEVT_WAIT_DEFAULT));
  }
  allocated = mine;
  for (at = 0; at < LAUNCHES; at++) {
    for (stream = 0; stream < STREAMS; stream++) CHECK_OK(gevt_stream_launch(streams[stream], run, NULL));
  }
  allocated = mine - allocated;
  if (gate) gate_open(gate);
  for (stream = 0; stream < STREAMS; stream++) CHECK_OK(gevt_stream_sync(streams[stream]));
  CHECK_OK(gevt_destroy(closed));
  return allocated;
}

static void launches(void) {
  int round;
  long before, in_all, expected = (long)ROUNDS * STREAMS * LAUNCHES;
  for (round = 0; round < 2; round++) {
    gate_t gate = GATE_CLOSED;
    launch_round(&gate);
  }
  functions_run = 0;
  before = __atomic_load_n(&of_all, __ATOMIC_RELAXED);
  for (round = 0; round < ROUNDS; round++) {
    gate_t gate = GATE_CLOSED;
    CHECK_EQUAL(launch_round(round % 2 ? &gate : NULL), 0);
  }
  in_all = __atomic_load_n(&of_all, __ATOMIC_RELAXED) - before;
  printf("  %ld allocations of all threads in %ld launches\n", in_all, expected);
  CHECK_EQUAL(count_of(&functions_run), expected);
  /* The rounds make events, waits and syncs. */
  CHECK(in_all < expected / 100);
}

static void destroys(void) {
  static gevt_event_t events[LAUNCHES];
  long before;
  int i;
  for (i = 0; i < LAUNCHES; i++) events[i] = event_new();
  before = mine;
  for (i = 0; i < LAUNCHES; i++) CHECK_OK(gevt_destroy(events[i]));
  CHECK_EQUAL(mine - before, 0);
}

static void the_counter_counts(void) {
  long before = mine;
  void *volatile memory = malloc(1);
  free(memory);
  CHECK(mine > before);
}

int main(int argc, char **argv) {
  int stream;
  subject_begin(argc, argv);
  if (!subject_is_host()) return subject_skip("what a driver allocates is its own");
  if (subject_tool()) return subject_skip("under %s, which has a malloc of its own", subject_tool());
  for (stream = 0; stream < STREAMS; stream++) streams[stream] = stream_new();
  RUN(the_counter_counts);
  RUN(destroys);
  RUN(launches);
  for (stream = 0; stream < STREAMS; stream++) CHECK_OK(gevt_stream_destroy(streams[stream]));
  return subject_end();
}
