/* Times between events: what the values mean. tests/scenarios/elapsed.scn has what is refused. */
#include "objects.h"

static int64_t between(gevt_event_t start, gevt_event_t end) {
  int64_t ns = INT64_MIN;
  CHECK_OK(gevt_elapsed_ns(&ns, start, end));
  return ns;
}

/* The time is taken when the stream reaches the event, so it lies between what this thread measures from inside and outside. */
static void measures_the_stream(void) {
  gate_t gate = GATE_CLOSED;
  gevt_stream_t stream = stream_new();
  gevt_event_t start = event_new(), end = event_new();
  long long outer_start, inner_start, inner_end, outer_end, slack;
  int64_t ns;
  float ms = 0;
  outer_start = now_ns();
  CHECK_OK(gevt_record(start, stream));
  CHECK_OK(gevt_sync(start));
  inner_start = now_ns();
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(end, stream));
  sleep_ns(20 * MILLISECOND);
  inner_end = now_ns();
  gate_open(&gate);
  CHECK_OK(gevt_sync(end));
  outer_end = now_ns();
  ns = between(start, end);
  /* Another clock's ticks may be coarse, and it may drift a little against this one; the host's is the same clock. */
  slack = subject_is_host() ? 0 : MILLISECOND / 10;
  CHECK(ns >= inner_end - inner_start - slack);
  CHECK(ns <= outer_end - outer_start + slack);
  CHECK_OK(gevt_elapsed(&ms, start, end));
  CHECK(ms * 1e6 > (double)ns * 0.999 && ms * 1e6 < (double)ns * 1.001);
  CHECK_OK(gevt_destroy(start));
  CHECK_OK(gevt_destroy(end));
  stream_finish(stream);
}

static void signs_and_sums(void) {
  gevt_stream_t stream = stream_new();
  gevt_event_t a = event_new(), b = event_new(), c = event_new();
  float forward = 0, backward = 0, self = 1;
  int64_t ab, bc, ac;
  CHECK_OK(gevt_record(a, stream));
  sleep_ns(2 * MILLISECOND);
  CHECK_OK(gevt_record(b, stream));
  sleep_ns(3 * MILLISECOND);
  CHECK_OK(gevt_record(c, stream));
  CHECK_OK(gevt_stream_sync(stream));
  ab = between(a, b);
  bc = between(b, c);
  ac = between(a, c);
  CHECK(ab > 0);
  CHECK(bc > 0);
  CHECK_EQUAL(between(b, a), -ab);
  CHECK_EQUAL(between(a, a), 0);
  if (subject_is_host()) CHECK_EQUAL(ab + bc, ac);
  CHECK_OK(gevt_elapsed(&forward, a, b));
  CHECK_OK(gevt_elapsed(&backward, b, a));
  CHECK_OK(gevt_elapsed(&self, a, a));
  CHECK(forward > 0);
  CHECK(backward == -forward);
  CHECK(self == 0);
  CHECK_OK(gevt_destroy(a));
  CHECK_OK(gevt_destroy(b));
  CHECK_OK(gevt_destroy(c));
  stream_finish(stream);
}

/* In one stream, times never run backwards. */
static void is_monotonic(void) {
  enum { COUNT = 200 };
  gevt_stream_t stream = stream_new();
  gevt_event_t events[COUNT];
  int counter = 0, i;
  for (i = 0; i < COUNT; i++) {
    events[i] = event_new();
    CHECK_OK(gevt_stream_launch(stream, count_up, &counter));
    CHECK_OK(gevt_record(events[i], stream));
  }
  CHECK_OK(gevt_stream_sync(stream));
  for (i = 1; i < COUNT; i++) CHECK(between(events[i - 1], events[i]) >= 0);
  for (i = 0; i < COUNT; i++) CHECK_OK(gevt_destroy(events[i]));
  stream_finish(stream);
}

