/* Frames in flight: each frame has three passes, which run on three streams. Events order the passes. A frame can be simulated while
 * the frame before it is drawn.
 *
 * The main loop has a ring of slots. Before it uses a slot again, it asks whether the slot's last frame is complete; if not, it does
 * its own work and asks later. For comparison, the program also runs the same frames with a wait for the
 * whole device after each one. Of several rounds the fastest counts. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdbool.h>
#include <time.h>

#include "check.h"

enum { FRAMES = 24, ROUNDS = 5, IN_FLIGHT = 4, PASSES = 3, STEPS = 1500000 };

typedef struct {
  gevt_event_t ends[PASSES];
  uint64_t frame, pixel;
} slot_t;

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t work_on(uint64_t pixel) {
  for (int i = 0; i < STEPS; i++) pixel = pixel * 6364136223846793005u + 1442695040888963407u;
  return pixel;
}

static void simulate(void *user) {
  slot_t *slot = user;
  slot->pixel = work_on(slot->frame);
}

static void draw(void *user) {
  slot_t *slot = user;
  slot->pixel = work_on(slot->pixel);
}

static void encode(void *user) {
  slot_t *slot = user;
  slot->pixel = work_on(slot->pixel);
}

/* Queues a frame. No call blocks. */
static void submit(slot_t *slot, const gevt_stream_t *streams, uint64_t frame) {
  static const gevt_host_fn_t passes[PASSES] = {simulate, draw, encode};
  slot->frame = frame;
  for (int pass = 0; pass < PASSES; pass++) {
    if (pass > 0) CHECK(gevt_stream_wait(streams[pass], slot->ends[pass - 1], GEVT_WAIT_DEFAULT));
    CHECK(gevt_stream_launch(streams[pass], passes[pass], slot));
    CHECK(gevt_record(slot->ends[pass], streams[pass]));
  }
}

static bool is_complete(gevt_event_t event) {
  const gevt_status_t status = gevt_query(event);
  if (status != GEVT_ERROR_NOT_READY) CHECK(status);
  return status == GEVT_SUCCESS;
}

/* Runs all frames. Returns the nanoseconds that they took; adds the pixels to `sum`. */
static uint64_t run(slot_t *ring, const gevt_stream_t *streams, bool wait_for_device, uint64_t *sum) {
  const uint64_t start = now_ns();
  for (uint64_t submitted = 0, collected = 0; collected < FRAMES;) {
    slot_t *oldest = &ring[collected % IN_FLIGHT];
    if (submitted < FRAMES && submitted - collected < IN_FLIGHT) {
      submit(&ring[submitted % IN_FLIGHT], streams, submitted);
      submitted++;
      if (wait_for_device) CHECK(gevt_context_sync(NULL));
    } else if (is_complete(oldest->ends[PASSES - 1])) {
      *sum += oldest->pixel;
      collected++;
    } else {
      const struct timespec other_work = {.tv_nsec = 500000};
      nanosleep(&other_work, NULL);
    }
  }
  return now_ns() - start;
}

int main(void) {
  gevt_stream_t streams[PASSES];
  static slot_t ring[IN_FLIGHT];
  for (int pass = 0; pass < PASSES; pass++) {
    CHECK(gevt_stream_create(&streams[pass], NULL, GEVT_STREAM_NON_BLOCKING));
    for (int i = 0; i < IN_FLIGHT; i++) CHECK(gevt_create(&ring[i].ends[pass], GEVT_EVENT_DISABLE_TIMING));
  }

  /* Index 1 is with a wait for the device. */
  uint64_t best[2] = {UINT64_MAX, UINT64_MAX}, sums[2] = {0, 0};
  for (int round = 0; round < 2 * ROUNDS; round++) {
    const int way = round % 2;
    const uint64_t ns = run(ring, streams, way, &sums[way]);
    if (ns < best[way]) best[way] = ns;
  }
  printf("with a wait for the device after each frame: %.3f ms a frame\n", (double)best[1] / 1e6 / FRAMES);
  printf("with %d frames in flight, ordered by events: %.3f ms a frame, %.2f times as fast\n", IN_FLIGHT,
         (double)best[0] / 1e6 / FRAMES, (double)best[1] / (double)best[0]);

  for (int pass = 0; pass < PASSES; pass++) {
    for (int i = 0; i < IN_FLIGHT; i++) CHECK(gevt_destroy(ring[i].ends[pass]));
    CHECK(gevt_stream_destroy(streams[pass]));
  }
  return sums[0] == sums[1] ? EXIT_SUCCESS : EXIT_FAILURE;
}
