/* Memory runs out in create, record, query, sync, elapsed and destroy. Each allocation that a call makes in a new thread fails in turn, and
   then all of them. No call ends the process; one that fails returns OUT_OF_MEMORY and has changed nothing. The program's own malloc comes
   before the C library's.
   usage: memory [host|cuda] */
#include "failing_malloc.h"
#include "child.h"
#include "every_call.h"

#include <sys/resource.h>

/* The arguments of the calls. The first two events are pending. */
static struct {
  gevt_stream_t stream;
  gevt_event_t event, shared, other, recorded;
  gate_t gate;
} given;

/* The calls: functions of tests/functions.def, with their events, and on which stream. */
static const struct {
  const char *name;
  gevt_event_t *event, *end;
  int is_on_default_stream;
} calls[] = {
    {"gevt_create", NULL, NULL, 0},
    /* By a thread that has used no event before. */
    {"gevt_destroy", &given.other, NULL, 0},
    {"gevt_record", &given.other, NULL, 0},
    {"gevt_record", &given.other, NULL, 1},
    {"gevt_record", &given.shared, NULL, 0},
    {"gevt_query", &given.event, NULL, 0},
    {"gevt_query", &given.shared, NULL, 0},
    {"gevt_sync", &given.event, NULL, 0},
    {"gevt_sync", &given.shared, NULL, 0},
    {"gevt_elapsed", &given.recorded, &given.recorded, 0},
    {"gevt_elapsed", &given.recorded, &given.event, 0},
};
enum { CALLS = sizeof calls / sizeof *calls };

static size_t function_named(const char *name) {
  size_t i = 0;
  while (strcmp(functions[i].name, name) != 0) i++;
  return i;
}

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
  size_t function = function_named(name);
  function_arguments_t a;
  function_outputs_t o;
  memset(&a, 0, sizeof a);
  if (calls[one->call].event) a.event = *calls[one->call].event;
  if (calls[one->call].end) a.end = *calls[one->call].end;
  if (!calls[one->call].is_on_default_stream) a.stream = given.stream;
  function_outputs_fill(&o);
  thread_publish(&one->tid);
  if (one->allocation) {
    failing = one->allocation;
  } else {
    all_of_mine_fail = 1;
  }
  one->status = functions[function].call(&a, &o);
  failing = 0;
  all_of_mine_fail = 0;
  one->has_failed = has_failed;
  if (!CHECK(one->status == GEVT_SUCCESS || one->status == GEVT_ERROR_NOT_READY ||
             (one->status == GEVT_ERROR_OUT_OF_MEMORY && one->has_failed))) {
    printf("    %s, allocation %ld: %s\n", name, one->allocation, gevt_last_message());
  }
  if (one->status == GEVT_SUCCESS && strcmp(name, "gevt_create") == 0) CHECK_OK(gevt_destroy(o.event));
  if (one->status == GEVT_SUCCESS && calls[one->call].event == &given.other && strcmp(name, "gevt_destroy") == 0)
    given.other = NULL;
  if (one->status != GEVT_SUCCESS) CHECK(function_outputs_intact(&o));
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

/* In a forked child a call is refused before it prepares the thread for blocking. To prepare takes a lock, which another thread may have held
   at the fork. It also takes memory, and that shows here. */
static void *fork_body(void *user) {
  pid_t child;
  fflush(stdout);
  child = fork();
  if (child == 0) {
    int before = check_failures();
    all_of_mine_fail = 1;
    every_call_answers(*(live_objects_t *)user, GEVT_ERROR_NOT_INITIALIZED, GEVT_DETAIL_FORKED);
    all_of_mine_fail = 0;
    fflush(stdout);
    _exit(check_failures() == before && !has_failed ? 0 : 1);
  }
  CHECK_EQUAL(child_end(child), 0);
  return NULL;
}

static void a_forked_child_needs_none(void) {
  live_objects_t live = live_objects_make();
  thread_join(thread_start(fork_body, &live));
  live_objects_finish(live);
}

/* A refused create uses up no place for an event. Otherwise each one would make the table's lists longer, until the table is full. */
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

/* The last case: creates events until the address space is full. The call must return an error, not abort, and
   existing objects must still work. */
static void use_up_memory(void) {
  enum { MOST = 20000000 };
  gevt_event_t *events = (gevt_event_t *)malloc((size_t)MOST * sizeof *events), event;
  struct rlimit limit;
  unsigned long pages = 0;
  FILE *memory = fopen("/proc/self/statm", "r");
  gevt_status_t status = GEVT_SUCCESS;
  size_t made = 0, i, wrong = 0;
  if (!CHECK(events != NULL) || !CHECK(memory != NULL) || !CHECK(fscanf(memory, "%lu", &pages) == 1)) return;
  fclose(memory);
  limit.rlim_cur = limit.rlim_max = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + (64 << 20);
  CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
  while (made < MOST && (status = gevt_create(&events[made], GEVT_EVENT_DEFAULT)) == GEVT_SUCCESS) made++;
  CHECK_STATUS(status, GEVT_ERROR_OUT_OF_MEMORY);
  CHECK_DETAIL(GEVT_DETAIL_OUT_OF_MEMORY);
  CHECK(strstr(gevt_last_message(), "gevt_create") != NULL);
  printf("%lu events before the memory ran out\n", (unsigned long)made);
  CHECK(made > 100000);
  CHECK_EQUAL(gevt_live_events(), made);
  pattern_fill(&event, sizeof event);
  CHECK_FAILS(gevt_create(&event, GEVT_EVENT_DEFAULT), GEVT_ERROR_OUT_OF_MEMORY, GEVT_DETAIL_OUT_OF_MEMORY);
  CHECK(pattern_intact(&event, sizeof event));
  for (i = 0; i < made; i++) wrong += gevt_query(events[i]) != GEVT_SUCCESS;
  for (i = 0; i < made; i++) wrong += gevt_destroy(events[i]) != GEVT_SUCCESS;
  CHECK_EQUAL(wrong, 0);
  /* The places that became free serve again, without more memory. */
  for (i = 0; i < made; i++) wrong += gevt_create(&events[i], GEVT_EVENT_DEFAULT) != GEVT_SUCCESS;
  for (i = 0; i < made; i++) wrong += gevt_destroy(events[i]) != GEVT_SUCCESS;
  CHECK_EQUAL(wrong, 0);
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
  RUN(a_forked_child_needs_none);
  RUN(refused_creates_use_nothing_up);
  RUN(use_up_memory);
  return subject_end();
}
