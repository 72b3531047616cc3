/* Waits that are pending at exit: they return DEINITIALIZED, so a static object's destructor may join the waiting
   thread.
   usage: exit_waits [host|cuda] [CASE]    without a case: each of them in a child process */
#include "child.h"
#include "objects.h"

enum { EXIT_CODE = 3, FAILED_CODE = 99 };

static gate_t never_opened = GATE_CLOSED;
static gevt_stream_t stream;
static gevt_event_t event;
static int waiter_id;
static pthread_t waiter;
static int has_waiter;

static gevt_status_t sync_event(void) {
  return gevt_sync(event);
}

static gevt_status_t sync_with_deadline(void) {
  return gevt_sync_timeout(event, (uint64_t)(3600 * SECOND));
}

static gevt_status_t sync_one_of_many(void) {
  gevt_event_t events[2];
  size_t index = 7;
  events[0] = events[1] = event;
  return gevt_sync_any(&index, events, 2, UINT64_MAX);
}

static gevt_status_t sync_all_of_many(void) {
  gevt_event_t events[2];
  events[0] = events[1] = event;
  return gevt_sync_all(events, 2, UINT64_MAX);
}

static gevt_status_t sync_stream(void) {
  return gevt_stream_sync(stream);
}

static gevt_status_t sync_context(void) {
  return gevt_context_sync(subject_context);
}

typedef struct wait_case {
  const char *name;
  uint32_t flags;
  gevt_status_t (*wait)(void);
} wait_case_t;

static const wait_case_t cases[] = {
    {"sync_event", GEVT_EVENT_DEFAULT, sync_event},
    {"sync_with_deadline", GEVT_EVENT_DEFAULT, sync_with_deadline},
    {"sync_shared_event", GEVT_EVENT_DISABLE_TIMING | GEVT_EVENT_INTERPROCESS, sync_event},
    {"sync_one_of_many", GEVT_EVENT_DEFAULT, sync_one_of_many},
    {"sync_all_of_many", GEVT_EVENT_DEFAULT, sync_all_of_many},
    {"sync_shared_one_of_many", GEVT_EVENT_DISABLE_TIMING | GEVT_EVENT_INTERPROCESS, sync_one_of_many},
    {"sync_signaled", GEVT_EVENT_HOST_SIGNALED, sync_event},
    {"sync_stream", GEVT_EVENT_DEFAULT, sync_stream},
    {"sync_context", GEVT_EVENT_DEFAULT, sync_context},
};

/* Registered before gevt's own handlers and so run after them, as a static object's destructor. */
static void join_waiter(void) {
  if (!has_waiter) return;
  thread_join(waiter);
  if (check_failures() != 0) _exit(FAILED_CODE);
}

__attribute__((constructor)) static void register_join(void) {
  if (atexit(join_waiter) != 0) abort();
}

static void *wait_until_exit(void *user) {
  const wait_case_t *chosen = (const wait_case_t *)user;
  thread_publish(&waiter_id);
  CHECK_FAILS(chosen->wait(), GEVT_ERROR_DEINITIALIZED, GEVT_DETAIL_EXITING);
  /* A wait that begins now ends as well. */
  CHECK_FAILS(chosen->wait(), GEVT_ERROR_DEINITIALIZED, GEVT_DETAIL_EXITING);
  return NULL;
}

static void nothing(void *user) {
  (void)user;
}

static void run_case(const wait_case_t *chosen) {
  stream = stream_new();
  event = event_with(chosen->flags);
  gate_close(&never_opened, stream);
  CHECK_OK(gevt_stream_launch(stream, nothing, NULL));
  if (chosen->flags != GEVT_EVENT_HOST_SIGNALED) CHECK_OK(gevt_record(event, stream));
  gate_await_entry(&never_opened);
  waiter = thread_start(wait_until_exit, (void *)(uintptr_t)chosen);
  has_waiter = 1;
  CHECK(thread_await_parked(&waiter_id));
  exit(check_failures() ? FAILED_CODE : EXIT_CODE);
}

int main(int argc, char **argv) {
  size_t i;
  subject_begin(argc, argv);
  if (!subject_is_host()) return subject_skip("on CUDA the driver blocks in its own calls, which exit does not end");
  for (i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (argc > 2) {
      if (strcmp(cases[i].name, argv[2]) == 0) run_case(&cases[i]);
      continue;
    }
    subject_case(cases[i].name);
    if (!CHECK_EQUAL(child_run_self("host", cases[i].name), EXIT_CODE)) printf("case %s: FAILED\n", cases[i].name);
  }
  return subject_end();
}
