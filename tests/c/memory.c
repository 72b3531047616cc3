/* Memory that runs out: each allocation that a call makes fails in turn, and then all of them for a while. No call ends the
   process; one that fails says OUT_OF_MEMORY and has changed nothing. The program's own malloc stands before the C library's.
   usage: memory [host|cuda] */
#include "failing_malloc.h"
#include "objects.h"

/* What the calls are made with. */
static struct {
  gevt_stream_t stream;
  gevt_event_t event, other, shared, recorded;
  gevt_ipc_handle_t handle;
  gate_t gate;
  int counter;
} given;

static void log_nothing(void *user, gevt_log_level_t level, const char *message) {
  (void)user;
  (void)level;
  (void)message;
}

static void count_complete(void *user, gevt_status_t status) {
  (void)status;
  count_up(user);
}

/* One call each, which undoes what it made. */
static gevt_status_t create(void) {
  gevt_event_t event = NULL;
  gevt_status_t status = gevt_create(&event, GEVT_EVENT_DEFAULT);
  CHECK((event != NULL) == (status == GEVT_SUCCESS));
  if (event) CHECK_OK(gevt_destroy(event));
  return status;
}

static gevt_status_t create_in(void) {
  gevt_event_t event = NULL;
  gevt_status_t status = gevt_create_in(&event, subject_context, GEVT_EVENT_DEFAULT);
  CHECK((event != NULL) == (status == GEVT_SUCCESS));
  if (event) CHECK_OK(gevt_destroy(event));
  return status;
}

static gevt_status_t stream_create(void) {
  gevt_stream_t stream = NULL;
  gevt_status_t status = gevt_stream_create(&stream, subject_context, GEVT_STREAM_DEFAULT);
  CHECK((stream != NULL) == (status == GEVT_SUCCESS));
  if (stream) CHECK_OK(gevt_stream_destroy(stream));
  return status;
}

static gevt_status_t stream_adopt(void) {
  gevt_stream_t stream = NULL;
  gevt_status_t status = gevt_stream_adopt(&stream, subject_context, (void *)2);
  if (stream) CHECK_OK(gevt_stream_destroy(stream));
  return status;
}

static gevt_status_t context_open(void) {
  gevt_context_t context = NULL;
  gevt_status_t status = gevt_context_open(&context, subject_backend, 0);
  if (context) CHECK_OK(gevt_context_close(context));
  return status;
}

static gevt_status_t current(void) {
  gevt_context_t context = NULL;
  return gevt_context_get_current(&context);
}

