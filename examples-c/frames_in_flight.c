/* Frames in flight: a main loop that polls, never waits, and lets the stream run at most three frames behind it.
 *
 * Each frame has a slot in a ring of three. Before the main loop fills a slot again it asks, with gevt_query, whether
 * the slot's last frame has finished; if not, it goes on with its own work and asks again later.
 *
 * That the loop never blocks is put to the test by the frames themselves: each one ends only once the main loop has made
 * a few steps since the frame was issued. A main loop that waited for a frame would make no steps and wait for ever. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <time.h>

#include "check.h"

enum { FRAMES = 40, IN_FLIGHT = 3, STEPS_PER_FRAME = 5, NAP_US = 100, GIVE_UP_AFTER_NAPS = 3000000 };

/* Counted by the main loop, read by the frames' work: the one thing that they share while both run. */
static uint64_t steps;

typedef struct {
  gevt_event_t begun, finished;
  uint64_t number;       /* of the frame that the slot holds, from 0 */
  uint64_t steps_needed; /* the frame's work ends when the main loop has made this many */
  uint64_t drawn;        /* what the work leaves behind */
  bool starved;          /* the main loop stood still while the frame was drawn */
} slot_t;

static void nap(void) {
  const struct timespec time = {.tv_sec = 0, .tv_nsec = NAP_US * 1000};
  nanosleep(&time, NULL);
}

static uint64_t picture_of(uint64_t frame) {
  uint64_t pixel = frame + 1;
  for (int i = 0; i < 200000; i++) {
    pixel = pixel * 6364136223846793005u + 1442695040888963407u;
  }
  return pixel;
}

/* One frame's work, run in stream order on a thread of gevt's. */
static void draw(void *user) {
  slot_t *slot = user;
  slot->drawn = picture_of(slot->number);
  int naps = 0;
  while (__atomic_load_n(&steps, __ATOMIC_RELAXED) < slot->steps_needed && naps < GIVE_UP_AFTER_NAPS) {
    nap();
    naps++;
  }
  slot->starved = naps == GIVE_UP_AFTER_NAPS;
}

static void issue(slot_t *slot, uint64_t number, gevt_stream_t stream) {
  slot->number = number;
  slot->steps_needed = steps + STEPS_PER_FRAME;
  slot->drawn = 0;
  CHECK(gevt_record(slot->begun, stream));
  CHECK(gevt_stream_launch(stream, draw, slot));
  CHECK(gevt_record(slot->finished, stream));
}

/* Takes a finished frame out of its slot. */
static void collect(const slot_t *slot, uint64_t number, int64_t *total_ns) {
  int64_t ns = 0;
  CHECK(gevt_elapsed_ns(&ns, slot->begun, slot->finished));
  EXPECT(slot->number == number);
  EXPECT(slot->drawn == picture_of(number));
  EXPECT(!slot->starved);
  EXPECT(ns >= 0);
  *total_ns += ns;
}

int main(void) {
  gevt_stream_t stream;
  slot_t ring[IN_FLIGHT] = {{0}};
  CHECK(gevt_stream_create(&stream, NULL, GEVT_STREAM_NON_BLOCKING));
  for (int i = 0; i < IN_FLIGHT; i++) {
    CHECK(gevt_create(&ring[i].begun, GEVT_EVENT_DEFAULT));
    CHECK(gevt_create(&ring[i].finished, GEVT_EVENT_DEFAULT));
  }

  uint64_t issued = 0, collected = 0, deepest = 0, polls = 0, not_ready = 0;
  int64_t drawing_ns = 0;
  while (collected < FRAMES) {
    while (issued < FRAMES && issued - collected < IN_FLIGHT) {
      issue(&ring[issued % IN_FLIGHT], issued, stream);
      issued++;
    }
    if (issued - collected > deepest) {
      deepest = issued - collected;
    }

    /* Frames finish in stream order, so the oldest one tells. */
    const slot_t *oldest = &ring[collected % IN_FLIGHT];
    polls++;
    if (event_is_finished(oldest->finished)) {
      collect(oldest, collected, &drawing_ns);
      collected++;
    } else {
      not_ready++;
    }

    /* One step of the main loop's own work: here it only counts and leaves the processor to others for a while. */
    __atomic_add_fetch(&steps, 1, __ATOMIC_RELAXED);
    nap();
  }

  printf("%" PRIu64 " frames, at most %" PRIu64 " in flight, %.3f ms each\n", collected, deepest,
         (double)drawing_ns / 1e6 / FRAMES);
  printf("%" PRIu64 " polls, %" PRIu64 " of them answered \"not yet\"; %" PRIu64 " steps of the main loop\n", polls,
         not_ready, steps);
  EXPECT(deepest == IN_FLIGHT);
  /* A slot's frame takes that many steps, and at most three frames share them. */
  EXPECT(steps >= STEPS_PER_FRAME * (FRAMES / IN_FLIGHT));
  EXPECT(not_ready > 0);

  for (int i = 0; i < IN_FLIGHT; i++) {
    CHECK(gevt_destroy(ring[i].begun));
    CHECK(gevt_destroy(ring[i].finished));
  }
  CHECK(gevt_stream_destroy(stream));
  EXPECT(gevt_live_events() == 0);
  return EXIT_SUCCESS;
}
