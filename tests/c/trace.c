/* The trace: its file under all circumstances. What is drawn in it, trace.py reads.
   usage: trace [host|cuda] [FOLDER]            leaves the files in the folder
          trace [host|cuda] FOLDER exit|quick|crash|slow   the children */
#include "objects.h"
#include "peer.h"
#include "trace_file.h"

#include <sys/resource.h>
#include <sys/stat.h>

static void start(const char *name) {
  CHECK_OK(gevt_trace_start(file_of(name)));
}

static void stop(void) {
  CHECK_OK(gevt_trace_stop());
}

static void work_for_20_ms(void *user) {
  (void)user;
  sleep_ns(20 * MILLISECOND);
}

/* The same, once the gate is open. */
static void work_behind_gate(void *user) {
  gate_pass(user);
  work_for_20_ms(NULL);
}

static void count_item(void *user, size_t item, uint32_t worker) {
  (void)item, (void)worker;
  count_up(user);
}

/* The thread that waits, and what it waits for. */
typedef struct helper {
  gevt_event_t event;
  int tid;
} helper_t;

static void *helper_body(void *user) {
  helper_t *helper = (helper_t *)user;
  pthread_setname_np(pthread_self(), "helping \"hand\"");
  thread_publish(&helper->tid);
  CHECK_OK(gevt_sync(helper->event));
  return NULL;
}

/* A comparison that a busy machine interrupts comes to nothing, and gevt tries no other for a fifth of a second. */
static void clocks_are_compared(void) {
  long long deadline = now_ns() + HANG_LIMIT;
  int is_compared = 0;
  while (!is_compared && now_ns() < deadline) {
    char *text;
    start("compared");
    stop();
    text = text_of("compared");
    is_compared = text && strstr(text, "clocks compared");
    free(text);
    if (!is_compared) sleep_ns(SECOND / 4);
  }
  CHECK(is_compared);
}

