/* Threads that share events: every answer is about the last record, whichever calls the other threads make. */
#include "case.h"

#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8, ROUNDS = 150, POOL = 64, STEPS = 20000 };

static CUevent shared;
static int gate;
/* Three in a round: 1 the record was issued and is pending, 2 unknown, 3 it has completed. */
static int phase;
static int looks;

static int load(const int *from) {
  return __atomic_load_n(from, __ATOMIC_SEQ_CST);
}
static void store(int *to, int value) {
  __atomic_store_n(to, value, __ATOMIC_SEQ_CST);
}

static void wait_for_gate(void *user) {
  (void)user;
  while (!load(&gate)) usleep(20);
}

static void *poll_shared(void *user) {
  (void)user;
  OK(cuCtxSetCurrent(case_context));
  while (load(&phase) < 3 * ROUNDS) {
    int before = load(&phase), answer = cuEventQuery(shared), after = load(&phase);
    if (before == after && before % 3 == 1) GIVES(CUDA_ERROR_NOT_READY, answer);
    if (before == after && before % 3 == 0) GIVES(0, answer);
    CHECK(answer == 0 || answer == CUDA_ERROR_NOT_READY);
    __atomic_add_fetch(&looks, 1, __ATOMIC_SEQ_CST);
    sched_yield();
  }
  return NULL;
}

static void all_threads(void *(*run)(void *)) {
  pthread_t threads[THREADS];
  int i;
  for (i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, run, (void *)(size_t)i) == 0);
  for (i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
}

CASE(queries_race_with_records) {
  pthread_t threads[THREADS];
  int i, round;
  CUstream stream = new_stream();
  shared = event_with(0);
  for (i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, poll_shared, NULL) == 0);
  for (round = 0; round < ROUNDS; round++) {
    int seen;
    store(&phase, 3 * round + 2);
    store(&gate, 0);
    OK(cuLaunchHostFunc(stream, wait_for_gate, NULL));
    OK(cuEventRecord(shared, stream));
    store(&phase, 3 * round + 1);
    seen = load(&looks);
    while (load(&looks) < seen + THREADS) sched_yield();
    store(&phase, 3 * round + 2);
    store(&gate, 1);
    OK(cuEventSynchronize(shared));
    store(&phase, 3 * round + 3);
    seen = load(&looks);
    if (round + 1 < ROUNDS)
      while (load(&looks) < seen + THREADS) sched_yield();
  }
  for (i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
}

static CUevent pool[POOL];

/* All that can be done with events that others destroy and replace: refused or not, never wrong and never a crash. */
static void *stir(void *user) {
  unsigned seed = (unsigned)(size_t)user * 2654435761u + 1;
  CUstream stream;
  int step;
  OK(cuCtxSetCurrent(case_context));
  stream = new_stream();
  for (step = 0; step < STEPS; step++) {
    CUevent *place, event, fresh;
    float ms;
    int answer = 0;
    seed = seed * 1664525u + 1013904223u;
    place = &pool[(seed >> 8) % POOL];
    event = __atomic_load_n(place, __ATOMIC_SEQ_CST);
    switch ((seed >> 24) % 8) {
    case 0:
      OK(cuEventCreate(&fresh, 0));
      event = __atomic_exchange_n(place, fresh, __ATOMIC_SEQ_CST);
      OK(cuEventDestroy_v2(event));
      break;
    case 1:
      answer = cuEventSynchronize(event);
      break;
    case 2:
      answer = cuStreamWaitEvent(stream, event, 0);
      break;
    case 3:
      answer = cuEventElapsedTime(&ms, event, pool[0]);
      break;
    case 4:
    case 5:
      answer = cuEventRecord(event, stream);
      break;
    default:
      answer = cuEventQuery(event);
      break;
    }
    CHECK(answer == 0 || answer == CUDA_ERROR_INVALID_HANDLE || answer == CUDA_ERROR_NOT_READY);
  }
  OK(cuStreamSynchronize(stream));
  OK(cuStreamDestroy_v2(stream));
  return NULL;
}

CASE(events_are_replaced) {
  int i;
  for (i = 0; i < POOL; i++) pool[i] = event_with(0);
  all_threads(stir);
  OK(cuCtxSynchronize());
  for (i = 0; i < POOL; i++) {
    OK(cuEventQuery(pool[i]));
    OK(cuEventDestroy_v2(pool[i]));
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventQuery(pool[i]));
  }
}

/* Uses events until the process ends, and ignores the answers. */
static void *use_for_ever(void *user) {
  CUstream stream = NULL;
  (void)user;
  (void)cuCtxSetCurrent(case_context);
  (void)cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
  for (;;) {
    CUevent events[16];
    int i, made = 0;
    while (made < 16 && cuEventCreate(&events[made], 0) == 0) made++;
    for (i = 0; i < made; i++) (void)cuEventRecord(events[i], stream);
    for (i = 0; i < made; i++) (void)cuEventQuery(events[i]);
    for (i = 0; i < made; i++) (void)cuEventDestroy_v2(events[i]);
    if (made < 16) usleep(100);
  }
  return NULL;
}

static void start_users(void) {
  int i;
  for (i = 0; i < 4; i++) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, use_for_ever, NULL) == 0 && pthread_detach(thread) == 0);
  }
  usleep(5000);
}

/* Whatever the other threads were at, their locks included: in the child every call comes back. */
CASE(fork_among_threads) {
  CUevent fresh;
  int i;
  start_users();
  CUevent event = event_with(0);
  OK(cuEventRecord(event, NULL));
  OK(cuEventSynchronize(event));
  for (i = 0; i < 50; i++) {
    int status;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      alarm(10);
      (void)cuEventQuery(event);
      (void)cuEventCreate(&fresh, 0);
      (void)cuEventRecord(event, NULL);
      (void)cuEventQuery((CUevent)0x10);
      (void)cuEventDestroy_v2(event);
      exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    GIVES(0, WEXITSTATUS(status));
    OK(cuEventQuery(event));
  }
}

/* The process ends while the other threads continue. */
CASE(exit_among_threads) {
  start_users();
  alarm(10);
  exit(0);
}

MAIN