/* Pairs of all kinds in one call: each has the status and the time that it has alone, and what has no time is not written. */
static void many_pairs(void) {
  enum { COUNT = 10 };
  gate_t gate = GATE_CLOSED;
  gevt_stream_t stream = stream_new();
  gevt_event_t first = event_new(), second = event_new(), pending = event_new(), unrecorded = event_new();
  gevt_event_t untimed = event_with(GEVT_EVENT_DISABLE_TIMING), stale = event_stale();
  gevt_event_t starts[COUNT], ends[COUNT];
  gevt_status_t statuses[COUNT], alone;
  int64_t ns[COUNT], ns_alone;
  int i, times = 0;
  CHECK_OK(gevt_record(first, stream));
  CHECK_OK(gevt_record(second, stream));
  CHECK_OK(gevt_record(untimed, stream));
  CHECK_OK(gevt_stream_sync(stream));
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(pending, stream));
  {
    const gevt_event_t pairs[COUNT][2] = {
        {first, second},  {stale, second}, {second, first},     {first, pending}, {pending, first},
        {first, untimed}, {first, NULL},   {first, unrecorded}, {first, first},   {(gevt_event_t)stream, first}};
    for (i = 0; i < COUNT; i++) {
      starts[i] = pairs[i][0];
      ends[i] = pairs[i][1];
    }
  }
  pattern_fill(ns, sizeof ns);
  CHECK_OK(gevt_elapsed_n(ns, statuses, starts, ends, COUNT));
  for (i = 0; i < COUNT; i++) {
    pattern_fill(&ns_alone, sizeof ns_alone);
    alone = gevt_elapsed_ns(&ns_alone, starts[i], ends[i]);
    CHECK_EQUAL(statuses[i], alone);
    CHECK_EQUAL(ns[i], ns_alone);
    times += statuses[i] == GEVT_SUCCESS;
    if (statuses[i] != GEVT_SUCCESS) CHECK(pattern_intact(&ns[i], sizeof ns[i]));
  }
  CHECK_EQUAL(times, 3);
  CHECK_EQUAL(ns[2], -ns[0]);
  CHECK_EQUAL(statuses[3], GEVT_ERROR_NOT_READY);
  CHECK_EQUAL(statuses[1], GEVT_ERROR_INVALID_HANDLE);
  gate_open(&gate);
  CHECK_OK(gevt_stream_sync(stream));
  CHECK_OK(gevt_elapsed_n(&ns[3], &statuses[3], &starts[3], &ends[3], 1));
  CHECK_EQUAL(statuses[3], GEVT_SUCCESS);
  CHECK_EQUAL(ns[3], between(first, pending));

  /* Bad arguments fail the call, which then writes nothing. */
  pattern_fill(ns, sizeof ns);
  pattern_fill(statuses, sizeof statuses);
  CHECK_FAILS(gevt_elapsed_n(NULL, statuses, starts, ends, COUNT), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_elapsed_n(ns, NULL, starts, ends, COUNT), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_elapsed_n(ns, statuses, NULL, ends, COUNT), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_elapsed_n(ns, statuses, starts, NULL, COUNT), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_STATUS(gevt_elapsed_n(ns, statuses, starts, ends, SIZE_MAX), GEVT_ERROR_INVALID_VALUE);
  CHECK_OK(gevt_elapsed_n(NULL, NULL, NULL, NULL, 0));
  CHECK(pattern_intact(ns, sizeof ns));
  CHECK(pattern_intact(statuses, sizeof statuses));
  CHECK_OK(gevt_destroy(first));
  CHECK_OK(gevt_destroy(second));
  CHECK_OK(gevt_destroy(pending));
  CHECK_OK(gevt_destroy(unrecorded));
  CHECK_OK(gevt_destroy(untimed));
  stream_finish(stream);
}

/* Handles change between calls: nothing of an earlier call may speak for a later record. */
static void many_pairs_follow_the_last_records(void) {
  enum { COUNT = 300, ROUNDS = 3 };
  gevt_stream_t stream = stream_new();
  gevt_event_t events[COUNT + 1];
  gevt_status_t statuses[COUNT];
  int64_t ns[COUNT];
  int i, round, wrong = 0;
  for (i = 0; i <= COUNT; i++) events[i] = event_new();
  for (round = 0; round < ROUNDS; round++) {
    for (i = 0; i <= COUNT; i++) wrong += gevt_record(events[i], stream) != GEVT_SUCCESS;
    CHECK_OK(gevt_stream_sync(stream));
    CHECK_OK(gevt_elapsed_n(ns, statuses, events, events + 1, COUNT));
    for (i = 0; i < COUNT; i++) wrong += statuses[i] != GEVT_SUCCESS || ns[i] != between(events[i], events[i + 1]);
  }
  CHECK_EQUAL(wrong, 0);
  for (i = 0; i <= COUNT; i++) CHECK_OK(gevt_destroy(events[i]));
  stream_finish(stream);
}

/* OpenCL has no time of a user event. */
static void a_signal_has_its_time(void) {
  gevt_event_t event = event_with(GEVT_EVENT_HOST_SIGNALED);
  int64_t ns = 0;
  uint64_t error = 0;
  long long before, after;
  CHECK_NOT_READY(gevt_host_time(&ns, &error, event));
  before = now_ns();
  CHECK_OK(gevt_signal(event, GEVT_SUCCESS));
  after = now_ns();
  CHECK_OK(gevt_host_time(&ns, &error, event));
  CHECK(ns + (int64_t)error >= before && ns - (int64_t)error <= after);
  CHECK_OK(gevt_destroy(event));
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN(measures_the_stream);
  RUN(signs_and_sums);
  RUN(is_monotonic);
  RUN(many_pairs);
  RUN(many_pairs_follow_the_last_records);
  RUN(a_signal_has_its_time);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
