/* Orders two streams: a producer and a consumer share one buffer, and two events keep them apart.
 *
 * `full` makes the consumer wait until the producer has filled the buffer. `drained` makes the producer wait until the consumer has
 * read it. The main thread only queues the work, and waits once at the end. */
#include <inttypes.h>

#include "check.h"

enum { ROUNDS = 64, LENGTH = 4096 };

static uint32_t buffer[LENGTH];

typedef struct {
  uint32_t number, wrong;
} round_t;

static uint32_t value_of(uint32_t round, uint32_t index) {
  return (round + 1) * 2654435761u ^ index;
}

static void produce(void *user) {
  const round_t *round = user;
  for (uint32_t i = 0; i < LENGTH; i++) buffer[i] = value_of(round->number, i);
}

static void consume(void *user) {
  round_t *round = user;
  for (uint32_t i = 0; i < LENGTH; i++) round->wrong += buffer[i] != value_of(round->number, i);
}

int main(void) {
  gevt_stream_t producer, consumer;
  gevt_event_t full, drained;
  CHECK(gevt_stream_create(&producer, NULL, GEVT_STREAM_NON_BLOCKING));
  CHECK(gevt_stream_create(&consumer, NULL, GEVT_STREAM_NON_BLOCKING));
  /* Events that only order work are cheaper without a time. */
  CHECK(gevt_create(&full, GEVT_EVENT_DISABLE_TIMING));
  CHECK(gevt_create(&drained, GEVT_EVENT_DISABLE_TIMING));

  static round_t rounds[ROUNDS];
  for (uint32_t i = 0; i < ROUNDS; i++) {
    rounds[i].number = i;
    /* In the first round `drained` was never recorded, and the wait does nothing. A new record of an event does not change the waits
     * that were queued before. */
    CHECK(gevt_stream_wait(producer, drained, GEVT_WAIT_DEFAULT));
    CHECK(gevt_stream_launch(producer, produce, &rounds[i]));
    CHECK(gevt_record(full, producer));

    CHECK(gevt_stream_wait(consumer, full, GEVT_WAIT_DEFAULT));
    CHECK(gevt_stream_launch(consumer, consume, &rounds[i]));
    CHECK(gevt_record(drained, consumer));
  }
  CHECK(gevt_sync(drained));

  uint32_t wrong = 0;
  for (uint32_t i = 0; i < ROUNDS; i++) wrong += rounds[i].wrong;
  printf("%d rounds through one buffer, %" PRIu32 " wrong values\n", ROUNDS, wrong);

  CHECK(gevt_destroy(full));
  CHECK(gevt_destroy(drained));
  CHECK(gevt_stream_destroy(producer));
  CHECK(gevt_stream_destroy(consumer));
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
