/* What a busy machine may cost in threads. tests/scenarios/host_threads.scn has what many streams cost. */
#include "objects.h"

#include <sched.h>

static int thread_bound(void) {
  return 1 + threads_of_gevt();
}

/* Host functions sample the number of threads while all the streams are busy. */
static int most_threads;

static void sample_threads(void) {
  int count = thread_count(), most = count_of(&most_threads);
  while (count > most &&
         !__atomic_compare_exchange_n(&most_threads, &most, count, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {}
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

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  if (!subject_is_host()) {
    return subject_skip("pool on cuda: it is about the host backend's threads");
  }
  RUN(workers_that_wait_for_a_core_are_free);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
