/* Fork: every call fails in the child of a process that uses gevt, and the child harms nothing; the parent continues
   unaffected.
   usage: fork [host|cuda] [CASE [ROUNDS]]    without a case: all of them in this process; with a number: one that
   often, each time in a new process */
#include "failing_malloc.h"
#include "every_call.h"
#include "cases.h"

/* Runs the body in a forked child; 0 if all its checks held. */
static int fork_run(void (*body)(void *), void *user) {
  pid_t child;
  fflush(stdout);
  child = fork();
  if (child == 0) {
    int before = check_failures();
    body(user);
    fflush(stdout);
    _exit(check_failures() == before ? 0 : 1);
  }
  return child < 0 ? -1 : child_end(child);
}

/* An ordinary use of the whole way down. */
static void use_gevt(void *user) {
  gevt_context_t context = NULL;
  gevt_stream_t stream = NULL;
  gevt_event_t event = NULL;
  int counter = 0;
  (void)user;
  CHECK_OK(gevt_context_open(&context, subject_backend, 0));
  CHECK_OK(gevt_stream_create(&stream, context, GEVT_STREAM_DEFAULT));
  CHECK_OK(gevt_create(&event, GEVT_EVENT_DEFAULT));
  CHECK_OK(gevt_stream_launch(stream, count_up, &counter));
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_sync(event));
  CHECK_EQUAL(count_of(&counter), 1);
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_stream_destroy(stream));
  CHECK_OK(gevt_context_close(context));
}

/* A process that has not used gevt yet may fork, and both sides may use it then. */
static void before_the_first_call(void) {
  CHECK_EQUAL(fork_run(use_gevt, NULL), 0);
}

static void refused_body(void *user) {
  live_objects_t live = *(live_objects_t *)user;
  every_call_answers(live, GEVT_ERROR_NOT_INITIALIZED, GEVT_DETAIL_FORKED);
  every_end_succeeds(live);
  every_call_answers(live, GEVT_ERROR_NOT_INITIALIZED, GEVT_DETAIL_FORKED);
}

static void child_is_refused(void) {
  live_objects_t live = live_objects_make();
  size_t events = gevt_live_events();
  CHECK_EQUAL(fork_run(refused_body, &live), 0);
  CHECK_EQUAL(gevt_live_events(), events);
  live_objects_finish(live);
}

static void grandchild_body(void *user) {
  refused_body(user);
  CHECK_EQUAL(fork_run(refused_body, user), 0);
}

static void grandchild_is_refused(void) {
  live_objects_t live = live_objects_make();
  CHECK_EQUAL(fork_run(grandchild_body, &live), 0);
  live_objects_finish(live);
}

static void *sync_body(void *user) {
  gevt_event_t event = ((gevt_event_t *)user)[0];
  int *tid = (int *)((void **)user)[1];
  thread_publish(tid);
  CHECK_OK(gevt_sync(event));
  return NULL;
}

static void note_call(void *user, gevt_status_t status) {
  CHECK_EQUAL(status, GEVT_SUCCESS);
  count_up(user);
}

/* Pending work, a thread in gevt_sync and a callback: the parent's stay what they are while children come and go. */
static void parent_with_pending_work(void) {
  gate_t gate = GATE_CLOSED;
  live_objects_t live = live_objects_make();
  /* A driver spins in the sync of an event without the flag, and this thread is to be seen parked. */
  gevt_event_t pending = event_with(subject_is_host() ? GEVT_EVENT_DEFAULT : GEVT_EVENT_BLOCKING_SYNC);
  void *arguments[2];
  int tid = 0, called = 0, i;
  pthread_t thread;
  gate_close(&gate, live.stream);
  CHECK_OK(gevt_record(pending, live.stream));
  CHECK_OK(gevt_on_complete(pending, note_call, &called));
  arguments[0] = pending;
  arguments[1] = &tid;
  thread = thread_start(sync_body, arguments);
  CHECK(thread_await_parked(&tid));
  for (i = 0; i < 3; i++) {
    live_objects_t in_child = live;
    in_child.event = pending;
    CHECK_EQUAL(fork_run(refused_body, &in_child), 0);
  }
  CHECK_NOT_READY(gevt_query(pending));
  CHECK_EQUAL(count_of(&called), 0);
  gate_open(&gate);
  thread_join(thread);
  CHECK(count_await(&called, 1));
  CHECK_OK(gevt_query(pending));
  CHECK_OK(gevt_destroy(pending));
  CHECK_OK(gevt_stream_sync(live.stream));
  live_objects_finish(live);
}

/* exit runs gevt's exit handler in the child, where gevt's threads do not exist: it must not wait for them. NVIDIA's Vulkan driver ends
   the child that exits of any program with SIGSEGV, of one without gevt, too. */
static void exit_body(void *user) {
  refused_body(user);
  if (check_failures() == 0 && !subject_is_vulkan()) exit(0);
}

static void child_may_exit(void) {
  gate_t gate = GATE_CLOSED;
  live_objects_t live = live_objects_make();
  gate_close(&gate, live.stream);
  CHECK_EQUAL(fork_run(exit_body, &live), 0);
  gate_open(&gate);
  CHECK_OK(gevt_stream_sync(live.stream));
  live_objects_finish(live);
}

/* Forks while other threads are inside gevt: the child must not wait for locks that they held. */
static int forks_of_others = 100;