/* What trace.py knows in all detail. */
static void scene(void) {
  gevt_event_t begin = event_new(), end = event_new(), joined = event_with(GEVT_EVENT_DISABLE_TIMING);
  gevt_stream_t before = stream_new(), first, second;
  gate_t gate = GATE_CLOSED;
  helper_t helper = {joined, 0};
  pthread_t thread;
  int64_t ns = 0;
  int called = 0;
  /* A name from before the trace, one from within it, and none. */
  CHECK_OK(gevt_stream_set_name(before, "from before"));
  start("scene");
  first = stream_new();
  second = stream_new();
  CHECK_OK(gevt_stream_set_name(first, "main \"queue\"\n"));
  CHECK_OK(gevt_set_name(begin, "frame \"7\"\\ begins\n\t\x1b"));
  CHECK_OK(gevt_set_name(end, "fr\xc3\xa4me ends"));
  CHECK_OK(gevt_record(begin, first));
  CHECK_OK(gevt_stream_launch(first, work_for_20_ms, NULL));
  CHECK_OK(gevt_stream_launch(first, work_for_20_ms, NULL));
  CHECK_OK(gevt_record(end, first));
  CHECK_OK(gevt_stream_wait(second, end, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_stream_launch(second, work_behind_gate, &gate));
  CHECK_OK(gevt_record(joined, second));
  CHECK_OK(gevt_on_complete(joined, count_call, &called));
  thread = thread_start(helper_body, &helper);
  CHECK(thread_await_inside(&helper.tid, thread));
  gate_open(&gate);
  thread_join(thread);
  CHECK(count_await(&called, 1));
  CHECK_OK(gevt_sync(begin));
  CHECK_OK(gevt_sync(end));
  CHECK_OK(gevt_elapsed_ns(&ns, begin, end));
  CHECK_OK(gevt_elapsed_ns(&ns, begin, end));
  CHECK(ns >= 40 * MILLISECOND);
  CHECK_OK(gevt_stream_sync(second));
  CHECK_OK(gevt_context_sync(subject_context));
  CHECK_OK(gevt_destroy(begin));
  CHECK_OK(gevt_destroy(end));
  CHECK_OK(gevt_destroy(joined));
  CHECK_OK(gevt_stream_launch(before, count_up, &called));
  if (subject_is_host()) CHECK_OK(gevt_stream_launch_n(before, 100, count_item, &called));
  CHECK_OK(gevt_stream_sync(before));
  CHECK_OK(gevt_stream_destroy(before));
  CHECK_OK(gevt_stream_destroy(first));
  CHECK_OK(gevt_stream_destroy(second));
  stop();
}

/* Nobody but gevt_elapsed asks whether the events are done. */
static void asked_by_elapsed_alone(void) {
  gevt_event_t begin = event_new(), end = event_new();
  int64_t ns;
  start("elapsed");
  CHECK_OK(gevt_set_name(begin, "begin"));
  CHECK_OK(gevt_set_name(end, "end"));
  CHECK_OK(gevt_record(begin, NULL));
  CHECK_OK(gevt_record(end, NULL));
  CHECK_OK(gevt_stream_sync(NULL));
  CHECK_OK(gevt_elapsed_ns(&ns, begin, end));
  CHECK_OK(gevt_destroy(begin));
  CHECK_OK(gevt_destroy(end));
  stop();
}

/* A stream waits for another process, and finishes records that other processes see. */
static void shared_events(void) {
  peer_t peer = peer_start();
  gevt_event_t imported = event_imported(&peer, 0);
  gevt_event_t behind = event_with(GEVT_EVENT_DISABLE_TIMING | GEVT_EVENT_INTERPROCESS);
  gevt_event_t at_once = event_with(GEVT_EVENT_DISABLE_TIMING | GEVT_EVENT_INTERPROCESS);
  gevt_stream_t stream;
  start("shared");
  stream = stream_new();
  CHECK_OK(gevt_set_name(behind, "behind the peer"));
  CHECK_OK(gevt_set_name(at_once, "at once"));
  CHECK_OK(gevt_record(at_once, stream));
  CHECK_OK(peer_ask(&peer, PEER_BLOCK, 0, 0));
  CHECK_OK(peer_ask(&peer, PEER_RECORD, 0, 0));
  CHECK_OK(gevt_stream_wait(stream, imported, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(behind, stream));
  await_in_file("shared", "\"wait for another process\"");
  CHECK_OK(peer_ask(&peer, PEER_UNBLOCK, 0, 0));
  CHECK_OK(gevt_sync(behind));
  stop();
  CHECK_OK(gevt_destroy(imported));
  CHECK_OK(gevt_destroy(behind));
  CHECK_OK(gevt_destroy(at_once));
  CHECK_OK(gevt_stream_destroy(stream));
  CHECK_EQUAL(peer_end(&peer), 0);
}

/* A stream waits for a signal, and one of another context for that one. */
static void signaled_events(void) {
  gevt_event_t event = event_with(GEVT_EVENT_HOST_SIGNALED), behind = event_new(), far = event_new();
  gevt_context_t host = NULL;
  gevt_stream_t stream, other = stream_new();
  CHECK_OK(gevt_context_open(&host, GEVT_BACKEND_HOST, 0));
  start("signaled");
  stream = stream_in(host, GEVT_STREAM_NON_BLOCKING);
  CHECK_OK(gevt_set_name(event, "the signal"));
  CHECK_OK(gevt_set_name(behind, "behind it"));
  CHECK_OK(gevt_stream_wait(stream, event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(behind, stream));
  CHECK_OK(gevt_stream_wait(other, behind, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(far, other));
  await_in_file("signaled", "\"wait for a signal\"");
  CHECK_OK(gevt_signal(event, GEVT_SUCCESS));
  CHECK_OK(gevt_sync(far));
  CHECK_OK(gevt_reset(event));
  stop();
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_destroy(behind));
  CHECK_OK(gevt_destroy(far));
  stream_finish(stream);
  stream_finish(other);
  CHECK_OK(gevt_context_close(host));
}

static void one_at_a_time(void) {
  CHECK_FAILS(gevt_trace_stop(), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_NOT_TRACING);
  start("first");
  CHECK_FAILS(gevt_trace_start(file_of("second")), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_TRACING);
  CHECK(access(file_of("second"), F_OK) != 0);
  stop();
  CHECK_FAILS(gevt_trace_stop(), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_NOT_TRACING);
  free(text_of("first"));
  /* A file that is there is overwritten. */
  start("first");
  stop();
  free(text_of("first"));
}

static void bad_paths(void) {
  char fifo[300];
  CHECK_FAILS(gevt_trace_start(NULL), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_trace_start(""), GEVT_ERROR_OPERATING_SYSTEM, GEVT_DETAIL_FILE);
  CHECK_FAILS(gevt_trace_start(folder), GEVT_ERROR_OPERATING_SYSTEM, GEVT_DETAIL_FILE);
  CHECK_FAILS(gevt_trace_start("/no/such/folder/trace.json"), GEVT_ERROR_OPERATING_SYSTEM, GEVT_DETAIL_FILE);
  CHECK(strstr(gevt_last_message(), "No such file") != NULL);
  CHECK_FAILS(gevt_trace_start("/dev/full"), GEVT_ERROR_OPERATING_SYSTEM, GEVT_DETAIL_FILE);
  CHECK(strstr(gevt_last_message(), "No space") != NULL);
  /* Nobody reads it: a writer must not wait for that. */
  snprintf(fifo, sizeof fifo, "%s/fifo", folder);
  CHECK_EQUAL(mkfifo(fifo, 0600), 0);
  CHECK_FAILS(gevt_trace_start(fifo), GEVT_ERROR_OPERATING_SYSTEM, GEVT_DETAIL_FILE);
  CHECK_EQUAL(unlink(fifo), 0);
  CHECK_FAILS(gevt_trace_stop(), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_NOT_TRACING);
}

/* The disk takes nothing while it is held, and it is known how often it refused. The library's writes come here, as a program's
   own functions come first. */
static int disk_held, disk_failed;

ssize_t pwrite64(int file, const void *bytes, size_t count, int64_t at);
ssize_t pwrite64(int file, const void *bytes, size_t count, int64_t at) {
  ssize_t written;
  while (count_of(&disk_held)) sleep_ns(MILLISECOND);
  written = syscall(SYS_pwrite64, file, bytes, count, at);
  if (written < 0) count_up(&disk_failed);
  return written;
}

static void disk_hold(int hold) {
  __atomic_store_n(&disk_held, hold, __ATOMIC_SEQ_CST);
}

enum { BURST = 12000 };

static void *burst_body(void *user) {
  gevt_event_t event = event_new();
  int i;
  (void)user;
  for (i = 0; i < BURST; i++) CHECK_OK(gevt_record(event, NULL));
  CHECK_OK(gevt_destroy(event));
  return NULL;
}

/* The disk is full at some point: the calls go on, stop says so, and what was written is whole. */
static void full_disk(void) {
  struct rlimit before, small;
  int failed = count_of(&disk_failed);
  CHECK_EQUAL(getrlimit(RLIMIT_FSIZE, &before), 0);
  small = before;
  small.rlim_cur = 100000;
  fflush(stdout);
  start("full");
  CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &small), 0);
  burst_body(NULL);
  CHECK(count_await(&disk_failed, failed + 1));
  CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &before), 0);
  CHECK_FAILS(gevt_trace_start(file_of("second")), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_TRACING);
  CHECK_FAILS(gevt_trace_stop(), GEVT_ERROR_OPERATING_SYSTEM, GEVT_DETAIL_FILE);
  CHECK_FAILS(gevt_trace_stop(), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_NOT_TRACING);
  free(text_of("full"));
  start("after_full");
  stop();
  free(text_of("after_full"));
}

