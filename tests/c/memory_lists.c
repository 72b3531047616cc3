/* Memory that runs out where a list is long: gevt sets aside memory for calls that have begun, in blocks, and a list that is longer
   than a block has to be refused. The program's own malloc stands before the C library's.
   usage: memory_lists [host|cuda] */
#include "failing_malloc.h"
#include "objects.h"

/* A list of so many entries is longer than a block. */
enum { MANY = 600 };
static gevt_stream_t streams[MANY];
static gevt_event_t events[MANY];

static int is_possible(gevt_status_t status) {
  return status == GEVT_SUCCESS || status == GEVT_ERROR_TIMEOUT || status == GEVT_ERROR_NOT_READY ||
         status == GEVT_ERROR_OUT_OF_MEMORY;
}

static gevt_status_t sync_all(void) {
  return gevt_sync_all(events, MANY, MILLISECOND);
}

static gevt_status_t sync_any(void) {
  size_t index;
  return gevt_sync_any(&index, events, MANY, MILLISECOND);
}

static gevt_status_t default_stream_query(void) {
  return gevt_stream_query(NULL);
}

static gevt_status_t default_stream_sync(void) {
  return gevt_stream_sync_timeout(NULL, MILLISECOND);
}

static gevt_status_t context_sync(void) {
  return gevt_context_sync_timeout(subject_context, MILLISECOND);
}

static gevt_status_t default_stream_record(void) {
  gevt_event_t event = event_new();
  gevt_status_t status = gevt_record(event, NULL);
  CHECK_OK(gevt_destroy(event));
  return status;
}

/* Calls that make a list of streams or of events. */
static const struct {
  const char *name;
  gevt_status_t (*make)(void);
} calls[] = {
    {"sync_all", sync_all},
    {"sync_any", sync_any},
    {"query of the default stream", default_stream_query},
    {"sync of the default stream", default_stream_sync},
    {"sync of the context", context_sync},
    {"record on the default stream", default_stream_record},
};

static void streams_and_events(void) {
  gevt_stream_t held = stream_new();
  gevt_event_t behind = event_new();
  gate_t gate = GATE_CLOSED;
  size_t call;
  int at;
  gate_close(&gate, held);
  CHECK_OK(gevt_record(behind, held));
  for (at = 0; at < MANY; at++) {
    streams[at] = stream_new();
    events[at] = event_new();
    CHECK_OK(gevt_stream_wait(streams[at], behind, GEVT_WAIT_DEFAULT));
    CHECK_OK(gevt_record(events[at], streams[at]));
  }
  for (call = 0; call < sizeof calls / sizeof *calls; call++) {
    gevt_status_t status;
    all_of_mine_fail = 1;
    status = calls[call].make();
    all_of_mine_fail = 0;
    if (!CHECK(is_possible(status))) printf("    %s: %s\n", calls[call].name, gevt_last_message());
    status = calls[call].make();
    if (!CHECK(is_possible(status) && status != GEVT_ERROR_OUT_OF_MEMORY)) printf("    %s\n", calls[call].name);
  }
  gate_open(&gate);
  for (at = 0; at < MANY; at++) {
    stream_finish(streams[at]);
    CHECK_OK(gevt_destroy(events[at]));
  }
  stream_finish(held);
  CHECK_OK(gevt_destroy(behind));
}

/* More of gevt's threads than a block has room to list. */
typedef struct asleep {
  gevt_event_t event;
  int begun, done;
} asleep_t;

static void sleep_in_gevt(void *user) {
  asleep_t *asleep = (asleep_t *)user;
  count_up(&asleep->begun);
  CHECK_OK(gevt_sync(asleep->event));
  count_up(&asleep->done);
}

/* A function that computes until it may end. */
typedef struct busy {
  int begun, may_end;
} busy_t;

static void compute(void *user) {
  busy_t *busy = (busy_t *)user;
  count_up(&busy->begun);
  while (!count_of(&busy->may_end)) {}
}

static void threads(void) {
  gate_t source_gate = GATE_CLOSED;
  busy_t busy = {0, 0};
  gevt_stream_t source = stream_new(), held = stream_new(), other = stream_new();
  asleep_t asleep = {NULL, 0, 0};
  int at, ran = 0;
  asleep.event = event_new();
  gate_close(&source_gate, source);
  CHECK_OK(gevt_record(asleep.event, source));
  for (at = 0; at < MANY; at++) {
    streams[at] = stream_new();
    CHECK_OK(gevt_stream_launch(streams[at], sleep_in_gevt, &asleep));
  }
  CHECK(count_await(&asleep.begun, MANY));
  CHECK_OK(gevt_host_set_threads(1));
  /* A function computes in the only place, and another one is due: so gevt watches its threads, and lists them for that, until it ends. One
     that sleeps would lose its place. */
  CHECK_OK(gevt_stream_launch(held, compute, &busy));
  CHECK(count_await(&busy.begun, 1));
  __atomic_store_n(&all_fail, 1, __ATOMIC_SEQ_CST);
  check_ignore(gevt_stream_launch(other, count_up, &ran));
  /* On a busy machine it may have made the list before, while there was memory, and keeps it. */
  CHECK(count_await(&long_ones_of_watcher, 1));
  __atomic_store_n(&all_fail, 0, __ATOMIC_SEQ_CST);
  count_up(&busy.may_end);
  gate_open(&source_gate);
  for (at = 0; at < MANY; at++) stream_finish(streams[at]);
  CHECK_EQUAL(asleep.done, MANY);
  stream_finish(source);
  stream_finish(held);
  stream_finish(other);
  CHECK_OK(gevt_destroy(asleep.event));
  CHECK_OK(gevt_host_set_threads(0));
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  /* The allocations of the driver fail as well, and not all of them are its to survive. */
  if (!subject_is_host()) return subject_skip("a driver does not survive that its allocations fail");
  RUN_UNLESS_WATCHED(streams_and_events, "it has a malloc of its own");
  RUN_UNLESS_WATCHED(threads, "it has a malloc of its own");
  return subject_end();
}
