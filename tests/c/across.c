/* Stream waits across backends in large numbers, and the clocks of backends. tests/scenarios/across.scn has what a wait means.
   usage: across [host|cuda|vulkan]     on cuda and vulkan: that backend paired with each other one */
#include "backends.h"

enum { FAILURE = 719, MANY = 10000, MOST_ON_CUDA = 512 };

/* An event that is recorded on a stream of the backend, and is pending until `held` is signaled. */
static gevt_event_t pending_on(gevt_stream_t stream, gevt_event_t held) {
  gevt_event_t event = event_with(GEVT_EVENT_DISABLE_TIMING);
  CHECK_OK(gevt_stream_wait(stream, held, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(event, stream));
  CHECK_NOT_READY(gevt_query(event));
  return event;
}

/* How many waits of a backend's streams for other backends may be pending. */
static int most_waits(const backend_t *backend) {
  return backend->number == GEVT_BACKEND_CUDA ? MOST_ON_CUDA : MANY;
}

/* Ten thousand waits for one event on a few streams: none blocks a thread, none delays another, and each ends. */
static void many_gates(const backend_t *from, const backend_t *to) {
  enum { STREAMS = 8 };
  int most = most_waits(to);
  gevt_event_t held, first, last[STREAMS];
  gevt_stream_t source, streams[STREAMS];
  int i;
  if (from->number == to->number) return;
  held = event_with(GEVT_EVENT_HOST_SIGNALED);
  source = on(from);
  first = pending_on(source, held);
  for (i = 0; i < STREAMS; i++) streams[i] = on(to);
  for (i = 0; i < most; i++) CHECK_OK(gevt_stream_wait(streams[i % STREAMS], first, GEVT_WAIT_DEFAULT));
  for (i = 0; i < STREAMS; i++) {
    last[i] = event_with(GEVT_EVENT_DISABLE_TIMING);
    CHECK_OK(gevt_record(last[i], streams[i]));
    CHECK_NOT_READY(gevt_query(last[i]));
  }
  CHECK(thread_count() <= 2 * threads_of_gevt() + 64);
  CHECK_OK(gevt_signal(held, GEVT_SUCCESS));
  CHECK_OK(gevt_sync_all(last, STREAMS, GEVT_TIMEOUT_INFINITE));
  for (i = 0; i < STREAMS; i++) {
    CHECK_OK(gevt_destroy(last[i]));
    stream_finish(streams[i]);
  }
  CHECK_OK(gevt_destroy(first));
  CHECK_OK(gevt_destroy(held));
  stream_finish(source);
}

static void ten_thousand_waits(void) {
  for_each_pair(many_gates);
}

/* Ten thousand gates at once, each for another event. They open from the last one on. */
static void gates_on(const backend_t *to) {
  enum { STREAMS = 64 };
  static gevt_event_t events[MANY];
  gevt_event_t last[STREAMS];
  gevt_stream_t streams[STREAMS];
  int i, most = most_waits(to);
  for (i = 0; i < STREAMS; i++) streams[i] = on(to);
  for (i = 0; i < most; i++) {
    events[i] = event_with(GEVT_EVENT_HOST_SIGNALED);
    CHECK_OK(gevt_stream_wait(streams[i % STREAMS], events[i], GEVT_WAIT_DEFAULT));
  }
  for (i = 0; i < STREAMS; i++) {
    last[i] = event_with(GEVT_EVENT_DISABLE_TIMING);
    CHECK_OK(gevt_record(last[i], streams[i]));
  }
  CHECK(thread_count() <= 2 * threads_of_gevt() + 128);
  for (i = most - 1; i >= 0; i--) {
    if (i == STREAMS) CHECK_NOT_READY(gevt_query(last[0]));
    CHECK_OK(gevt_signal(events[i], i == 1 ? FAILURE : GEVT_SUCCESS));
  }
  for (i = 0; i < STREAMS; i++) {
    CHECK_STATUS(gevt_sync(last[i]), i == 1 ? FAILURE : GEVT_SUCCESS);
    CHECK_OK(gevt_destroy(last[i]));
    CHECK_STATUS(gevt_stream_sync(streams[i]), i == 1 ? FAILURE : GEVT_SUCCESS);
    stream_finish(streams[i]);
  }
  for (i = 0; i < most; i++) CHECK_OK(gevt_destroy(events[i]));
}

static void ten_thousand_gates(void) {
  int i;
  for (i = 0; i < BACKENDS; i++) {
    int before = check_failures();
    if (!backends[i].context) continue;
    gates_on(&backends[i]);
    if (check_failures() != before) printf("    on %s\n", backends[i].name);
  }
}

static long long began;

/* Without a calibration, a call on CUDA has one made on gevt's thread, and the time is there soon. No call waits. */
static void first_host_time(void) {
  const backend_t *backend = NULL;
  gevt_event_t event;
  gevt_stream_t stream;
  int64_t ns = 0;
  uint64_t error = 0;
  gevt_status_t status;
  int i;
  for (i = 0; i < BACKENDS; i++)
    if (backends[i].context && backends[i].number == GEVT_BACKEND_CUDA) backend = &backends[i];
  if (!backend) {
    printf("    no CUDA here\n");
    return;
  }
  event = event_new();
  stream = on(backend);
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_sync(event));
  CHECK_NOT_READY(gevt_host_time(&ns, &error, event));
  do {
    sched_yield();
    status = gevt_host_time(&ns, &error, event);
  } while (status == GEVT_ERROR_NOT_READY);
  if (status != GEVT_SUCCESS) CHECK_DETAIL(GEVT_DETAIL_NOT_CALIBRATED);
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
}