/* The process may write no files at all: that brings a signal, which ends a program that does not expect it. */
static void no_room_from_the_start(void) {
  struct rlimit before, small;
  struct stat left;
  CHECK_EQUAL(getrlimit(RLIMIT_FSIZE, &before), 0);
  small = before;
  small.rlim_cur = 1;
  fflush(stdout);
  CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &small), 0);
  CHECK_FAILS(gevt_trace_start(file_of("none")), GEVT_ERROR_OPERATING_SYSTEM, GEVT_DETAIL_FILE);
  CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &before), 0);
  /* What found room is no array, and is taken back. */
  CHECK_EQUAL(stat(file_of("none"), &left), 0);
  CHECK_EQUAL(left.st_size, 0);
  CHECK_EQUAL(unlink(file_of("none")), 0);
  CHECK_FAILS(gevt_trace_stop(), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_NOT_TRACING);
}

/* More comes than can be written: the rest is counted. */
static void bursts(void) {
  pthread_t threads[4];
  int i;
  start("burst");
  disk_hold(1);
  for (i = 0; i < 4; i++) threads[i] = thread_start(burst_body, NULL);
  for (i = 0; i < 4; i++) thread_join(threads[i]);
  disk_hold(0);
  /* What comes after that is drawn as ever. */
  burst_body(NULL);
  stop();
  check_file_holds("burst", "entries lost");
}

