/* Times one stretch of work: an event before it, an event after it, and the time between the two.
 *
 * The work measures itself too, so the program can tell whether gevt's figure is right: it lies between the time that
 * the work took by its own clock and the time that passed on the main thread around the whole. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <time.h>

#include "check.h"

typedef struct {
  uint32_t limit;
  uint32_t primes;
  int64_t own_ns;
} sieve_t;

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The work: counts the primes below a limit. It runs in stream order, on a thread of gevt's. */
static void count_primes(void *user) {
  sieve_t *sieve = user;
  const int64_t start = now_ns();
  unsigned char *composite = calloc(sieve->limit, 1);
  if (composite != NULL) {
    sieve->primes = 0;
    for (uint32_t n = 2; n < sieve->limit; n++) {
      if (!composite[n]) {
        sieve->primes++;
        for (uint64_t multiple = (uint64_t)n * n; multiple < sieve->limit; multiple += n) {
          composite[multiple] = 1;
        }
      }
    }
    free(composite);
  }
  sieve->own_ns = now_ns() - start;
}

int main(void) {
  gevt_stream_t stream;
  gevt_event_t start, end;
  CHECK(gevt_stream_create(&stream, NULL, GEVT_STREAM_DEFAULT));
  CHECK(gevt_create(&start, GEVT_EVENT_DEFAULT));
  CHECK(gevt_create(&end, GEVT_EVENT_DEFAULT));
  CHECK(gevt_set_name(start, "sieve starts"));
  CHECK(gevt_set_name(end, "sieve ends"));

  /* None of these four lines waits for the work. */
  sieve_t sieve = {.limit = 4000000};
  const int64_t before = now_ns();
  CHECK(gevt_record(start, stream));
  CHECK(gevt_stream_launch(stream, count_primes, &sieve));
  CHECK(gevt_record(end, stream));

  CHECK(gevt_sync(end));
  const int64_t around_ns = now_ns() - before;

  int64_t ns = 0;
  float ms = 0.0f;
  CHECK(gevt_elapsed_ns(&ns, start, end));
  CHECK(gevt_elapsed(&ms, start, end));
  printf("%" PRIu32 " primes below %" PRIu32 "\n", sieve.primes, sieve.limit);
  printf("between the events  %8.3f ms\n", (double)ms);
  printf("by the work itself  %8.3f ms\n", (double)sieve.own_ns / 1e6);
  printf("on the main thread  %8.3f ms\n", (double)around_ns / 1e6);

  /* The host backend reads the clock that this program reads, so the bounds are exact; a GPU counts by a clock of its own. */
  gevt_event_info_t info = {.size = sizeof info};
  CHECK(gevt_get_info(&info, end));
  const int64_t slack = info.backend == GEVT_BACKEND_HOST ? 0 : around_ns / 100;
  EXPECT(sieve.primes == 283146);
  EXPECT(ns >= sieve.own_ns - slack);
  EXPECT(ns <= around_ns + slack);
  EXPECT((double)ms >= (double)ns / 1e6 - 0.01 && (double)ms <= (double)ns / 1e6 + 0.01);

  CHECK(gevt_destroy(start));
  CHECK(gevt_destroy(end));
  CHECK(gevt_stream_destroy(stream));
  EXPECT(gevt_live_events() == 0);
  return EXIT_SUCCESS;
}