static gevt_status_t record(void) {
  return gevt_record(given.event, given.stream);
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

static gevt_status_t sync_timeout(void) {
  gevt_status_t status = gevt_sync_timeout(given.event, MILLISECOND);
  return status == GEVT_ERROR_TIMEOUT ? GEVT_SUCCESS : status;
}

static gevt_status_t sync_shared(void) {
  gevt_status_t status = gevt_sync_timeout(given.shared, MILLISECOND);
  return status == GEVT_ERROR_TIMEOUT ? GEVT_SUCCESS : status;
}

static gevt_status_t sync_all(void) {
  gevt_event_t events[3] = {given.event, given.shared, given.recorded};
  gevt_status_t status = gevt_sync_all(events, 3, MILLISECOND);
  return status == GEVT_ERROR_TIMEOUT ? GEVT_SUCCESS : status;
}

static gevt_status_t sync_any(void) {
  gevt_event_t events[2] = {given.event, given.shared};
  size_t index;
  gevt_status_t status = gevt_sync_any(&index, events, 2, MILLISECOND);
  return status == GEVT_ERROR_TIMEOUT ? GEVT_SUCCESS : status;
}

static gevt_status_t elapsed(void) {
  float ms;
  gevt_status_t status = gevt_elapsed(&ms, given.recorded, given.event);
  return status == GEVT_ERROR_NOT_READY ? GEVT_SUCCESS : status;
}

static gevt_status_t on_complete(void) {
  return gevt_on_complete(given.event, count_complete, &given.counter);
}

static gevt_status_t on_complete_shared(void) {
  return gevt_on_complete(given.shared, count_complete, &given.counter);
}

static gevt_status_t stream_wait(void) {
  return gevt_stream_wait(NULL, given.event, GEVT_WAIT_DEFAULT);
}

static gevt_status_t stream_wait_shared(void) {
  return gevt_stream_wait(NULL, given.shared, GEVT_WAIT_DEFAULT);
}

static gevt_status_t launch(void) {
  return gevt_stream_launch(given.stream, count_up, &given.counter);
}

static void count_item(void *user, size_t item, uint32_t worker) {
  (void)item;
  (void)worker;
  count_up(user);
}

static gevt_status_t launch_n(void) {
  return gevt_stream_launch_n(given.stream, 2, count_item, &given.counter);
}

static gevt_status_t host_set_threads(void) {
  return gevt_host_set_threads(0);
}

static gevt_status_t sync_working(void) {
  gevt_status_t status = gevt_sync_working(given.event, MILLISECOND);
  return status == GEVT_ERROR_TIMEOUT ? GEVT_SUCCESS : status;
}

static gevt_status_t stream_sync_timeout(void) {
  gevt_status_t status = gevt_stream_sync_timeout(NULL, MILLISECOND);
  return status == GEVT_ERROR_TIMEOUT ? GEVT_SUCCESS : status;
}

static gevt_status_t context_sync_timeout(void) {
  gevt_status_t status = gevt_context_sync_timeout(subject_context, MILLISECOND);
  return status == GEVT_ERROR_TIMEOUT ? GEVT_SUCCESS : status;
}

static gevt_status_t stream_query(void) {
  gevt_status_t status = gevt_stream_query(given.stream);
  return status == GEVT_ERROR_NOT_READY ? GEVT_SUCCESS : status;
}

static gevt_status_t info(void) {
  gevt_event_info_t about;
  about.size = sizeof about;
  return gevt_get_info(&about, given.event);
}

static gevt_status_t set_name(void) {
  return gevt_set_name(given.event, "a name");
}

static gevt_status_t stream_set_name(void) {
  return gevt_stream_set_name(given.stream, "a name");
}

static gevt_status_t export_event(void) {
  gevt_event_t event = NULL;
  gevt_ipc_handle_t handle;
  gevt_status_t status = gevt_create(&event, GEVT_EVENT_DISABLE_TIMING | GEVT_EVENT_INTERPROCESS);
  if (status != GEVT_SUCCESS) return status;
  status = gevt_ipc_export(&handle, event);
  CHECK_OK(gevt_destroy(event));
  return status;
}

static gevt_status_t import_event(void) {
  gevt_event_t event = NULL;
  gevt_status_t status = gevt_ipc_import(&event, subject_context, &given.handle);
  return status == GEVT_ERROR_INVALID_CONTEXT ? GEVT_SUCCESS : status;
}

static gevt_status_t set_log(void) {
  gevt_status_t status = gevt_set_log_callback(log_nothing, NULL, GEVT_LOG_INFO);
  /* A failure is told, too. */
  if (status == GEVT_SUCCESS) check_ignore(gevt_query(NULL));
  check_ignore(gevt_set_log_callback(NULL, NULL, GEVT_LOG_OFF));
  return status;
}

static gevt_status_t trace(void) {
  gevt_status_t status = gevt_trace_start("/dev/null");
  if (status != GEVT_SUCCESS) return status;
  check_ignore(gevt_record(given.event, given.stream));
  return gevt_trace_stop();
}

static const struct {
  const char *name;
  gevt_status_t (*make)(void);
} calls[] = {
    {"create", create},
    {"create_in", create_in},
    {"stream_create", stream_create},
    {"stream_adopt", stream_adopt},
    {"context_open", context_open},
    {"context_get_current", current},
    {"record", record},
    {"record on the default stream", record_default},
    {"record shared", record_shared},
    {"query", query},
    {"query shared", query_shared},
    {"sync_timeout", sync_timeout},
    {"sync_timeout shared", sync_shared},
    {"sync_all", sync_all},
    {"sync_any", sync_any},
    {"elapsed", elapsed},
    {"on_complete", on_complete},
    {"on_complete shared", on_complete_shared},
    {"stream_wait", stream_wait},
    {"stream_wait shared", stream_wait_shared},
    {"stream_launch", launch},
    {"stream_launch_n", launch_n},
    {"host_set_threads", host_set_threads},
    {"sync_working", sync_working},
    {"stream_sync_timeout", stream_sync_timeout},
    {"context_sync_timeout", context_sync_timeout},
    {"stream_query", stream_query},
    {"get_info", info},
    {"set_name", set_name},
    {"stream_set_name", stream_set_name},
    {"ipc_export", export_event},
    {"ipc_import", import_event},
    {"set_log_callback", set_log},
    {"trace", trace},
};
enum { CALLS = sizeof calls / sizeof *calls };

static void set_up(void) {
  memset(&given, 0, sizeof given);
  given.stream = stream_new();
  given.event = event_new();
  given.other = event_new();
  given.recorded = event_new();
  given.shared = event_with(GEVT_EVENT_DISABLE_TIMING | GEVT_EVENT_INTERPROCESS);
  CHECK_OK(gevt_ipc_export(&given.handle, given.shared));
  CHECK_OK(gevt_record(given.recorded, given.stream));
  CHECK_OK(gevt_sync(given.recorded));
  /* The events are pending, so that calls have something to do. */
  given.gate = (gate_t)GATE_CLOSED;
  gate_close(&given.gate, given.stream);
  CHECK_OK(gevt_record(given.event, given.stream));
  CHECK_OK(gevt_record(given.shared, given.stream));
  /* Else this thread would run it, in gevt_sync_working. */
  gate_await_entry(&given.gate);
}

static void tear_down(void) {
  gate_open(&given.gate);
  CHECK_OK(gevt_stream_sync(given.stream));
  CHECK_OK(gevt_context_sync(subject_context));
  CHECK_OK(gevt_destroy(given.event));
  CHECK_OK(gevt_destroy(given.other));
  CHECK_OK(gevt_destroy(given.recorded));
  CHECK_OK(gevt_destroy(given.shared));
  CHECK_OK(gevt_stream_destroy(given.stream));
}

static int is_possible(gevt_status_t status) {
  return status == GEVT_SUCCESS || status == GEVT_ERROR_OUT_OF_MEMORY ||
         (status == GEVT_ERROR_OPERATING_SYSTEM && gevt_last_detail() == GEVT_DETAIL_FILE);
}

/* Makes a call again and again: its first allocation fails, then its second, until it makes no more. */
static int fail_in_turn(int call) {
  int failures = 0;
  long n;
  for (n = 1; n < 1000; n++) {
    size_t events = gevt_live_events();
    gevt_status_t status;
    has_failed = 0;
    failing = n;
    status = calls[call].make();
    failing = 0;
    if (!CHECK(is_possible(status))) printf("    %s, allocation %ld: %s\n", calls[call].name, n, gevt_last_message());
    CHECK_EQUAL(gevt_live_events(), events);
    if (!has_failed) return failures;
    failures++;
  }
  check_failed(__FILE__, __LINE__, "a call makes a thousand allocations");
  return failures;
}

static void each_allocation_fails_in_turn(void) {
  int call, failures = 0;
  for (call = 0; call < CALLS; call++) {
    set_up();
    failures += fail_in_turn(call);
    tear_down();
  }
  printf("%d allocations failed\n", failures);
#ifndef NO_MALLOC_OF_ITS_OWN
  CHECK(failures > 0);
#endif
}

static void *without_memory_body(void *call) {
  size_t events = gevt_live_events();
  gevt_status_t status;
  all_of_mine_fail = 1;
  status = calls[*(int *)call].make();
  all_of_mine_fail = 0;
  if (!CHECK(is_possible(status))) printf("    %s: %s\n", calls[*(int *)call].name, gevt_last_message());
  CHECK_EQUAL(gevt_live_events(), events);
  return NULL;
}

/* A thread's first call sets up what the thread needs, for which there is no memory. */
static void in_a_new_thread(void) {
  int call;
  for (call = 0; call < CALLS; call++) {
    set_up();
    thread_join(thread_start(without_memory_body, &call));
    tear_down();
  }
}

/* With no memory at all, calls go on for a while and are then refused; and once there is memory, all is well again. */
static void nothing_is_left_for_a_while(void) {
  int round, refused = 0;
  set_up();
  __atomic_store_n(&all_fail, 1, __ATOMIC_SEQ_CST);
  for (round = 0; round < 300; round++) {
    int call;
    for (call = 0; call < CALLS; call++) {
      gevt_status_t status = calls[call].make();
      if (!is_possible(status)) {
        __atomic_store_n(&all_fail, 0, __ATOMIC_SEQ_CST);
        check_failed(__FILE__, __LINE__, calls[call].name);
        printf("    %s\n", gevt_last_message());
        __atomic_store_n(&all_fail, 1, __ATOMIC_SEQ_CST);
      }
      refused += status == GEVT_ERROR_OUT_OF_MEMORY;
    }
  }
  __atomic_store_n(&all_fail, 0, __ATOMIC_SEQ_CST);
  printf("%d calls were refused\n", refused);
#ifndef NO_MALLOC_OF_ITS_OWN
  CHECK(refused > 0);
#endif
  for (round = 0; round < CALLS; round++) {
    if (!CHECK_OK(calls[round].make())) printf("    %s\n", calls[round].name);
  }
  tear_down();
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

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  /* The allocations of the driver fail as well, and not all of them are its to survive. */
  if (!subject_is_host()) return subject_skip("a driver does not survive that each of its allocations fails");
  RUN_UNLESS_WATCHED(each_allocation_fails_in_turn, "it has a malloc of its own");
  RUN_UNLESS_WATCHED(in_a_new_thread, "it has a malloc of its own");
  RUN_UNLESS_WATCHED(nothing_is_left_for_a_while, "it has a malloc of its own");
  RUN_UNLESS_WATCHED(refused_creates_use_nothing_up, "it has a malloc of its own");
  return subject_end();
}
