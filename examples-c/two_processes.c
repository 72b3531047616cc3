/* Two processes share a buffer: a producer fills it, a consumer reads it, and two interprocess events keep them apart.
 *
 * Each process imports the other's event, makes a stream wait for it, and records its own event after its work. A complete event
 * stays complete until its next record. So each side must know that the other one has queued its next record: two counters in shared
 * memory tell.
 *
 * usage: two_processes [host|cuda] */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

/* On the host, an interprocess event may have 255 pending records. So no side runs further ahead than DEPTH rounds. */
enum { PRODUCER, CONSUMER, LENGTH = 1024, ROUNDS = 2000, DEPTH = 128, NO_DEVICE = 3 };

typedef struct {
  gevt_ipc_handle_t handles[2];
  uint32_t exported[2];
  uint64_t queued[2]; /* records */
  uint32_t buffer[LENGTH];
  uint64_t wrong;
} shared_t;

typedef struct {
  shared_t *shared;
  uint32_t round;
} work_t;

static uint32_t value_of(uint32_t round, uint32_t index) {
  return (round + 1) * 2654435761u ^ index;
}

static void produce(void *user) {
  const work_t *work = user;
  for (uint32_t i = 0; i < LENGTH; i++) work->shared->buffer[i] = value_of(work->round, i);
}

static void consume(void *user) {
  const work_t *work = user;
  for (uint32_t i = 0; i < LENGTH; i++) work->shared->wrong += work->shared->buffer[i] != value_of(work->round, i);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* The parent kills this process if the other one fails, so the loop cannot last. */
static void await(const uint64_t *counter, uint64_t least) {
  while (__atomic_load_n(counter, __ATOMIC_ACQUIRE) < least) sched_yield();
}

static gevt_event_t exchange(shared_t *shared, int side, gevt_event_t mine) {
  gevt_event_t theirs = NULL;
  CHECK(gevt_ipc_export(&shared->handles[side], mine));
  __atomic_store_n(&shared->exported[side], 1, __ATOMIC_RELEASE);
  while (!__atomic_load_n(&shared->exported[1 - side], __ATOMIC_ACQUIRE)) sched_yield();
  CHECK(gevt_ipc_import(&theirs, NULL, &shared->handles[1 - side]));
  return theirs;
}

static int run(shared_t *shared, int side, gevt_backend_t backend) {
  static work_t work[ROUNDS];
  gevt_context_t context;
  gevt_stream_t stream;
  gevt_event_t mine;
  const gevt_status_t opened = gevt_context_open(&context, backend, 0);
  if (opened == GEVT_ERROR_NO_DEVICE) return NO_DEVICE;
  CHECK(opened);
  CHECK(gevt_context_set_current(context));
  CHECK(gevt_stream_create(&stream, context, GEVT_STREAM_NON_BLOCKING));
  CHECK(gevt_create(&mine, GEVT_EVENT_DISABLE_TIMING | GEVT_EVENT_INTERPROCESS));
  const gevt_event_t theirs = exchange(shared, side, mine);

  const double start = now();
  for (uint32_t i = 0; i < ROUNDS; i++) {
    work[i] = (work_t){.shared = shared, .round = i};
    /* Round i of the consumer needs the producer's record i, and round i of the producer the consumer's record i - 1. */
    await(&shared->queued[1 - side], side == PRODUCER ? i : i + 1);
    CHECK(gevt_stream_wait(stream, theirs, GEVT_WAIT_DEFAULT));
    CHECK(gevt_stream_launch(stream, side == PRODUCER ? produce : consume, &work[i]));
    CHECK(gevt_record(mine, stream));
    __atomic_store_n(&shared->queued[side], i + 1, __ATOMIC_RELEASE);
    if (i % DEPTH == DEPTH - 1) CHECK(gevt_stream_sync(stream));
  }
  CHECK(gevt_stream_sync(stream));
  if (side == CONSUMER) {
    printf("%d rounds through one buffer, %.0f a second, %" PRIu64 " wrong values\n", ROUNDS, ROUNDS / (now() - start),
           shared->wrong);
  }
  CHECK(gevt_destroy(theirs));
  CHECK(gevt_destroy(mine));
  CHECK(gevt_stream_destroy(stream));
  CHECK(gevt_context_close(context));
  return shared->wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int count, char **words) {
  const gevt_backend_t backend = count > 1 && strcmp(words[1], "cuda") == 0 ? GEVT_BACKEND_CUDA : GEVT_BACKEND_HOST;
  shared_t *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return EXIT_FAILURE;

  /* Fork before the first call of gevt: a forked child of a process that has used gevt cannot use it. */
  pid_t children[2];
  for (int side = 0; side < 2; side++) {
    children[side] = fork();
    if (children[side] == 0) return run(shared, side, backend);
    if (children[side] < 0) return EXIT_FAILURE;
  }

  /* If a side fails, the other one would wait forever. */
  int code = EXIT_SUCCESS;
  for (int left = 2; left > 0; left--) {
    int status = 0;
    const pid_t ended = wait(&status);
    if (status == 0 || code != EXIT_SUCCESS) continue;
    code = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
    if (left == 2) kill(children[ended == children[PRODUCER] ? CONSUMER : PRODUCER], SIGKILL);
  }
  if (code == NO_DEVICE) {
    printf("SKIPPED: there is no CUDA device\n");
    code = EXIT_SUCCESS;
  }
  return code;
}
