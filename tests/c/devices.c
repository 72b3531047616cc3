/* Events of several devices of one backend: one wait for all of them, and streams that wait for each other's devices.
   usage: devices [host|cuda|vulkan] */
#include "objects.h"

enum { DEVICES = 2 };

typedef struct device {
  gevt_context_t context;
  gevt_stream_t stream;
  gevt_event_t event;
  gate_t gate;
} device_t;

static device_t devices[DEVICES];
static gevt_event_t events[DEVICES];

/* On each device a closed gate and an event after it. The gate of `first` is opened first. A backend may run the
   functions of all devices on one thread, so this gate must start there before the other one. */
static void devices_make(int first) {
  const gate_t closed = GATE_CLOSED;
  int i;
  for (i = 0; i < DEVICES; i++) {
    device_t *device = &devices[(first + i) % DEVICES];
    device->gate = closed;
    device->stream = stream_in(device->context, GEVT_STREAM_NON_BLOCKING);
    device->event = events[device - devices] = event_new();
    if (i == 0)
      gate_close(&device->gate, device->stream);
    else
      gate_close_after(&devices[first].gate, &device->gate, device->stream);
    CHECK_OK(gevt_record(device->event, device->stream));
  }
}

static void devices_finish(void) {
  int i;
  for (i = 0; i < DEVICES; i++) gate_open(&devices[i].gate);
  for (i = 0; i < DEVICES; i++) {
    stream_finish(devices[i].stream);
    CHECK_OK(gevt_destroy(devices[i].event));
  }
}

static void waits_end_with_the_event_that_ends_them(void) {
  int first;
  for (first = 0; first < DEVICES; first++) {
    size_t index = 99;
    devices_make(first);
    CHECK_FAILS(gevt_sync_any(&index, events, DEVICES, 0), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
    CHECK_FAILS(gevt_sync_any(&index, events, DEVICES, MILLISECOND), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
    CHECK_EQUAL(index, 99);
    gate_open(&devices[first].gate);
    CHECK_OK(gevt_sync_any(&index, events, DEVICES, GEVT_TIMEOUT_INFINITE));
    CHECK_EQUAL(index, (size_t)first);
    CHECK_FAILS(gevt_sync_all(events, DEVICES, MILLISECOND), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
    gate_open(&devices[1 - first].gate);
    CHECK_OK(gevt_sync_all(events, DEVICES, GEVT_TIMEOUT_INFINITE));
    CHECK_OK(gevt_query(events[0]));
    CHECK_OK(gevt_query(events[1]));
    devices_finish();
  }
}

typedef struct waiter {
  int tid, all;
  gevt_status_t status;
  size_t index;
} waiter_t;

static void *wait_for_both(void *user) {
  waiter_t *waiter = (waiter_t *)user;
  thread_publish(&waiter->tid);
  waiter->status = waiter->all ? gevt_sync_all(events, DEVICES, GEVT_TIMEOUT_INFINITE)
                               : gevt_sync_any(&waiter->index, events, DEVICES, GEVT_TIMEOUT_INFINITE);
  return NULL;
}

/* A thread that is asleep in the wait is woken by either device. */
static void sleepers_are_woken_by_either(void) {
  int first, all;
  for (first = 0; first < DEVICES; first++) {
    for (all = 0; all < 2; all++) {
      waiter_t waiter = {0, all, GEVT_ERROR_UNKNOWN, 99};
      pthread_t thread;
      devices_make(first);
      thread = thread_start(wait_for_both, &waiter);
      CHECK(thread_await_parked(&waiter.tid));
      gate_open(&devices[first].gate);
      if (all) {
        CHECK_OK(gevt_sync(events[first]));
        gate_open(&devices[1 - first].gate);
      }
      thread_join(thread);
      CHECK_EQUAL(waiter.status, GEVT_SUCCESS);
      if (!all) CHECK_EQUAL(waiter.index, (size_t)first);
      devices_finish();
    }
  }
}

static void streams_wait_for_the_other_device(void) {
  int first;
  for (first = 0; first < DEVICES; first++) {
    gevt_event_t after = event_new();
    device_t *waited = &devices[first], *waits = &devices[1 - first];
    gevt_stream_t stream;
    int passed = 0;
    devices_make(first);
    stream = stream_in(waits->context, GEVT_STREAM_NON_BLOCKING);
    CHECK_OK(gevt_stream_wait(stream, waited->event, GEVT_WAIT_DEFAULT));
    CHECK_OK(gevt_stream_launch(stream, count_up, &passed));
    CHECK_OK(gevt_record(after, stream));
    CHECK_NOT_READY(gevt_query(after));
    CHECK_EQUAL(count_of(&passed), 0);
    /* A backend may run the functions of all devices on one thread. */
    gate_open(&waits->gate);
    gate_open(&waited->gate);
    CHECK_OK(gevt_sync(after));
    CHECK_EQUAL(gate_passed(&waited->gate), 1);
    CHECK_EQUAL(count_of(&passed), 1);
    stream_finish(stream);
    CHECK_OK(gevt_destroy(after));
    devices_finish();
  }
}

/* The times of two devices are compared on the host's clock. */
static void times_of_two_devices(void) {
  int64_t times[DEVICES] = {0, 0};
  uint64_t errors[DEVICES] = {0, 0};
  int i;
  devices_make(0);
  for (i = 0; i < DEVICES; i++) {
    gate_open(&devices[i].gate);
    CHECK_OK(gevt_sync(events[i]));
    /* A busy machine may need some tries. */
    while (gevt_context_calibrate(devices[i].context) == GEVT_ERROR_ILLEGAL_STATE)
      if (!CHECK_DETAIL(GEVT_DETAIL_NOT_CALIBRATED)) break;
    CHECK_OK(gevt_host_time(&times[i], &errors[i], events[i]));
  }
  CHECK(times[0] <= times[1] + (int64_t)(errors[0] + errors[1]));
  devices_finish();
}

int main(int argc, char **argv) {
  int32_t count = 0;
  int i;
  subject_begin(argc, argv);
  CHECK_OK(gevt_device_count(&count, subject_backend));
  if (count < DEVICES) return subject_skip("%s on %s: there is one device here", subject_program, subject_name());
  /* Once: a context that begins or ends can take seconds. */
  for (i = 0; i < DEVICES; i++) CHECK_OK(gevt_context_open(&devices[i].context, subject_backend, i));
  RUN(waits_end_with_the_event_that_ends_them);
  RUN(sleepers_are_woken_by_either);
  RUN(streams_wait_for_the_other_device);
  RUN(times_of_two_devices);
  for (i = 0; i < DEVICES; i++) CHECK_OK(gevt_context_close(devices[i].context));
  return subject_end();
}
