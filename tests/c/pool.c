/* What many streams may cost in threads and an idle process in time. The thread counts are the whole process's, so the cases
   that block threads, and leave more of them behind for a while, come last. */
#include "idle.h"
#include "objects.h"

#include <sched.h>

static int thread_bound(void) {
  return 1 + threads_of_gevt();
}

/* Host functions sample the number of threads while all the streams are busy. */
static int most_threads;
static int functions_run;

static void sample_threads(void) {
  int count = thread_count(), most = count_of(&most_threads);
  while (count > most &&
         !__atomic_compare_exchange_n(&most_threads, &most, count, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {}
}

typedef struct lane {
  gevt_stream_t stream;
  int next;
  int wrong;
} lane_t;

typedef struct job {
  lane_t *lane;
  int number;
} job_t;

static void job_run(void *user) {
  job_t *job = (job_t *)user;
  if (job->lane->next++ != job->number) job->lane->wrong = 1;
  if (__atomic_fetch_add(&functions_run, 1, __ATOMIC_SEQ_CST) % 500 == 0) sample_threads();
}

/* All held behind one event, then all runnable in the same moment, then refilled from this thread while they run. */
static void ten_thousand_streams(void) {
  enum { STREAMS = 10000, JOBS = 6 };
  lane_t *lanes = (lane_t *)calloc(STREAMS, sizeof *lanes);
  job_t *jobs = (job_t *)calloc((size_t)STREAMS * JOBS, sizeof *jobs);
  gate_t gate = GATE_CLOSED;
  gevt_stream_t source = stream_new();
  gevt_event_t go = event_with(GEVT_EVENT_DISABLE_TIMING);
  int failures = 0, busy = 0, wrong = 0, i, j;
  if (!CHECK(lanes != NULL && jobs != NULL)) return;
  gate_close(&gate, source);
  CHECK_OK(gevt_record(go, source));
  for (i = 0; i < STREAMS; i++) {
    failures += gevt_stream_create(&lanes[i].stream, subject_context, GEVT_STREAM_NON_BLOCKING) != GEVT_SUCCESS;
    failures += gevt_stream_wait(lanes[i].stream, go, GEVT_WAIT_DEFAULT) != GEVT_SUCCESS;
  }
  for (j = 0; j < JOBS; j++) {
    if (j == JOBS / 2) {
      for (i = 0; i < STREAMS; i++) busy += gevt_stream_query(lanes[i].stream) == GEVT_ERROR_NOT_READY;
      CHECK_EQUAL(count_of(&functions_run), 0);
      sample_threads();
      gate_open(&gate);
    }
    for (i = 0; i < STREAMS; i++) {
      job_t *job = &jobs[(size_t)j * STREAMS + (size_t)i];
      job->lane = &lanes[i];
      job->number = j;
      failures += gevt_stream_launch(lanes[i].stream, job_run, job) != GEVT_SUCCESS;
    }
  }
  CHECK_EQUAL(busy, STREAMS);
  CHECK_OK(gevt_context_sync(subject_context));
  sample_threads();
  CHECK_EQUAL(count_of(&functions_run), STREAMS * JOBS);
  for (i = 0; i < STREAMS; i++) {
    wrong += lanes[i].wrong || lanes[i].next != JOBS;
    failures += gevt_stream_destroy(lanes[i].stream) != GEVT_SUCCESS;
  }
  CHECK_EQUAL(failures, 0);
  CHECK_EQUAL(wrong, 0);
  printf("10,000 busy streams: %d threads (at most %d)\n", count_of(&most_threads), thread_bound());
  CHECK(count_of(&most_threads) <= thread_bound());
  CHECK_OK(gevt_destroy(go));
  stream_finish(source);
  free(lanes);
  free(jobs);
}

/* The same with a second's worth of work in the functions: long ones are no reason for more threads than the bound. */
static void spin_for_a_while(void *user) {
  long long end = now_ns() + MILLISECOND / 2;
  while (now_ns() < end) {}
  if (__atomic_fetch_add((int *)user, 1, __ATOMIC_SEQ_CST) % 50 == 0) sample_threads();
}

static void working_streams(void) {
  enum { STREAMS = 2000 };
  gevt_stream_t *streams = (gevt_stream_t *)calloc(STREAMS, sizeof *streams);
  int counter = 0, failures = 0, i;
  if (!CHECK(streams != NULL)) return;
  __atomic_store_n(&most_threads, 0, __ATOMIC_SEQ_CST);
  for (i = 0; i < STREAMS; i++) {
    failures += gevt_stream_create(&streams[i], subject_context, GEVT_STREAM_NON_BLOCKING) != GEVT_SUCCESS;
    failures += gevt_stream_launch(streams[i], spin_for_a_while, &counter) != GEVT_SUCCESS;
  }
  CHECK_OK(gevt_context_sync(subject_context));
  CHECK_EQUAL(count_of(&counter), STREAMS);
  for (i = 0; i < STREAMS; i++) failures += gevt_stream_destroy(streams[i]) != GEVT_SUCCESS;
  CHECK_EQUAL(failures, 0);
  printf("2,000 working streams: %d threads (at most %d)\n", count_of(&most_threads), thread_bound());
  CHECK(count_of(&most_threads) <= thread_bound());
  free(streams);
}

static void *sync_body(void *user) {
  void **arguments = (void **)user;
  thread_publish((int *)arguments[1]);
  CHECK_OK(gevt_sync((gevt_event_t)arguments[0]));
  return NULL;
}

static void idle_costs_nothing(void) {
  gate_t gate = GATE_CLOSED;
  gevt_stream_t stream = stream_new(), waiting = stream_new();
  gevt_event_t event = event_new();
  pthread_t thread;
  int tid = 0;
  void *arguments[2];
  CHECK(process_await_idle("after work", 0));
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_stream_wait(waiting, event, GEVT_WAIT_DEFAULT));
  arguments[0] = event;
  arguments[1] = &tid;
  thread = thread_start(sync_body, arguments);
  CHECK(thread_await_parked(&tid));
  CHECK(process_await_idle("a blocked stream, a waiting one and a thread in gevt_sync", 0));
  gate_open(&gate);
  thread_join(thread);
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
  stream_finish(waiting);
}

/* Streams that wait hold no thread: a thousand of them leave the others all the threads there are. */
static void waiting_streams_hold_no_thread(void) {
  enum { STREAMS = 1000 };
  gate_t gate = GATE_CLOSED;
  gevt_stream_t streams[STREAMS], source = stream_new(), free_stream = stream_new();
  gevt_event_t go = event_new();
  int counter = 0, i;
  gate_close(&gate, source);
  CHECK_OK(gevt_record(go, source));
  for (i = 0; i < STREAMS; i++) {
    streams[i] = stream_new();
    CHECK_OK(gevt_stream_wait(streams[i], go, GEVT_WAIT_DEFAULT));
    CHECK_OK(gevt_stream_launch(streams[i], count_up, &counter));
  }
  CHECK_OK(gevt_stream_launch(free_stream, count_up, &counter));
  CHECK_OK(gevt_stream_sync(free_stream));
  CHECK_EQUAL(count_of(&counter), 1);
  CHECK(thread_count() <= thread_bound());
  gate_open(&gate);
  for (i = 0; i < STREAMS; i++) stream_finish(streams[i]);
  CHECK_EQUAL(count_of(&counter), 1 + STREAMS);
  CHECK_OK(gevt_destroy(go));
  stream_finish(source);
  stream_finish(free_stream);
}

/* Blocked host functions, many times more than cores, hold back only their own streams. */
static void blocked_functions_starve_nobody(void) {
  enum { STREAMS = 64 };
  static gate_t gates[STREAMS];
  const gate_t closed = GATE_CLOSED;
  gevt_stream_t streams[STREAMS], other = stream_new();
  gevt_event_t event = event_new(), behind[STREAMS];
  int counter = 0, i, j;
  for (i = 0; i < STREAMS; i++) {
    gates[i] = closed;
    streams[i] = stream_new();
    behind[i] = event_new();
    gate_close(&gates[i], streams[i]);
    CHECK_OK(gevt_record(behind[i], streams[i]));
    /* With i + 1 functions blocked, another stream still gets through. */
    for (j = 0; j < 10; j++) CHECK_OK(gevt_stream_launch(other, count_up, &counter));
    CHECK_OK(gevt_record(event, other));
    if (!CHECK_OK(gevt_sync_timeout(event, HANG_LIMIT))) {
      printf("    with %d blocked host functions\n", i + 1);
      break;
    }
    CHECK_EQUAL(count_of(&counter), 10 * (i + 1));
  }
  for (j = 0; j < STREAMS && j <= i; j++) {
    CHECK_NOT_READY(gevt_query(behind[j]));
    gate_open(&gates[j]);
    CHECK_OK(gevt_sync(behind[j]));
    CHECK_OK(gevt_destroy(behind[j]));
    stream_finish(streams[j]);
  }
  CHECK_OK(gevt_destroy(event));
  stream_finish(other);
}

static void spin_until_set(void *user) {
  while (!count_of((int *)user)) {}
}

/* On a machine that is too busy to wake the workers they only seem to be blocked: no others come in their place. Here every worker
   gets a core only when nothing else wants it, and threads that spin want them all. */
static void slow_workers_down(void) {
  DIR *tasks = opendir("/proc/self/task");
  struct dirent *entry;
  if (!CHECK(tasks != NULL)) return;
  while ((entry = readdir(tasks)) != NULL) {
    char path[300], name[32] = "";
    FILE *file;
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
    file = fopen(path, "r");
    if (file && fgets(name, sizeof name, file) && strcmp(name, "gevt-host\n") == 0) {
      const struct sched_param none = {0};
      /* It fails for one that has ended meanwhile. */
      sched_setscheduler(atoi(entry->d_name), SCHED_IDLE, &none);
    }
    if (file) fclose(file);
  }
  closedir(tasks);
}

static void *spin_body(void *user) {
  spin_until_set(user);
  return NULL;
}

static void workers_that_wait_for_a_core_are_free(void) {
  enum { MOST = 64, STREAMS = 8, ROUNDS = 12 };
  pthread_t spinners[MOST];
  gevt_stream_t streams[STREAMS];
  int spinning = (int)sysconf(_SC_NPROCESSORS_ONLN) * 2, counter = 0, flag = 0, i, j;
  if (spinning > MOST) spinning = MOST;
  __atomic_store_n(&most_threads, 0, __ATOMIC_SEQ_CST);
  for (j = 0; j < STREAMS; j++) streams[j] = stream_new();
  for (i = 0; i < spinning; i++) spinners[i] = thread_start(spin_body, &flag);
  for (i = 0; i < ROUNDS; i++) {
    /* More than there are workers, which wakes the watcher; then one, which wakes one worker and lets the others sleep. */
    for (j = 0; j < STREAMS; j++) CHECK_OK(gevt_stream_launch(streams[j], count_up, &counter));
    for (j = 0; j < STREAMS; j++) CHECK_OK(gevt_stream_sync(streams[j]));
    slow_workers_down();
    CHECK_OK(gevt_stream_launch(streams[0], count_up, &counter));
    CHECK_OK(gevt_stream_sync(streams[0]));
    sample_threads();
  }
  count_up(&flag);
  for (i = 0; i < spinning; i++) thread_join(spinners[i]);
  CHECK_EQUAL(count_of(&counter), ROUNDS * (STREAMS + 1));
  printf("a busy machine: %d threads (at most %d)\n", count_of(&most_threads) - spinning, thread_bound());
  CHECK(count_of(&most_threads) - spinning <= thread_bound());
  for (j = 0; j < STREAMS; j++) stream_finish(streams[j]);
}

/* A host function may use gevt, and may wait for other streams. */
typedef struct nested {
  gevt_stream_t other;
  gevt_event_t event;
  int done;
} nested_t;

static void nested_run(void *user) {
  nested_t *nested = (nested_t *)user;
  CHECK_OK(gevt_stream_launch(nested->other, count_up, &nested->done));
  CHECK_OK(gevt_record(nested->event, nested->other));
  CHECK_OK(gevt_sync(nested->event));
  CHECK_OK(gevt_stream_sync(nested->other));
  count_up(&nested->done);
}

/* More of them at once than the pool has threads: each waits for a function that needs a thread, too. */
static void functions_may_wait_for_other_streams(void) {
  enum { COUNT = 32 };
  nested_t nested[COUNT];
  gevt_stream_t streams[COUNT];
  int i;
  for (i = 0; i < COUNT; i++) {
    memset(&nested[i], 0, sizeof nested[i]);
    nested[i].other = stream_new();
    nested[i].event = event_new();
    streams[i] = stream_new();
    CHECK_OK(gevt_stream_launch(streams[i], nested_run, &nested[i]));
  }
  for (i = 0; i < COUNT; i++) {
    CHECK_OK(gevt_stream_sync(streams[i]));
    CHECK_EQUAL(count_of(&nested[i].done), 2);
    CHECK_OK(gevt_destroy(nested[i].event));
    stream_finish(streams[i]);
    stream_finish(nested[i].other);
  }
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  if (!subject_is_host()) {
    return subject_skip("pool on cuda: it is about the host backend's threads");
  }
  RUN(ten_thousand_streams);
  RUN(working_streams);
  RUN(waiting_streams_hold_no_thread);
  RUN(workers_that_wait_for_a_core_are_free);
  RUN(idle_costs_nothing);
  RUN(functions_may_wait_for_other_streams);
  RUN(blocked_functions_starve_nobody);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
