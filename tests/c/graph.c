/* A graph of random waits over many streams has the results that the same steps have one after the other.
   usage: graph [host|cuda] */
#include "objects.h"

enum { STREAMS = 10000, STEPS = 60000 };

/* What a step's function does to the value of its stream. A step that waits mixes in what another stream's step gave out. */
typedef struct step {
  uint64_t *value;       /* of the stream */
  uint64_t number;       /* of the step */
  const uint64_t *taken; /* NULL: nothing is waited for */
  uint64_t given;        /* the value after the step */
} step_t;

static uint64_t mixed(uint64_t value, uint64_t with) {
  value = (value ^ with) * 0x9e3779b97f4a7c15u;
  return value ^ value >> 29;
}

static void run(void *user) {
  step_t *step = (step_t *)user;
  *step->value = mixed(*step->value, step->number);
  if (step->taken) *step->value = mixed(*step->value, *step->taken);
  step->given = *step->value;
}

static uint64_t next_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

/* The streams' values after all steps. The steps are the same for the same seed; `streams` NULL: one after the other. */
static void play(uint64_t seed, const gevt_stream_t *streams, gevt_event_t *events, uint64_t *values) {
  step_t *steps = (step_t *)calloc(STEPS, sizeof *steps);
  size_t i;
  for (i = 0; i < STEPS; i++) {
    const size_t stream = next_random(&seed) % STREAMS;
    const size_t other = next_random(&seed) % (i + 1);
    steps[i].value = &values[stream];
    steps[i].number = i + 1;
    /* Half of the waits are for one of the last steps, which may be running or still to come. */
    if (i > 0 && next_random(&seed) % 3 != 0) {
      const size_t near = i - 1 - other % (i < 64 ? i : 64);
      const size_t awaited = next_random(&seed) % 2 ? near : other % i;
      steps[i].taken = &steps[awaited].given;
      if (streams) CHECK_OK(gevt_stream_wait(streams[stream], events[awaited], GEVT_WAIT_DEFAULT));
    }
    if (streams) {
      CHECK_OK(gevt_stream_launch(streams[stream], run, &steps[i]));
      CHECK_OK(gevt_record(events[i], streams[stream]));
    } else {
      run(&steps[i]);
    }
  }
  if (streams) CHECK_OK(gevt_context_sync(subject_context));
  free(steps);
}

static void agrees_with_one_after_the_other(void) {
  gevt_stream_t *streams = (gevt_stream_t *)calloc(STREAMS, sizeof *streams);
  gevt_event_t *events = (gevt_event_t *)calloc(STEPS, sizeof *events);
  uint64_t *values = (uint64_t *)calloc(STREAMS, sizeof *values);
  uint64_t *expected = (uint64_t *)calloc(STREAMS, sizeof *expected);
  const uint64_t seeds[] = {88172645463325252u, 0x123456789abcdefu};
  size_t i, round, wrong = 0;
  for (i = 0; i < STREAMS; i++) CHECK_OK(gevt_stream_create(&streams[i], subject_context, GEVT_STREAM_NON_BLOCKING));
  for (i = 0; i < STEPS; i++) CHECK_OK(gevt_create(&events[i], GEVT_EVENT_DISABLE_TIMING));
  for (round = 0; round < sizeof seeds / sizeof *seeds; round++) {
    play(seeds[round], streams, events, values);
    play(seeds[round], NULL, NULL, expected);
    for (i = 0; i < STREAMS; i++) wrong += values[i] != expected[i];
  }
  CHECK_EQUAL(wrong, 0);
  for (i = 0; i < STEPS; i++) CHECK_OK(gevt_destroy(events[i]));
  for (i = 0; i < STREAMS; i++) CHECK_OK(gevt_stream_destroy(streams[i]));
  free(expected);
  free(values);
  free(events);
  free(streams);
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN_ON_HOST(agrees_with_one_after_the_other);
  return subject_end();
}
