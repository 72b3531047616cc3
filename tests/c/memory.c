/* Memory that runs out in create, record, query, sync, elapsed and destroy: each allocation that a call makes in a new thread fails in turn, and
   then all of them. No call ends the process; one that fails says OUT_OF_MEMORY and has changed nothing. The program's own malloc stands
   before the C library's.
   usage: memory [host|cuda] */
#include "failing_malloc.h"
#include "objects.h"

/* The arguments of the calls. The first two events are pending. */
static struct {
  gevt_stream_t stream;
  gevt_event_t event, shared, other, recorded;
  gate_t gate;
} given;

static gevt_status_t create_and_destroy(void) {
  gevt_event_t event = NULL;
  gevt_status_t status = gevt_create(&event, GEVT_EVENT_DEFAULT);
  CHECK((event != NULL) == (status == GEVT_SUCCESS));
  if (event) CHECK_OK(gevt_destroy(event));
  return status;
}

/* By a thread that has used no event before. */
static gevt_status_t destroy(void) {
  gevt_status_t status = gevt_destroy(given.other);
  if (status == GEVT_SUCCESS) given.other = NULL;
  return status;
}

static gevt_status_t record(void) {
  return gevt_record(given.other, given.stream);
}

static gevt_status_t record_default(void) {
  return gevt_record(given.other, NULL);
}

static gevt_status_t record_shared(void) {
  return gevt_record(given.shared, given.stream);
}

static gevt_status_t query(void) {
  gevt_status_t status = gevt_query(given.event);
  return status == GEVT_ERROR_NOT_READY ? GEVT_SUCCESS : status;
}

static gevt_status_t query_shared(void) {
  gevt_status_t status = gevt_query(given.shared);
  return status == GEVT_ERROR_NOT_READY ? GEVT_SUCCESS : status;
}

static gevt_status_t sync_pending(void) {
  return gevt_sync(given.event);
}

static gevt_status_t sync_shared(void) {
  return gevt_sync(given.shared);
}

static gevt_status_t elapsed(void) {
  float ms;
  return gevt_elapsed(&ms, given.recorded, given.recorded);
}

static gevt_status_t elapsed_pending(void) {
  float ms;
  gevt_status_t status = gevt_elapsed(&ms, given.recorded, given.event);
  return status == GEVT_ERROR_NOT_READY ? GEVT_SUCCESS : status;
}

static const struct {
  const char *name;
  gevt_status_t (*make)(void);
} calls[] = {
    {"create", create_and_destroy},
    {"destroy", destroy},
    {"record", record},
    {"record on the default stream", record_default},
    {"record shared", record_shared},
    {"query", query},
    {"query shared", query_shared},
    {"sync", sync_pending},
    {"sync shared", sync_shared},
    {"elapsed", elapsed},
    {"elapsed pending", elapsed_pending},
};
enum { CALLS = sizeof calls / sizeof *calls };

static void set_up(void) {
  memset(&given, 0, sizeof given);
  given.stream = stream_new();
  given.event = event_new();
  given.other = event_new();
  given.recorded = event_new();
  given.shared = event_with(GEVT_EVENT_DISABLE_TIMING | GEVT_EVENT_INTERPROCESS);
  CHECK_OK(gevt_record(given.recorded, given.stream));
  CHECK_OK(gevt_sync(given.recorded));
  given.gate = (gate_t)GATE_CLOSED;
  gate_close(&given.gate, given.stream);
  CHECK_OK(gevt_record(given.event, given.stream));
  CHECK_OK(gevt_record(given.shared, given.stream));
  gate_await_entry(&given.gate);
}

static void tear_down(void) {
  CHECK_OK(gevt_stream_sync(given.stream));
  CHECK_OK(gevt_context_sync(subject_context));
  CHECK_OK(gevt_destroy(given.event));
  if (given.other) CHECK_OK(gevt_destroy(given.other));
  CHECK_OK(gevt_destroy(given.recorded));
  CHECK_OK(gevt_destroy(given.shared));
  CHECK_OK(gevt_stream_destroy(given.stream));
}