/* Traces begin and end while others do everything. */
typedef struct hammer {
  int stop, rounds;
} hammer_t;

static void *hammer_body(void *user) {
  hammer_t *hammer = (hammer_t *)user;
  while (!count_of(&hammer->stop)) {
    gevt_stream_t stream = stream_new();
    gevt_event_t event = event_new(), end = event_new();
    int counter = 0;
    int64_t ns;
    CHECK_OK(gevt_set_name(event, "hammered"));
    CHECK_OK(gevt_record(event, stream));
    CHECK_OK(gevt_stream_launch(stream, count_up, &counter));
    CHECK_OK(gevt_record(end, stream));
    CHECK_OK(gevt_stream_wait(stream, event, GEVT_WAIT_DEFAULT));
    CHECK_OK(gevt_sync(end));
    CHECK_OK(gevt_elapsed_ns(&ns, event, end));
    CHECK_OK(gevt_destroy(event));
    CHECK_OK(gevt_destroy(end));
    CHECK_OK(gevt_stream_destroy(stream));
    count_up(&hammer->rounds);
  }
  return NULL;
}

static void *start_stop_body(void *user) {
  int *won = (int *)user, i;
  char path[300];
  snprintf(path, sizeof path, "%s/race%ld.json", folder, (long)syscall(SYS_gettid));
  for (i = 0; i < 100; i++) {
    gevt_status_t status = gevt_trace_start(path);
    if (status == GEVT_SUCCESS)
      count_up(won);
    else
      CHECK_EQUAL(status, GEVT_ERROR_ILLEGAL_STATE);
    if (i % 10 == 0) sleep_ns(MILLISECOND);
    status = gevt_trace_stop();
    if (status != GEVT_SUCCESS) CHECK_EQUAL(status, GEVT_ERROR_ILLEGAL_STATE);
  }
  return NULL;
}

static void races(void) {
  hammer_t hammer = {0, 0};
  pthread_t working[2], tracing[2];
  int won = 0, i;
  for (i = 0; i < 2; i++) working[i] = thread_start(hammer_body, &hammer);
  for (i = 0; i < 2; i++) tracing[i] = thread_start(start_stop_body, &won);
  for (i = 0; i < 2; i++) thread_join(tracing[i]);
  check_ignore(gevt_trace_stop());
  start("hammered");
  CHECK(count_await(&hammer.rounds, count_of(&hammer.rounds) + 100));
  stop();
  count_up(&hammer.stop);
  for (i = 0; i < 2; i++) thread_join(working[i]);
  CHECK(won > 0);
  check_file_holds("hammered", "\"hammered to event");
}

/* A host function may end the trace. */
static void stop_inside(void *user) {
  (void)user;
  stop();
}

static void stopped_by_a_host_function(void) {
  gevt_stream_t stream = stream_new();
  start("inside");
  CHECK_OK(gevt_stream_launch(stream, stop_inside, NULL));
  stream_finish(stream);
  free(text_of("inside"));
}

/* An exit waits two seconds for the file. */
#define EXIT_PATIENCE (1500 * MILLISECOND)

/* How long a child that asks gevt and exits lives. */
static long long life_of_child(gevt_event_t event) {
  long long begin = now_ns();
  pid_t child;
  fflush(stdout);
  child = fork();
  if (child == 0) {
    check_ignore(gevt_set_name(event, "never"));
    if (gevt_trace_stop() != GEVT_ERROR_NOT_INITIALIZED) _exit(1);
    /* NVIDIA's Vulkan driver ends a forked child that calls exit with SIGSEGV. */
    if (subject_is_vulkan()) _exit(check_failures() ? 1 : 0);
    exit(check_failures() ? 1 : 0);
  }
  CHECK_EQUAL(child_end(child), 0);
  return now_ns() - begin;
}

