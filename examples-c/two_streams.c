/* Order across streams: a producer and a consumer share one buffer, and two events keep them apart.
 *
 * Streams run side by side. `full` makes the consumer wait until the producer has filled the buffer, and `drained`
 * makes the producer wait until the consumer has read it. The main thread only issues the work: it waits once, at the end. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <time.h>

#include "check.h"

enum { ROUNDS = 64, LENGTH = 4096 };

static uint32_t buffer[LENGTH];

/* Set by the main thread: nothing runs before all work has been issued, however late the main thread comes to that. */
static bool all_issued;

typedef struct {
  uint32_t number;
  uint32_t wrong; /* how many values the consumer found that this round's producer did not write */
  bool consumed;
} round_t;

static uint32_t value_of(uint32_t round, uint32_t index) {
  return (round + 1) * 2654435761u ^ index;
}

static void nap_ms(long ms) {
  const struct timespec nap = {.tv_sec = 0, .tv_nsec = ms * 1000000};
  nanosleep(&nap, NULL);
}

/* The producer is slow and stops half way, so that a consumer that does not wait finds a stale half. */
static void produce(void *user) {
  const round_t *round = user;
  while (!__atomic_load_n(&all_issued, __ATOMIC_RELAXED)) {
    nap_ms(1);
  }
  for (uint32_t i = 0; i < LENGTH; i++) {
    if (i == LENGTH / 2) {
      nap_ms(1);
    }
    buffer[i] = value_of(round->number, i);
  }
}

/* The consumer stops half way too, so that a producer that does not wait overwrites what is still to be read. */
static void consume(void *user) {
  round_t *round = user;
  for (uint32_t i = 0; i < LENGTH; i++) {
    if (i == LENGTH / 2) {
      nap_ms(1);
    }
    if (buffer[i] != value_of(round->number, i)) {
      round->wrong++;
    }
  }
  round->consumed = true;
}

int main(void) {
  gevt_stream_t producer, consumer;
  gevt_event_t full, drained, first_full, first_begun;
  CHECK(gevt_stream_create(&producer, NULL, GEVT_STREAM_NON_BLOCKING));
  CHECK(gevt_stream_create(&consumer, NULL, GEVT_STREAM_NON_BLOCKING));
  /* These two only order work: without a time to take they are cheaper. */
  CHECK(gevt_create(&full, GEVT_EVENT_DISABLE_TIMING));
  CHECK(gevt_create(&drained, GEVT_EVENT_DISABLE_TIMING));
  CHECK(gevt_create(&first_full, GEVT_EVENT_DEFAULT));
  CHECK(gevt_create(&first_begun, GEVT_EVENT_DEFAULT));

  static round_t rounds[ROUNDS];
  for (uint32_t i = 0; i < ROUNDS; i++) {
    rounds[i].number = i;
    /* In the first round `drained` was never recorded, and a wait for such an event is over at once.
         * Recording an event anew leaves the waits that were issued before as they are. */
    CHECK(gevt_stream_wait(producer, drained, GEVT_WAIT_DEFAULT));
    CHECK(gevt_stream_launch(producer, produce, &rounds[i]));
    if (i == 0) {
      CHECK(gevt_record(first_full, producer));
    }
    CHECK(gevt_record(full, producer));

    CHECK(gevt_stream_wait(consumer, full, GEVT_WAIT_DEFAULT));
    if (i == 0) {
      CHECK(gevt_record(first_begun, consumer));
    }
    CHECK(gevt_stream_launch(consumer, consume, &rounds[i]));
    CHECK(gevt_record(drained, consumer));
  }
  const bool all_issued_early = !event_is_finished(drained);
  __atomic_store_n(&all_issued, true, __ATOMIC_RELAXED);
  CHECK(gevt_sync(drained));

  uint32_t consumed = 0, wrong = 0;
  for (uint32_t i = 0; i < ROUNDS; i++) {
    consumed += rounds[i].consumed;
    wrong += rounds[i].wrong;
  }
  int64_t gap_ns = 0;
  CHECK(gevt_elapsed_ns(&gap_ns, first_full, first_begun));
  printf("%" PRIu32 " rounds through one buffer, %" PRIu32 " wrong values\n", consumed, wrong);
  printf("the consumer began %.1f us after the buffer was first full\n", (double)gap_ns / 1e3);

  EXPECT(all_issued_early);
  EXPECT(consumed == ROUNDS);
  EXPECT(wrong == 0);
  EXPECT(gap_ns >= 0);

  CHECK(gevt_destroy(full));
  CHECK(gevt_destroy(drained));
  CHECK(gevt_destroy(first_full));
  CHECK(gevt_destroy(first_begun));
  CHECK(gevt_stream_destroy(producer));
  CHECK(gevt_stream_destroy(consumer));
  EXPECT(gevt_live_events() == 0);
  return EXIT_SUCCESS;
}