typedef struct hammer {
  live_objects_t live;
  int stop;
} hammer_t;

static void *hammer_body(void *user) {
  hammer_t *hammer = (hammer_t *)user;
  int counter = 0;
  while (!count_of(&hammer->stop)) {
    gevt_event_t event = event_new();
    CHECK_OK(gevt_set_name(event, "hammered"));
    CHECK_OK(gevt_stream_launch(hammer->live.stream, count_up, &counter));
    CHECK_OK(gevt_record(event, hammer->live.stream));
    check_ignore(gevt_query(NULL));
    CHECK_OK(gevt_sync(event));
    CHECK_OK(gevt_destroy(event));
  }
  CHECK_OK(gevt_stream_sync(hammer->live.stream));
  return NULL;
}

static void while_others_are_inside(void) {
  hammer_t hammer;
  pthread_t threads[3];
  int i;
  hammer.live = live_objects_make();
  hammer.stop = 0;
  for (i = 0; i < 3; i++) threads[i] = thread_start(hammer_body, &hammer);
  for (i = 0; i < forks_of_others; i++) {
    if (!CHECK_EQUAL(fork_run(refused_body, &hammer.live), 0)) break;
  }
  count_up(&hammer.stop);
  for (i = 0; i < 3; i++) thread_join(threads[i]);
  live_objects_finish(hammer.live);
}

/* A thread that has not blocked in gevt yet forks. A call is refused before it prepares the thread for blocking: that takes a lock, which another
   thread may have held at the fork. It also takes memory, and that shows here. */
static void unprepared_body(void *user) {
  all_of_mine_fail = 1;
  refused_body(user);
  all_of_mine_fail = 0;
  CHECK(!has_failed);
}

static void *fork_body(void *user) {
  CHECK_EQUAL(fork_run(unprepared_body, user), 0);
  return NULL;
}

static void from_a_new_thread(void) {
  live_objects_t live = live_objects_make();
  thread_join(thread_start(fork_body, &live));
  live_objects_finish(live);
}

/* The thread that forks may be gevt's. */
static void fork_inside_function(void *user) {
  CHECK_EQUAL(fork_run(refused_body, user), 0);
}

static void from_a_host_function(void) {
  live_objects_t live = live_objects_make();
  gevt_stream_t stream = stream_new();
  CHECK_OK(gevt_stream_launch(stream, fork_inside_function, &live));
  stream_finish(stream);
  live_objects_finish(live);
}

/* No fork handler runs in these children: the page of the process's state shows the fork. */
static void check_refused_child(pid_t child, live_objects_t *live) {
  if (child == 0) {
    int before = check_failures();
    refused_body(live);
    fflush(stdout);
    _exit(check_failures() == before ? 0 : 1);
  }
  CHECK(child > 0);
  CHECK_EQUAL(child_end(child), 0);
}

static void without_handlers(void) {
  live_objects_t live = live_objects_make();
  pid_t (*bare_fork)(void) = NULL;
  void *symbol = dlsym(RTLD_DEFAULT, "_Fork");
  memcpy(&bare_fork, &symbol, sizeof symbol);
  fflush(stdout);
  /* Older C libraries do not have it. */
  if (bare_fork) check_refused_child(bare_fork(), &live);
  check_refused_child((pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL), &live);
  live_objects_finish(live);
}

/* After exec it is a new process like any other. */
static void fork_and_exec(void) {
  live_objects_t live = live_objects_make();
  CHECK_EQUAL(child_run_self(subject_name(), "fresh"), 0);
  CHECK_EQUAL(system("exit 5") >> 8, 5);
  live_objects_finish(live);
}

/* The case of the processes made by fork_and_exec; skips without a device. */
static void fresh(void) {
  subject_open();
  use_gevt(NULL);
}

static const test_case_t table[] = {
    {"fresh", fresh, ALONE_UNOPENED, 0},
    {"before_the_first_call", before_the_first_call, ALONE_UNOPENED, 0},
    {"child_is_refused", child_is_refused, TOGETHER, 0},
    {"grandchild_is_refused", grandchild_is_refused, TOGETHER, 0},
    {"parent_with_pending_work", parent_with_pending_work, TOGETHER, 0},
    {"child_may_exit", child_may_exit, TOGETHER, 0},
    {"while_others_are_inside", while_others_are_inside, TOGETHER, 0},
    {"without_handlers", without_handlers, TOGETHER, 0},
    {"from_a_new_thread", from_a_new_thread, TOGETHER, 0},
    {"from_a_host_function", from_a_host_function, TOGETHER, 0},
    {"fork_and_exec", fork_and_exec, TOGETHER, 0},
};

/* A case in a separate process is run in many of them. */
static void begin(const test_case_t *chosen) {
  if (chosen) forks_of_others = 3;
  if (!chosen || chosen->place != ALONE_UNOPENED) subject_open();
}

static const char *reason_to_skip(const test_case_t *chosen) {
  return subject_tool() && chosen->body == child_may_exit ? "what only the parent's threads knew of counts as lost"
                                                          : NULL;
}

static void end(void) {
  CHECK_EQUAL(gevt_live_events(), 0);
}

static const test_cases_t cases = {table, sizeof table / sizeof *table, begin, reason_to_skip, 0, end};

int main(int argc, char **argv) {
  subject_choose(argc, argv);
  return cases_main(&cases, argc, argv);
}