/* A call on a separate thread, and the allocation that fails in it; 0: all. */
typedef struct failing_call {
  int call, tid, has_ended, has_failed;
  long allocation;
  gevt_status_t status;
} failing_call_t;

static void *call_body(void *user) {
  failing_call_t *one = (failing_call_t *)user;
  const char *name = calls[one->call].name;
  thread_publish(&one->tid);
  if (one->allocation) {
    failing = one->allocation;
  } else {
    all_of_mine_fail = 1;
  }
  one->status = calls[one->call].make();
  failing = 0;
  all_of_mine_fail = 0;
  one->has_failed = has_failed;
  if (!CHECK(one->status == GEVT_SUCCESS || one->status == GEVT_ERROR_OUT_OF_MEMORY)) {
    printf("    %s, allocation %ld: %s\n", name, one->allocation, gevt_last_message());
  }
  count_up(&one->has_ended);
  return NULL;
}

/* Returns whether an allocation has failed. */
static int fail(int call, long allocation) {
  failing_call_t one = {0, 0, 0, 0, 0, GEVT_SUCCESS};
  pthread_t thread;
  size_t events;
  set_up();
  events = gevt_live_events();
  one.call = call;
  one.allocation = allocation;
  thread = thread_start(call_body, &one);
  /* A sync returns when the stream continues, or earlier. */
  while (!count_of(&one.has_ended) && !(count_of(&one.tid) && thread_asleep(one.tid))) sleep_ns(MILLISECOND / 10);
  gate_open(&given.gate);
  thread_join(thread);
  CHECK_EQUAL(gevt_live_events(), events - (given.other == NULL));
  tear_down();
  return one.has_failed;
}

static void each_allocation_fails_in_turn(void) {
  int call, failures = 0;
  for (call = 0; call < CALLS; call++) {
    long n = 1;
    while (n < 1000 && fail(call, n)) n++;
    CHECK(n < 1000);
    failures += (int)n - 1;
  }
  printf("%d allocations failed\n", failures);
#ifndef NO_MALLOC_OF_ITS_OWN
  CHECK(failures > 0);
#endif
}

static void all_allocations_fail(void) {
  int call;
  for (call = 0; call < CALLS; call++) fail(call, 0);
}

/* A create that is refused uses up no place for an event: else each one would make the table's lists longer, until it is full. */
static void refused_creates_use_nothing_up(void) {
  enum { MOST = 10000, REFUSED = 50000, MEBIBYTE = 1 << 20 };
  static gevt_event_t made[MOST];
  int count = 0, refused;
  gevt_status_t status;
  all_of_mine_fail = 1;
  /* The places for which there is memory already. */
  do status = gevt_create(&made[count], GEVT_EVENT_DEFAULT);
  while (status == GEVT_SUCCESS && ++count < MOST - 1);
  for (refused = 0; refused < REFUSED && status == GEVT_ERROR_OUT_OF_MEMORY; refused++) {
    status = gevt_create(&made[count], GEVT_EVENT_DEFAULT);
  }
  all_of_mine_fail = 0;
#ifndef NO_MALLOC_OF_ITS_OWN
  CHECK_EQUAL(refused, REFUSED);
#endif
  greatest_size = 0;
  made[count++] = event_new();
  if (!CHECK(greatest_size < MEBIBYTE)) printf("    an event asked for %zu bytes at once\n", greatest_size);
  while (count > 0) CHECK_OK(gevt_destroy(made[--count]));
}

/* The first use of the default context opens it, for which there has to be memory. */
static void *open_default_context(void *nothing) {
  CHECK_OK(gevt_stream_query(NULL));
  return nothing;
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  /* The allocations of the driver fail as well, and not all of them are its to survive. */
  if (!subject_is_host()) return subject_skip("a driver does not survive that each of its allocations fails");
  if (subject_tool()) return subject_skip("under %s, which has a malloc of its own", subject_tool());
  thread_join(thread_start(open_default_context, NULL));
  RUN(each_allocation_fails_in_turn);
  RUN(all_allocations_fail);
  RUN(refused_creates_use_nothing_up);
  return subject_end();
}
