/* Makes calls of every kind for the given time, on one to three threads of the host backend. They are the calls of the fuzzer (fuzz/calls.c),
   which judges the answers. Now and then all threads come to rest, and the process may not have grown.
   usage: soak SECONDS */
#include "../../fuzz/calls.h"
#include "../c/held.h"

#include <malloc.h>

enum { SAMPLES = 40, WARM = SAMPLES / 4, LATE = SAMPLES - SAMPLES / 4 };

/* The heap growth that is accepted as normal: queues grow with the amount of pending work. */
static const long SLACK = 64 * 1024;

/* Bytes that malloc has given out; bytes that are resident, but for files: that of the shared events is used from its beginning to its end. */
static long heap[SAMPLES], resident[SAMPLES];
static int most_threads;

static void measure_process(int sample) {
  struct mallinfo2 of_malloc = mallinfo2();
  FILE *file = fopen("/proc/self/statm", "r");
  long pages = 0, of_files = 0;
  if (!CHECK(file != NULL && fscanf(file, "%*d %ld %ld", &pages, &of_files) == 2)) return;
  fclose(file);
  heap[sample] = (long)(of_malloc.uordblks + of_malloc.hblkhd);
  resident[sample] = (pages - of_files) * sysconf(_SC_PAGESIZE);
  if (thread_count() > most_threads) most_threads = thread_count();
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

/* Checks that a pending event is pending, which the fuzzer's judge seldom knows. */
static void pending_is_pending(void) {
  gevt_event_t first = NULL, event = NULL;
  gevt_stream_t stream = NULL;
  CHECK_OK(gevt_create(&first, GEVT_EVENT_HOST_SIGNALED));
  CHECK_OK(gevt_create(&event, GEVT_EVENT_DEFAULT));
  CHECK_OK(gevt_stream_create(&stream, NULL, GEVT_STREAM_NON_BLOCKING));
  CHECK_OK(gevt_stream_wait(stream, first, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(event, stream));
  CHECK_NOT_READY(gevt_query(event));
  CHECK_OK(gevt_signal(first, GEVT_SUCCESS));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_query(event));
  CHECK_OK(gevt_destroy(first));
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_stream_destroy(stream));
}

/* Bytes by chance, which are calls on one to three threads. */
static void run(void) {
  static uint64_t random = 0x9e3779b97f4a7c15u;
  unsigned char bytes[600];
  size_t size, i;
  random = random * 6364136223846793005u + 1442695040888963407u;
  size = 2 + (size_t)(random >> 33) % (sizeof bytes - 2);
  for (i = 0; i < size; i++) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    bytes[i] = (unsigned char)(random >> 33);
  }
  calls_run(bytes, size);
  pending_is_pending();
}

static long least(const long *samples, int from, int to) {
  long lowest = samples[from];
  int i;
  for (i = from + 1; i < to; i++) {
    if (samples[i] < lowest) lowest = samples[i];
  }
  return lowest;
}

static void is_flat(const char *what, const long *samples, long slack) {
  long before = least(samples, WARM, SAMPLES / 2), after = least(samples, LATE, SAMPLES);
  printf("%s: %ld, then %ld\n", what, before, after);
  if (after > before + slack) check_failed(__FILE__, __LINE__, what);
}

/* Workers beyond one per core exit after a second without work. The watcher of other processes' events and the monitor stay. */
static void are_threads_back(void) {
  int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
  long long deadline = now_ns() + HANG_LIMIT;
  while (held_threads("gevt-host") > cores && now_ns() < deadline) sleep_ns(MILLISECOND);
  printf("threads: %d at the most, %d in the end\n", most_threads, thread_count());
  CHECK(held_threads("gevt-host") <= cores);
  /* The fuzzer has one more thread, which signals events. */
  CHECK(thread_count() <= 2 + cores + held_threads("gevt-ipc") + held_threads("gevt-monitor"));
  CHECK(held_threads("gevt-ipc") <= 1 && held_threads("gevt-monitor") <= 1);
}

int main(int argc, char **argv) {
  unsigned long runs = 0;
  long long seconds = argc > 1 ? atoll(argv[1]) : 20, end = now_ns();
  int i;
  setvbuf(stdout, NULL, _IOLBF, 0);
  calls_begin(GEVT_BACKEND_HOST);
  fill_tables();
  for (i = 0; i < SAMPLES; i++) {
    for (end += seconds * SECOND / SAMPLES; now_ns() < end || runs <= (unsigned long)i; runs++) run();
    measure_process(i);
  }
  for (i = 0; i < (int)calls_count(); i++) {
    if (calls_made((size_t)i) == 0) check_failed(calls_name((size_t)i), 0, "never called");
  }
  printf("%lu runs in %lld s\n", runs, seconds);
  CHECK_OK(gevt_host_set_threads(0));
  is_flat("bytes of heap", heap, SLACK);
  is_flat("bytes resident", resident, 8 * SLACK);
  are_threads_back();
  if (check_failures()) printf("FAILED: %d checks\n", check_failures());
  return check_failures() ? 1 : 0;
}