/* The host has nothing to compare, and a busy device may refuse. */
static void calibrations(void) {
  int i;
  for (i = 0; i < BACKENDS; i++) {
    gevt_status_t status;
    if (!backends[i].context) continue;
    status = gevt_context_calibrate(backends[i].context);
    if (backends[i].number == GEVT_BACKEND_HOST) CHECK_EQUAL(status, GEVT_SUCCESS);
    if (status == GEVT_ERROR_NOT_SUPPORTED) CHECK(backends[i].number == GEVT_BACKEND_VULKAN);
    if (status == GEVT_ERROR_ILLEGAL_STATE) CHECK_DETAIL(GEVT_DETAIL_NOT_CALIBRATED);
    CHECK(status == GEVT_SUCCESS || status == GEVT_ERROR_NOT_SUPPORTED || status == GEVT_ERROR_ILLEGAL_STATE);
  }
}

/* The time of an event on the host's clock lies between two readings of it, but for the error. */
static int host_time_of(const backend_t *backend, int64_t *ns, uint64_t *error) {
  gevt_event_t event = event_new();
  gevt_stream_t stream = on(backend);
  int64_t before, after;
  gevt_status_t status;
  before = now_ns();
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_sync(event));
  after = now_ns();
  do {
    status = gevt_host_time(ns, error, event);
  } while (status == GEVT_ERROR_NOT_READY);
  if (status == GEVT_SUCCESS) {
    CHECK(*ns + (int64_t)*error >= before);
    CHECK(*ns - (int64_t)*error <= after);
    /* The clocks were compared within the process's life; a busy machine may have stretched that. */
    CHECK((long long)*error < after - began + 2 * MILLISECOND);
  } else {
#ifdef _WIN32
    /* Wine does not compare its clock with a device's. */
    if (backend->number == GEVT_BACKEND_VULKAN)
      CHECK_DETAIL(GEVT_DETAIL_UNSUPPORTED);
    else
#endif
      CHECK_DETAIL(GEVT_DETAIL_NOT_CALIBRATED);
  }
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
  return status == GEVT_SUCCESS;
}

static void times_compare(void) {
  int64_t first = 0, second = 0;
  uint64_t first_error = 0, second_error = 0;
  int i;
  for (i = 0; i < BACKENDS; i++) {
    if (!backends[i].context) continue;
    if (!host_time_of(&backends[0], &first, &first_error)) CHECK(!"the host has its own clock");
    if (!host_time_of(&backends[i], &second, &second_error)) {
      printf("    %s has no clock that compares: %s\n", backends[i].name, gevt_last_message());
      continue;
    }
    CHECK(second + (int64_t)(first_error + second_error) >= first);
  }
}

/* A function that waits for another backend leaves its place to others, also if the driver does not sleep meanwhile: here the only
   place, to the function that all wait for. */
typedef struct crossing {
  gevt_event_t event, other;
  gevt_stream_t stream;
  int way, ready, done;
} crossing_t;

enum { CROSSING_WAYS = 6 };

static void cross(void *user) {
  crossing_t *crossing = (crossing_t *)user;
  gevt_event_t both[] = {crossing->event, crossing->other};
  size_t index = 0;
  while (!count_of(&crossing->ready)) {}
  switch (crossing->way) {
  case 0:
    CHECK_OK(gevt_sync(crossing->event));
    break;
  case 1:
    CHECK_OK(gevt_sync_timeout(crossing->event, HANG_LIMIT));
    break;
  case 2:
    CHECK_OK(gevt_sync_all(both, 2, GEVT_TIMEOUT_INFINITE));
    break;
  case 3:
    CHECK_OK(gevt_sync_any(&index, both, 2, GEVT_TIMEOUT_INFINITE));
    break;
  case 4:
    CHECK_OK(gevt_stream_sync(crossing->stream));
    break;
  default:
    CHECK_OK(gevt_stream_sync_timeout(crossing->stream, HANG_LIMIT));
    break;
  }
  CHECK_EQUAL(count_of(&crossing->done), 1);
}

static void a_crossing(const backend_t *from, const backend_t *to) {
  int way;
  if (from->number != GEVT_BACKEND_HOST || to->number == GEVT_BACKEND_HOST) return;
  for (way = 0; way < CROSSING_WAYS; way++) {
    gevt_stream_t first = on(from), second = on(from);
    gevt_event_t event = event_new();
    crossing_t crossing = {event_new(), event_new(), on(to), 0, 0, 0};
    crossing.way = way;
    CHECK_OK(gevt_stream_launch(first, cross, &crossing));
    CHECK_OK(gevt_stream_launch(second, count_up, &crossing.done));
    CHECK_OK(gevt_record(event, second));
    CHECK_OK(gevt_stream_wait(crossing.stream, event, GEVT_WAIT_DEFAULT));
    CHECK_OK(gevt_record(crossing.event, crossing.stream));
    CHECK_OK(gevt_record(crossing.other, crossing.stream));
    count_up(&crossing.ready);
    stream_finish(first);
    stream_finish(second);
    stream_finish(crossing.stream);
    CHECK_OK(gevt_destroy(event));
    CHECK_OK(gevt_destroy(crossing.event));
    CHECK_OK(gevt_destroy(crossing.other));
  }
}

static void functions_leave_their_places(void) {
  CHECK_OK(gevt_host_set_threads(1));
  for_each_pair(a_crossing);
  CHECK_OK(gevt_host_set_threads(0));
}

int main(int argc, char **argv) {
  began = now_ns();
  subject_begin(argc, argv);
  backends_open();
  RUN(functions_leave_their_places);
  RUN(ten_thousand_waits);
  RUN(ten_thousand_gates);
  RUN(first_host_time);
  RUN(calibrations);
  RUN(times_compare);
  backends_close();
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
