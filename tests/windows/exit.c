/* The end of the process: the system ends all other threads first, which may hold locks, and then calls the libraries. gevt takes
   no lock then, waits for nothing and calls no driver: calls that end things succeed, all others are refused, and the process ends
   with its own exit code.
   usage: exit [host|vulkan]    each case in child processes */
#include "every_call.h"
#include "child.h"

enum { EXIT_CODE = 3, FAILED_CODE = 99, ROUNDS = 5 };

static gate_t never_opened = GATE_CLOSED;
static live_objects_t live;
/* Counts the checks of all children that ran at their ends. */
static HANDLE witness;

/* Called by a library that ends before gevt.dll does. */
static void check_the_end(void) {
  every_call_answers(live, GEVT_ERROR_DEINITIALIZED, GEVT_DETAIL_EXITING);
  every_end_succeeds(live);
  every_call_answers(live, GEVT_ERROR_DEINITIALIZED, GEVT_DETAIL_EXITING);
  if (check_failures() || !ReleaseSemaphore(witness, 1, NULL)) TerminateProcess(GetCurrentProcess(), FAILED_CODE);
}

static void check_at_end_of_library(void) {
  HMODULE library = LoadLibraryA(TEST_LATE_LIBRARY);
  void (**at_detach)(void) = NULL;
  FARPROC symbol = library ? GetProcAddress(library, "at_detach") : NULL;
  memcpy(&at_detach, &symbol, sizeof symbol);
  if (CHECK(at_detach != NULL)) *at_detach = check_the_end;
}

static void never_called(void *user, gevt_status_t status) {
  (void)user, (void)status;
  TerminateProcess(GetCurrentProcess(), FAILED_CODE);
}

typedef struct waiter {
  int way, tid;
} waiter_t;

static void *waiter_body(void *user) {
  waiter_t *waiter = (waiter_t *)user;
  thread_publish(&waiter->tid);
  check_ignore(event_await(live.event, waiter->way));
  return NULL;
}

/* Everything that can be under way: a stream in a function, one that waits, callbacks, threads in every wait. */
static void leave_work_under_way(void) {
  static waiter_t waiters[WAYS_TO_WAIT];
  static int counter;
  gevt_stream_t waiting;
  int way;
  subject_open();
  live.context = subject_context;
  live.stream = stream_new();
  live.end = event_new();
  live.shared = event_with(GEVT_EVENT_DISABLE_TIMING);
  gate_close(&never_opened, live.stream);
  live.event = event_new();
  CHECK_OK(gevt_record(live.event, live.stream));
  CHECK_OK(gevt_record(live.end, live.stream));
  CHECK_OK(gevt_record(live.shared, live.stream));
  CHECK_OK(gevt_on_complete(live.event, never_called, NULL));
  waiting = stream_new();
  CHECK_OK(gevt_stream_wait(waiting, live.event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_stream_launch(waiting, count_up, &counter));
  for (way = 0; way < WAYS_TO_WAIT; way++) {
    waiters[way].way = way;
    thread_start(waiter_body, &waiters[way]);
  }
  for (way = 0; way < WAYS_TO_WAIT; way++) CHECK(thread_await_parked(&waiters[way].tid));
  check_at_end_of_library();
}

static void return_from_main(void) {}

static void exit_process(void) {
  ExitProcess(EXIT_CODE);
}

static void exit_of_the_c_library(void) {
  exit(EXIT_CODE);
}

static void end_here(void *user) {
  (void)user;
  ExitProcess(EXIT_CODE);
}

static void exit_in_host_function(void) {
  CHECK_OK(gevt_stream_launch(stream_new(), end_here, NULL));
  Sleep(INFINITE);
}

static void end_here_as_well(void *user, gevt_status_t status) {
  (void)status;
  end_here(user);
}

static void exit_in_callback(void) {
  gevt_event_t event = event_new();
  CHECK_OK(gevt_record(event, stream_new()));
  CHECK_OK(gevt_on_complete(event, end_here_as_well, NULL));
  Sleep(INFINITE);
}

/* Makes calls that lock, sleep and wake, until the system ends the thread in the middle of one. */
static void *hammer_body(void *user) {
  gevt_stream_t stream = stream_new();
  int counter = 0;
  for (;;) {
    gevt_event_t event = event_new();
    check_ignore(gevt_stream_launch(stream, count_up, &counter));
    check_ignore(gevt_record(event, stream));
    check_ignore(gevt_sync_timeout(event, SECOND));
    check_ignore(gevt_sync_timeout(live.event, 1000));
    check_ignore(gevt_destroy(event));
    count_up(user);
  }
  return NULL;
}

static void exit_while_others_call(void) {
  static int rounds;
  int i;
  for (i = 0; i < 3; i++) thread_start(hammer_body, &rounds);
  CHECK(count_await(&rounds, 100));
  ExitProcess(EXIT_CODE);
}

static const struct {
  const char *name;
  void (*body)(void);
} cases[] = {
    {"return_from_main", return_from_main},           {"exit_process", exit_process},
    {"exit_of_the_c_library", exit_of_the_c_library}, {"exit_in_host_function", exit_in_host_function},
    {"exit_in_callback", exit_in_callback},           {"exit_while_others_call", exit_while_others_call},
};
enum { CASES = sizeof cases / sizeof *cases };

int main(int argc, char **argv) {
  SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
  const char *number = getenv("TEST_WITNESS");
  char text[32];
  LONG count = 0;
  int round, i;
  subject_choose(argc, argv);
  if (number) {
    witness = (HANDLE)(uintptr_t)strtoull(number, NULL, 10);
    leave_work_under_way();
    cases[atoi(argv[2])].body();
    return check_failures() ? 1 : EXIT_CODE;
  }
  witness = CreateSemaphoreA(&inherited, 0, 1000, NULL);
  snprintf(text, sizeof text, "%llu", (unsigned long long)(uintptr_t)witness);
  setenv("TEST_WITNESS", text, 1);
  for (i = 0; i < CASES; i++) {
    subject_case(cases[i].name);
    snprintf(text, sizeof text, "%d", i);
    for (round = 0; round < ROUNDS; round++) CHECK_EQUAL(child_run_self(subject_name(), text), EXIT_CODE);
  }
  while (WaitForSingleObject(witness, 0) == WAIT_OBJECT_0) count++;
  CHECK_EQUAL(count, ROUNDS * CASES);
  return subject_end();
}
