/* Eight threads make calls of every kind, for as long as is asked, on the host backend. Each answer is compared with a model
   (worker.c); and now and then all come to rest, and the process may not have grown.
   usage: soak SECONDS */
#include "worker.h"

#include <malloc.h>

enum { SAMPLES = 40, WARM = SAMPLES / 4, LATE = SAMPLES - SAMPLES / 4 };

/* The heap growth that is accepted as normal: queues grow with the amount of pending work. */
static const long SLACK = 64 * 1024;

typedef struct sample {
  long heap;     /* bytes that malloc has given out */
  long resident; /* bytes */
  int threads;
} sample_t;

static sample_t samples[SAMPLES];
static pthread_barrier_t rest, work;
static long long slice_ns;

static sample_t measure_process(void) {
  struct mallinfo2 heap = mallinfo2();
  sample_t now = {0, 0, 0};
  FILE *file = fopen("/proc/self/statm", "r");
  long pages = 0;
  if (!CHECK(file != NULL && fscanf(file, "%*d %ld", &pages) == 1)) return now;
  fclose(file);
  now.heap = (long)(heap.uordblks + heap.hblkhd);
  now.resident = pages * sysconf(_SC_PAGESIZE);
  now.threads = thread_count();
  return now;
}

/* The library's tables grow to the most live objects, plus some hundred free places that each thread caches. They never shrink. Here they
   grow beyond that before the first measurement. */
static void fill_tables(void) {
  enum { PLACES = 4096 };
  static gevt_event_t events[PLACES];
  static gevt_stream_t streams[PLACES];
  static gevt_context_t contexts[PLACES];
  int i;
  for (i = 0; i < PLACES; i++) {
    CHECK_OK(gevt_context_open(&contexts[i], GEVT_BACKEND_HOST, 0));
    CHECK_OK(gevt_stream_create(&streams[i], contexts[i], GEVT_STREAM_NON_BLOCKING));
    CHECK_OK(gevt_create(&events[i], GEVT_EVENT_DEFAULT));
  }
  for (i = 0; i < PLACES; i++) {
    CHECK_OK(gevt_destroy(events[i]));
    CHECK_OK(gevt_stream_destroy(streams[i]));
    CHECK_OK(gevt_context_close(contexts[i]));
  }
}

static void *run(void *user) {
  int number = (int)(intptr_t)user, slice;
  worker_t *worker = &workers[number];
  worker_begin(worker, number);
  pthread_barrier_wait(&work);
  for (slice = 0; slice < SAMPLES; slice++) {
    long long end = now_ns() + slice_ns;
    while (now_ns() < end && worker_failures() < 20) worker_step(worker);
    worker_drain(worker);
    pthread_barrier_wait(&rest);
    pthread_barrier_wait(&work);
  }
  worker_end(worker);
  return NULL;
}

/* A callback may run slightly later than the threads that wait for its event. */
static void await_callbacks(void) {
  int i;
  for (i = 0; i < WORKERS && !check_failures(); i++) {
    long long deadline = now_ns() + HANG_LIMIT;
    while (count_of(&workers[i].callbacks) > 0 && now_ns() < deadline) sleep_ns(MILLISECOND / 10);
    CHECK_EQUAL(count_of(&workers[i].callbacks), 0);
  }
}

static long least(long (*of)(const sample_t *), int from, int to) {
  long lowest = of(&samples[from]);
  int i;
  for (i = from + 1; i < to; i++) {
    if (of(&samples[i]) < lowest) lowest = of(&samples[i]);
  }
  return lowest;
}

static long heap_of(const sample_t *sample) {
  return sample->heap;
}
static long resident_of(const sample_t *sample) {
  return sample->resident;
}

static void is_flat(const char *what, long (*of)(const sample_t *), long slack) {
  long before = least(of, WARM, SAMPLES / 2), after = least(of, LATE, SAMPLES);
  printf("%s: %ld, then %ld\n", what, before, after);
  if (after > before + slack) check_failed(__FILE__, __LINE__, what);
}

/* Returns how many gevt threads have the name. */
static int threads_named(const char *name) {
  DIR *tasks = opendir("/proc/self/task");
  struct dirent *entry;
  char path[300], found[32];
  int count = 0;
  CHECK(tasks != NULL);
  while (tasks && (entry = readdir(tasks)) != NULL) {
    FILE *file;
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
    file = fopen(path, "r");
    if (file && fgets(found, sizeof found, file)) count += strcmp(strtok(found, "\n"), name) == 0;
    if (file) fclose(file);
  }
  if (tasks) closedir(tasks);
  return count;
}

/* Workers beyond one per core exit after a second without work. The watcher of other processes' events and the monitor stay. */
static void are_threads_back(void) {
  int cores = (int)sysconf(_SC_NPROCESSORS_ONLN), most = 0, i;
  long long deadline = now_ns() + HANG_LIMIT;
  for (i = 0; i < SAMPLES; i++) {
    if (samples[i].threads > most) most = samples[i].threads;
  }
  while (threads_named("gevt-host") > cores && now_ns() < deadline) sleep_ns(MILLISECOND);
  printf("threads: %d at the most, %d in the end\n", most, thread_count());
  CHECK(threads_named("gevt-host") <= cores);
  CHECK(thread_count() <= 1 + cores + threads_named("gevt-ipc") + threads_named("gevt-monitor"));
  CHECK(threads_named("gevt-ipc") <= 1 && threads_named("gevt-monitor") <= 1);
}

int main(int argc, char **argv) {
  pthread_t threads[WORKERS];
  unsigned long operations = 0;
  long long seconds = argc > 1 ? atoll(argv[1]) : 20;
  int i, failures;
  setvbuf(stdout, NULL, _IOLBF, 0);
  setenv("GEVT_BACKEND", "host", 1);
  setenv("GEVT_HOST_DEVICES", "2", 1);
  slice_ns = seconds * SECOND / SAMPLES;
  fill_tables();
  pthread_barrier_init(&rest, NULL, WORKERS + 1);
  pthread_barrier_init(&work, NULL, WORKERS + 1);
  for (i = 0; i < WORKERS; i++) threads[i] = thread_start(run, (void *)(intptr_t)i);
  pthread_barrier_wait(&work);
  for (i = 0; i < SAMPLES; i++) {
    pthread_barrier_wait(&rest);
    await_callbacks();
    samples[i] = measure_process();
    pthread_barrier_wait(&work);
  }
  for (i = 0; i < WORKERS; i++) {
    thread_join(threads[i]);
    operations += workers[i].operations;
  }
  CHECK_EQUAL(gevt_live_events(), 0);
  printf("operations: %lu in %lld s\n", operations, seconds);
  CHECK(operations > (unsigned long)seconds * 1000);
  is_flat("bytes of heap", heap_of, SLACK);
  is_flat("bytes resident", resident_of, 8 * SLACK);
  are_threads_back();
  failures = check_failures() + worker_failures();
  if (failures) printf("FAILED: %d checks\n", failures);
  return failures ? 1 : 0;
}
