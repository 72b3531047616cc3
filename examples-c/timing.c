/* Times some work: an event before it, an event after it, and the time between the two. Start here. */
#include <inttypes.h>

#include "check.h"

typedef struct {
  uint32_t limit, primes;
} sieve_t;

/* Counts the primes below the limit. It runs in stream order, on one of gevt's threads. */
static void count_primes(void *user) {
  sieve_t *sieve = user;
  unsigned char *composite = calloc(sieve->limit, 1);
  if (composite == NULL) return;
  for (uint32_t n = 2; n < sieve->limit; n++) {
    if (composite[n]) continue;
    sieve->primes++;
    for (uint64_t multiple = (uint64_t)n * n; multiple < sieve->limit; multiple += n) composite[multiple] = 1;
  }
  free(composite);
}

int main(void) {
  gevt_stream_t stream;
  gevt_event_t start, end;
  CHECK(gevt_stream_create(&stream, NULL, GEVT_STREAM_DEFAULT));
  CHECK(gevt_create(&start, GEVT_EVENT_DEFAULT));
  CHECK(gevt_create(&end, GEVT_EVENT_DEFAULT));
  /* Messages and traces show the names. */
  CHECK(gevt_set_name(start, "sieve starts"));
  CHECK(gevt_set_name(end, "sieve ends"));

  /* These three calls return at once. */
  sieve_t sieve = {.limit = 4000000};
  CHECK(gevt_record(start, stream));
  CHECK(gevt_stream_launch(stream, count_primes, &sieve));
  CHECK(gevt_record(end, stream));

  /* A query never blocks. GEVT_ERROR_NOT_READY is an answer, not a failure. */
  const gevt_status_t answer = gevt_query(end);
  printf("before the wait: %s\n", gevt_status_name(answer));
  CHECK(gevt_sync(end));

  float ms = 0;
  CHECK(gevt_elapsed(&ms, start, end));
  printf("%" PRIu32 " primes below %" PRIu32 " in %.3f ms\n", sieve.primes, sieve.limit, (double)ms);

  /* Nanoseconds, without the rounding of a float. */
  int64_t ns = 0;
  CHECK(gevt_elapsed_ns(&ns, start, end));
  printf("that is %" PRId64 " ns\n", ns);

  CHECK(gevt_destroy(start));
  CHECK(gevt_destroy(end));
  CHECK(gevt_stream_destroy(stream));
  return sieve.primes == 283146 ? EXIT_SUCCESS : EXIT_FAILURE;
}
