/* What makes asynchronous tests deterministic: a gate that keeps a stream pending until the test opens it, and a way to see
   that a thread is parked. No test waits for a fixed time where one of them can tell. */
#ifndef GEVT_TESTS_GATE_H
#define GEVT_TESTS_GATE_H

#include "check.h"

#include <dirent.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MILLISECOND 1000000LL
#define SECOND (1000 * MILLISECOND)
/* What takes longer hangs. A busy machine may need many times what a test takes on an idle one. */
#define HANG_LIMIT (300 * SECOND)

static inline long long clock_ns(clockid_t clock) {
  struct timespec now = {0, 0};
  clock_gettime(clock, &now);
  return now.tv_sec * SECOND + now.tv_nsec;
}

static inline long long now_ns(void) {
  return clock_ns(CLOCK_MONOTONIC);
}

/* The processor time that the calling thread has used, which says what something costs however busy the machine is. */
static inline long long thread_cpu_ns(void) {
  return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* mingw-w64's nanosleep does not sleep for less than a millisecond: who waits with it would keep a core busy. */
static inline void sleep_ns(long long ns) {
  struct timespec pause;
#ifdef _WIN32
  ns = (ns + MILLISECOND - 1) / MILLISECOND * MILLISECOND;
#endif
  pause.tv_sec = (time_t)(ns / SECOND);
  pause.tv_nsec = (long)(ns % SECOND);
  nanosleep(&pause, NULL);
}

/* `passed` is set by the host function after it has seen the gate open: work ordered after the gate must see it. */
typedef struct gate {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int entered;
  int open;
  int passed;
} gate_t;

#define GATE_CLOSED                                                                                                    \
  { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0 }

static inline void gate_pass(void *user) {
  gate_t *gate = (gate_t *)user;
  pthread_mutex_lock(&gate->mutex);
  gate->entered = 1;
  pthread_cond_broadcast(&gate->changed);
  while (!gate->open) pthread_cond_wait(&gate->changed, &gate->mutex);
  gate->passed = 1;
  pthread_cond_broadcast(&gate->changed);
  pthread_mutex_unlock(&gate->mutex);
}

/* Puts a closed gate into the stream: everything queued after it stays pending until gate_open. */
static inline void gate_close(gate_t *gate, gevt_stream_t stream) {
  CHECK_OK(gevt_stream_launch(stream, gate_pass, gate));
}

static inline void gate_open(gate_t *gate) {
  pthread_mutex_lock(&gate->mutex);
  /* A scenario's spin reads it without the lock. */
  __atomic_store_n(&gate->open, 1, __ATOMIC_SEQ_CST);
  pthread_cond_broadcast(&gate->changed);
  pthread_mutex_unlock(&gate->mutex);
}

/* Returns once the host function is inside the gate. */
static inline void gate_await_entry(gate_t *gate) {
  pthread_mutex_lock(&gate->mutex);
  while (!gate->entered) pthread_cond_wait(&gate->changed, &gate->mutex);
  pthread_mutex_unlock(&gate->mutex);
}

static inline int gate_passed(gate_t *gate) {
  int passed;
  pthread_mutex_lock(&gate->mutex);
  passed = gate->passed;
  pthread_mutex_unlock(&gate->mutex);
  return passed;
}

/* A counter that threads and host functions add to. */
static inline void count_up(void *user) {
  __atomic_add_fetch((int *)user, 1, __ATOMIC_SEQ_CST);
}

/* For gevt_on_complete. */
static inline void count_call(void *user, gevt_status_t status) {
  CHECK_EQUAL(status, GEVT_SUCCESS);
  count_up(user);
}

static inline int count_of(int *counter) {
  return __atomic_load_n(counter, __ATOMIC_SEQ_CST);
}

/* Waits until the counter has reached `least`; 0 if it never does. */
static inline int count_await(int *counter, int least) {
  long long deadline = now_ns() + HANG_LIMIT;
  while (count_of(counter) < least) {
    if (now_ns() > deadline) return 0;
    sleep_ns(MILLISECOND / 10);
  }
  return 1;
}

/* A thread writes its number here immediately before the call in which it is expected to park. */
static inline void thread_publish(int *tid) {
  __atomic_store_n(tid, (int)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
}

#ifdef _WIN32
#include <thread_state.h>
#else
/* The kernel's letter for the state of a thread: S if it sleeps, Z if it has ended; 0 if it does not exist. */
static inline char thread_state(int id) {
  char path[64], line[256] = "";
  char *state;
  FILE *file;
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", id);
  file = fopen(path, "r");
  if (!file) return 0;
  state = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
  fclose(file);
  return state && state[1] == ' ' ? state[2] : '?';
}

/* Returns 1 if the thread sleeps, -1 if it does not exist, and 0 otherwise. */
static inline int thread_asleep(int id) {
  char state = thread_state(id);
  return state ? state == 'S' : -1;
}

/* The number of threads of this process. */
static inline int thread_count(void) {
  DIR *tasks = opendir("/proc/self/task");
  struct dirent *entry;
  int count = 0;
  if (!tasks) return -1;
  while ((entry = readdir(tasks)) != NULL) count += entry->d_name[0] != '.';
  closedir(tasks);
  return count;
}
#endif

/* As thread_asleep, ten times in a row. A thread may sleep for a moment before its call, such as for a lock of the emulator. */
static inline int thread_stays_asleep(int id) {
  int look, asleep = 1;
  for (look = 0; look < 10 && asleep > 0; look++) {
    if (look > 0) sleep_ns(MILLISECOND / 10);
    asleep = thread_asleep(id);
  }
  return asleep;
}

/* Waits until the kernel says that the thread sleeps; 0 if it never does. With the clock of its processor time it may also have run for so long
   since it published that it must be polling. A tool translates the code before that runs. */
static inline int thread_await(int *tid, const clockid_t *clock) {
  long long deadline = now_ns() + HANG_LIMIT, published = -1, polling = (getenv("TEST_TOOL") ? 500 : 20) * MILLISECOND;
  while (now_ns() < deadline) {
    int id = __atomic_load_n(tid, __ATOMIC_SEQ_CST), asleep = id ? thread_stays_asleep(id) : 0;
    if (asleep) return asleep > 0;
    if (id && clock) {
      long long run = clock_ns(*clock);
      if (published < 0) published = run;
      if (run - published > polling) return 1;
    }
    sleep_ns(MILLISECOND / 10);
  }
  return 0;
}

static inline int thread_await_parked(int *tid) {
  return thread_await(tid, NULL);
}

/* Waits until the thread is inside the call: it sleeps there, or polls. */
static inline int thread_await_inside(int *tid, pthread_t thread) {
  clockid_t clock;
  return pthread_getcpuclockid(thread, &clock) == 0 && thread_await(tid, &clock);
}

/* The most threads that gevt adds to a process, for any number of streams. There is a worker per core, and five more that are tried
   where nothing moves. Each of these may sleep in a function, such as one that reads /proc, and one more then replaces it.
   There are two watchers. */
static inline int threads_of_gevt(void) {
  return 2 * ((int)sysconf(_SC_NPROCESSORS_ONLN) + 5) + 2;
}

static inline pthread_t thread_start(void *(*body)(void *), void *user) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, body, user) != 0) {
    printf("FAILED: pthread_create\n");
    exit(1);
  }
  return thread;
}

static inline void thread_join(pthread_t thread) {
  if (pthread_join(thread, NULL) != 0) {
    printf("FAILED: pthread_join\n");
    exit(1);
  }
}

/* Runs the body in so many threads at once, and waits for them. */
static inline void run_threads(int count, void *(*body)(void *), void *user) {
  pthread_t threads[16];
  int i;
  if (!CHECK(count <= 16)) return;
  for (i = 0; i < count; i++) threads[i] = thread_start(body, user);
  for (i = 0; i < count; i++) thread_join(threads[i]);
}

#endif
