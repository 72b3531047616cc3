/* Several devices of one backend: their clocks, and contexts that end while they are used. tests/scenarios/contexts.scn has the rest.
   usage: devices [host|cuda|vulkan] */
#include "objects.h"

static gevt_context_t device_open(int32_t device) {
  gevt_context_t context = NULL;
  CHECK_OK(gevt_context_open(&context, subject_backend, device));
  return context;
}

/* The times of two devices are compared on the host's clock. */
static void times_of_two_devices(void) {
  int64_t times[2] = {0, 0};
  uint64_t errors[2] = {0, 0};
  int i;
  for (i = 0; i < 2; i++) {
    gevt_context_t context = device_open(i);
    gevt_stream_t stream = stream_in(context, GEVT_STREAM_NON_BLOCKING);
    gevt_event_t event = event_new();
    CHECK_OK(gevt_record(event, stream));
    CHECK_OK(gevt_sync(event));
    /* A busy machine may need some tries. */
    while (gevt_context_calibrate(context) == GEVT_ERROR_ILLEGAL_STATE)
      if (!CHECK_DETAIL(GEVT_DETAIL_NOT_CALIBRATED)) break;
    CHECK_OK(gevt_host_time(&times[i], &errors[i], event));
    CHECK_OK(gevt_destroy(event));
    stream_finish(stream);
    CHECK_OK(gevt_context_close(context));
  }
  CHECK(times[0] <= times[1] + (int64_t)(errors[0] + errors[1]));
}

/* A call that names a context does its work there, or finds that the handle is closed: a close on another thread, which ends the context
   if nobody else uses it, comes before or after. */
typedef struct closing {
  gevt_context_t context;
  pthread_barrier_t barrier;
  int way, over, wrong;
} closing_t;

enum { CLOSING_ROUNDS = 300, CLOSING_WAYS = 3 };

static gevt_status_t use_what_is_closed(closing_t *closing) {
  gevt_status_t status, used = GEVT_SUCCESS;
  if (closing->way == 0) {
    gevt_stream_t stream;
    status = gevt_stream_create(&stream, closing->context, GEVT_STREAM_NON_BLOCKING);
    if (status != GEVT_SUCCESS) return status;
    used = gevt_stream_query(stream);
    CHECK_OK(gevt_stream_destroy(stream));
  } else if (closing->way == 1) {
    gevt_event_t event;
    status = gevt_create_in(&event, closing->context, GEVT_EVENT_DEFAULT);
    if (status != GEVT_SUCCESS) return status;
    used = gevt_query(event);
    CHECK_OK(gevt_destroy(event));
  } else {
    return gevt_context_sync(closing->context);
  }
  return used;
}

static void *use_while_closed(void *user) {
  closing_t *closing = (closing_t *)user;
  for (;;) {
    gevt_status_t status;
    pthread_barrier_wait(&closing->barrier);
    if (closing->over) return NULL;
    status = use_what_is_closed(closing);
    if (status != GEVT_SUCCESS &&
        (status != GEVT_ERROR_INVALID_HANDLE || gevt_last_detail() != GEVT_DETAIL_STALE_HANDLE)) {
      if (!closing->wrong++) printf("way %d: %s\n", closing->way, gevt_last_message());
    }
    pthread_barrier_wait(&closing->barrier);
  }
}

static void closed_while_used(void) {
  closing_t closing = {0};
  pthread_t thread;
  int round, spin;
  CHECK_EQUAL(pthread_barrier_init(&closing.barrier, NULL, 2), 0);
  CHECK_EQUAL(pthread_create(&thread, NULL, use_while_closed, &closing), 0);
  for (round = 0; round < CLOSING_ROUNDS; round++) {
    closing.way = round % CLOSING_WAYS;
    closing.context = device_open(1);
    pthread_barrier_wait(&closing.barrier);
    for (spin = 0; spin < round % 200 * 16; spin++) __asm__ __volatile__("");
    CHECK_OK(gevt_context_close(closing.context));
    pthread_barrier_wait(&closing.barrier);
  }
  closing.over = 1;
  pthread_barrier_wait(&closing.barrier);
  CHECK_EQUAL(pthread_join(thread, NULL), 0);
  CHECK_EQUAL(closing.wrong, 0);
  pthread_barrier_destroy(&closing.barrier);
}

int main(int argc, char **argv) {
  int32_t count = 0;
  subject_begin(argc, argv);
  CHECK_OK(gevt_device_count(&count, subject_backend));
  if (count < 2) return subject_skip("%s on %s: there is one device here", subject_program, subject_name());
  RUN(times_of_two_devices);
  RUN(closed_while_used);
  return subject_end();
}