/* The child has the file open, and leaves it alone; nor does its exit wait for the file: each would wait for as long as a process
   whose disk takes nothing, which load does not shorten. */
static void forked_child_writes_nothing(void) {
  gevt_event_t event = event_new();
  struct stat before, after;
  int tries = 20;
  start("fork");
  CHECK_OK(gevt_record(event, NULL));
  /* The writer has nothing left to write, as this comes last. */
  CHECK_OK(gevt_set_name(event, "before the children"));
  await_in_file("fork", "name before the children");
  CHECK_EQUAL(stat(file_of("fork"), &before), 0);
  while (tries > 0 && life_of_child(event) >= EXIT_PATIENCE) tries--;
  CHECK(tries > 0);
  CHECK_EQUAL(stat(file_of("fork"), &after), 0);
  CHECK_EQUAL(before.st_size, after.st_size);
  CHECK_OK(gevt_set_name(event, "of the parent"));
  stop();
  check_file_holds("fork", "name of the parent");
  CHECK_OK(gevt_destroy(event));
}

/* Registered before gevt's handlers, so that it runs after them. */
static long long exit_began;

static void check_patience(void) {
  long long waited = now_ns() - exit_began;
  if (exit_began && (waited < EXIT_PATIENCE || waited > HANG_LIMIT)) {
    printf("exit waited for %lld ms\n", waited / MILLISECOND);
    fflush(stdout);
    _exit(1);
  }
}

/* Nobody stops the trace of a process that exits, or of one that is killed. */
static int run(const char *how) {
  gevt_event_t event = event_new();
  start(how);
  /* Before there is something to write: else it may be written by then. */
  if (strcmp(how, "slow") == 0) disk_hold(1);
  CHECK_OK(gevt_set_name(event, how));
  CHECK_OK(gevt_record(event, NULL));
  if (strcmp(how, "crash") == 0) {
    await_in_file(how, "record crash");
    raise(SIGKILL);
  }
  if (strcmp(how, "slow") == 0) exit_began = now_ns();
  if (strcmp(how, "quick") == 0) quick_exit(check_failures() ? 1 : 0);
  return check_failures() ? 1 : 0;
}

static void run_child(const char *how, int expected) {
  CHECK_EQUAL(child_end(child_start_self(subject_name(), folder, how)), expected);
}

static void ended_otherwise(const char *how, int expected) {
  char name[64];
  run_child(how, expected);
  snprintf(name, sizeof name, "record %s", how);
  check_file_holds(how, name);
}

static void exits(void) {
  ended_otherwise("exit", 0);
}
static void quick_exits(void) {
  ended_otherwise("quick", 0);
}
static void crashes(void) {
  ended_otherwise("crash", CHILD_SIGNALLED + SIGKILL);
}

/* The disk takes nothing, and exit waits for it two seconds. */
static void exits_with_a_slow_disk(void) {
  run_child("slow", 0);
  free(text_of("slow"));
}

int main(int argc, char **argv) {
  peer_serve(argc, argv);
  if (argc > 3) CHECK_EQUAL(atexit(check_patience), 0);
  subject_begin(argc, argv);
  if (argc > 2) snprintf(folder, sizeof folder, "%s", argv[2]);
  if (argc <= 2) CHECK(mkdtemp(scratch_path(folder, "trace")) != NULL);
  if (argc > 3) return run(argv[3]);
  if (subject_is_cuda()) RUN(clocks_are_compared);
  RUN(scene);
  RUN(asked_by_elapsed_alone);
  RUN_ON_HOST(shared_events);
  RUN(signaled_events);
  RUN(one_at_a_time);
  RUN(bad_paths);
  RUN(full_disk);
  RUN(no_room_from_the_start);
  RUN(bursts);
  RUN(races);
  RUN_ON_HOST(stopped_by_a_host_function);
  RUN_BUT_ON_WINDOWS(forked_child_writes_nothing, "it has no fork");
  RUN(exits);
  RUN(quick_exits);
  RUN(crashes);
  if (argc <= 2) RUN(exits_with_a_slow_disk);
  if (argc <= 2) folder_remove();
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
