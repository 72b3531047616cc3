/* Two processes in lock-step: a producer fills a buffer in shared memory, a consumer reads it, and two interprocess events keep
 * them apart.
 *
 * `full` is the producer's and `drained` the consumer's. Each process imports the other's event, lets a stream wait for it, and
 * records its own behind the work; no thread waits for any of that. An event that was recorded before is done until it is
 * recorded again, so that each side has to know that the other one has issued its next record: two counters in shared memory
 * tell.
 *
 * usage: two_processes [host|cuda|auto] [ROUNDS] */
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

/* At most 255 records of an event between processes may be pending on the host, so neither side runs further ahead than DEPTH rounds. */
enum { PRODUCER, CONSUMER, SIDES, LENGTH = 1024, NO_DEVICE = 3, DEPTH = 128 };

/* What the two processes share besides events. */
typedef struct {
  gevt_ipc_handle_t handles[SIDES];
  uint32_t ready[SIDES];  /* the handle is there */
  uint64_t issued[SIDES]; /* how many records of its event the side has issued */
  uint32_t buffer[LENGTH];
  uint64_t filled_at;  /* when the producer was through with the buffer, in ns */
  uint64_t latency_ns; /* the sum of the times until the consumer began with it */
  uint64_t consumed, wrong;
} shared_t;

/* A round's work, for the stream of either side. */
typedef struct {
  shared_t *shared;
  uint32_t round;
} work_t;

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint32_t value_of(uint32_t round, uint32_t index) {
  return (round + 1) * 2654435761u ^ index;
}

static void produce(void *user) {
  const work_t *work = user;
  for (uint32_t i = 0; i < LENGTH; i++) {
    work->shared->buffer[i] = value_of(work->round, i);
  }
  work->shared->filled_at = now_ns();
}

static void consume(void *user) {
  const work_t *work = user;
  shared_t *shared = work->shared;
  shared->latency_ns += now_ns() - shared->filled_at;
  for (uint32_t i = 0; i < LENGTH; i++) {
    shared->wrong += shared->buffer[i] != value_of(work->round, i);
  }
  shared->consumed++;
}

/* Gives its processor to the other side until the number is reached; should that side be gone, this one is ended with it. */
static void await_issue(const uint64_t *issued, uint64_t least) {
  while (__atomic_load_n(issued, __ATOMIC_ACQUIRE) < least) {
    sched_yield();
  }
}

/* Gives this side's event away and takes the other's. */
static gevt_event_t exchange(shared_t *shared, int side, gevt_event_t mine) {
  const int other = 1 - side;
  gevt_event_t theirs = NULL;
  CHECK(gevt_ipc_export(&shared->handles[side], mine));
  __atomic_store_n(&shared->ready[side], 1, __ATOMIC_RELEASE);
  while (!__atomic_load_n(&shared->ready[other], __ATOMIC_ACQUIRE)) {
    sched_yield();
  }
  CHECK(gevt_ipc_import(&theirs, NULL, &shared->handles[other]));
  return theirs;
}

static int run(shared_t *shared, int side, gevt_backend_t backend, uint32_t rounds) {
  gevt_context_t context;
  gevt_stream_t stream;
  gevt_event_t mine;
  const gevt_status_t opened = gevt_context_open(&context, backend, 0);
  if (opened == GEVT_ERROR_NO_DEVICE) {
    return NO_DEVICE;
  }
  CHECK(opened);
  CHECK(gevt_context_set_current(context));
  CHECK(gevt_stream_create(&stream, context, GEVT_STREAM_NON_BLOCKING));
  CHECK(gevt_create(&mine, GEVT_EVENT_DISABLE_TIMING | GEVT_EVENT_INTERPROCESS));
  const gevt_event_t theirs = exchange(shared, side, mine);

  work_t *work = malloc(rounds * sizeof *work);
  EXPECT(work != NULL);
  const uint64_t start = now_ns();
  for (uint32_t i = 0; i < rounds; i++) {
    work[i] = (work_t){.shared = shared, .round = i};
    /* The consumer's round i is about the producer's record i, and the producer's round i about the consumer's before. */
    await_issue(&shared->issued[1 - side], side == PRODUCER ? i : i + 1);
    CHECK(gevt_stream_wait(stream, theirs, GEVT_WAIT_DEFAULT));
    CHECK(gevt_stream_launch(stream, side == PRODUCER ? produce : consume, &work[i]));
    CHECK(gevt_record(mine, stream));
    __atomic_store_n(&shared->issued[side], i + 1, __ATOMIC_RELEASE);
    if (i % DEPTH == DEPTH - 1) CHECK(gevt_stream_sync(stream));
  }
  CHECK(gevt_stream_sync(stream));
  const double seconds = (double)(now_ns() - start) / 1e9;

  if (side == CONSUMER) {
    gevt_event_info_t info = {.size = sizeof info};
    CHECK(gevt_get_info(&info, theirs));
    EXPECT(info.imported == 1);
    printf("%s: %" PRIu64 " rounds through one buffer, %" PRIu64 " wrong values\n",
           info.backend == GEVT_BACKEND_CUDA ? "CUDA" : "host", shared->consumed, shared->wrong);
    printf("%.0f rounds/s; the consumer began %.1f us after the buffer was full\n", rounds / seconds,
           (double)shared->latency_ns / rounds / 1e3);
    EXPECT(shared->consumed == rounds);
    EXPECT(shared->wrong == 0);
  }
  free(work);
  CHECK(gevt_destroy(theirs));
  CHECK(gevt_destroy(mine));
  CHECK(gevt_stream_destroy(stream));
  CHECK(gevt_context_close(context));
  EXPECT(gevt_live_events() == 0);
  return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "auto";
  const gevt_backend_t backend = strcmp(name, "host") == 0   ? GEVT_BACKEND_HOST
                                 : strcmp(name, "cuda") == 0 ? GEVT_BACKEND_CUDA
                                                             : GEVT_BACKEND_AUTO;
  const uint32_t rounds = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 2000;
  shared_t *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED || rounds == 0) {
    fprintf(stderr, "usage: two_processes [host|cuda|auto] [ROUNDS]\n");
    return EXIT_FAILURE;
  }

  /* Forked before the first call of gevt's: a child of a process that uses gevt could not use it. */
  pid_t children[SIDES];
  for (int side = 0; side < SIDES; side++) {
    children[side] = fork();
    if (children[side] == 0) {
      return run(shared, side, backend, rounds);
    }
    EXPECT(children[side] > 0);
  }

  /* The first that fails takes the other one along, which would wait for it. */
  int code = EXIT_SUCCESS;
  for (int left = SIDES; left > 0; left--) {
    int status = 0;
    const pid_t ended = wait(&status);
    if (ended > 0 && status != 0 && code == EXIT_SUCCESS) {
      code = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
      if (left == SIDES) {
        kill(children[ended == children[PRODUCER] ? CONSUMER : PRODUCER], SIGKILL);
      }
    }
  }
  if (code == NO_DEVICE) {
    printf("SKIPPED: there is no CUDA device here\n");
    code = EXIT_SUCCESS;
  }
  return code;
}
