/* Contexts and the current context, over several devices. The host backend has as many as GEVT_HOST_DEVICES says: 3 here. */
#include "objects.h"

static int32_t device_total;

static gevt_context_t context_of(int32_t device) {
  gevt_context_t context = NULL;
  CHECK_OK(gevt_context_open(&context, subject_backend, device));
  return context;
}

static void counts_devices(void) {
  int32_t count;
  pattern_fill(&count, sizeof count);
  CHECK_OK(gevt_device_count(&count, GEVT_BACKEND_HOST));
  CHECK_EQUAL(count, 3);
  CHECK_OK(gevt_device_count(&count, subject_backend));
  CHECK_EQUAL(count, device_total);
  CHECK_OK(gevt_device_count(&count, GEVT_BACKEND_AUTO));
  CHECK_EQUAL(count, device_total);
  pattern_fill(&count, sizeof count);
  CHECK_FAILS(gevt_device_count(&count, 4), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_ARGUMENT);
  CHECK_FAILS(gevt_device_count(&count, UINT32_MAX), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_ARGUMENT);
  CHECK(pattern_intact(&count, sizeof count));
  CHECK_FAILS(gevt_device_count(NULL, subject_backend), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
}

static void open_refusals(void) {
  gevt_context_t context;
  pattern_fill(&context, sizeof context);
  CHECK_FAILS(gevt_context_open(&context, 4, 0), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_ARGUMENT);
  CHECK_FAILS(gevt_context_open(&context, UINT32_MAX, 0), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_ARGUMENT);
  CHECK_FAILS(gevt_context_open(&context, subject_backend, -1), GEVT_ERROR_INVALID_DEVICE, GEVT_DETAIL_BAD_DEVICE);
  CHECK_FAILS(gevt_context_open(&context, subject_backend, device_total), GEVT_ERROR_INVALID_DEVICE,
              GEVT_DETAIL_BAD_DEVICE);
  CHECK_FAILS(gevt_context_open(&context, subject_backend, INT32_MAX), GEVT_ERROR_INVALID_DEVICE,
              GEVT_DETAIL_BAD_DEVICE);
  CHECK_FAILS(gevt_context_open(&context, subject_backend, INT32_MIN), GEVT_ERROR_INVALID_DEVICE,
              GEVT_DETAIL_BAD_DEVICE);
  CHECK_FAILS(gevt_context_open(&context, GEVT_BACKEND_AUTO, device_total), GEVT_ERROR_INVALID_DEVICE,
              GEVT_DETAIL_BAD_DEVICE);
  CHECK_FAILS(gevt_context_open(NULL, subject_backend, 0), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK(pattern_intact(&context, sizeof context));
}

static void wrap_on_host(void) {
  gevt_context_t context;
  gevt_stream_t stream;
  int thing = 0;
  pattern_fill(&context, sizeof context);
  pattern_fill(&stream, sizeof stream);
  CHECK_FAILS(gevt_context_wrap(&context, GEVT_BACKEND_HOST, &thing), GEVT_ERROR_NOT_SUPPORTED, GEVT_DETAIL_NO_NATIVE);
  CHECK_FAILS(gevt_stream_wrap(&stream, subject_context, &thing), GEVT_ERROR_NOT_SUPPORTED, GEVT_DETAIL_NO_NATIVE);
  CHECK(pattern_intact(&context, sizeof context));
  CHECK(pattern_intact(&stream, sizeof stream));
}

static void close_ends_the_handle(void) {
  gevt_context_t context = context_of(0);
  gevt_stream_t stream;
  gevt_event_t event;
  CHECK_OK(gevt_context_close(context));
  CHECK_FAILS(gevt_context_close(context), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  CHECK_FAILS(gevt_context_close(NULL), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_NULL_HANDLE);
  CHECK_FAILS(gevt_context_sync(context), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  CHECK_FAILS(gevt_context_set_current(context), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  CHECK_FAILS(gevt_stream_create(&stream, context, 0), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  CHECK_FAILS(gevt_create_in(&event, context, 0), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
}

/* Two handles, one context: what is made through one works with what is made through the other. */
static void opened_twice(void) {
  gevt_context_t first = context_of(0), second = context_of(0);
  gevt_stream_t stream = stream_in(second, GEVT_STREAM_DEFAULT);
  gevt_event_t start = NULL, end = event_new();
  gate_t gate = GATE_CLOSED;
  float ms;
  CHECK(first != second);
  CHECK_OK(gevt_create_in(&start, first, GEVT_EVENT_DEFAULT));
  CHECK_OK(gevt_record(start, stream));
  CHECK_OK(gevt_record(end, stream));
  CHECK_OK(gevt_sync(end));
  CHECK_OK(gevt_elapsed(&ms, start, end));
  CHECK(event_info(start).context == first);
  CHECK(event_info(end).context == second);
  /* They also share the default stream. */
  CHECK_OK(gevt_context_set_current(second));
  gate_close(&gate, NULL);
  CHECK_OK(gevt_context_set_current(first));
  CHECK_OK(gevt_record(start, NULL));
  CHECK_NOT_READY(gevt_query(start));
  CHECK_OK(gevt_context_close(second));
  CHECK_NOT_READY(gevt_stream_query(NULL));
  gate_open(&gate);
  CHECK_OK(gevt_context_sync(first));
  CHECK_OK(gevt_query(start));
  CHECK_OK(gevt_context_set_current(subject_context));
  CHECK_OK(gevt_context_close(first));
  /* No handle of the case is left, and the stream and the events still work. */
  CHECK_OK(gevt_record(end, stream));
  CHECK_OK(gevt_sync(end));
  CHECK_OK(gevt_elapsed(&ms, start, end));
  CHECK_OK(gevt_destroy(start));
  CHECK_OK(gevt_destroy(end));
  stream_finish(stream);
}

static void *other_thread_current(void *user) {
  gevt_context_t *seen = (gevt_context_t *)user;
  CHECK_OK(gevt_context_get_current(&seen[0]));
  CHECK_OK(gevt_context_set_current(seen[2]));
  CHECK_OK(gevt_context_get_current(&seen[1]));
  return NULL;
}

static void current_is_per_thread(void) {
  gevt_context_t mine = context_of(device_total - 1), theirs = context_of(0), current = NULL;
  gevt_context_t seen[3] = {NULL, NULL, NULL};
  gevt_event_t event = event_new();
  seen[2] = theirs;
  CHECK_OK(gevt_context_set_current(mine));
  thread_join(thread_start(other_thread_current, seen));
  CHECK(seen[0] != mine);
  CHECK(seen[1] == theirs);
  CHECK_OK(gevt_context_get_current(&current));
  CHECK(current == mine);
  CHECK_OK(gevt_record(event, NULL));
  CHECK_EQUAL(event_info(event).device, device_total - 1);
  CHECK(event_info(event).context == mine);
  CHECK_FAILS(gevt_context_get_current(NULL), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_OK(gevt_context_set_current(subject_context));
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_context_close(mine));
  CHECK_OK(gevt_context_close(theirs));
}

/* NULL goes back to the process's default: device 0 of the backend that GEVT_BACKEND names. */
static void null_is_the_default(void) {
  gevt_context_t last = context_of(device_total - 1), current = NULL, again = NULL;
  gevt_event_t event = event_new(), in_current = NULL;
  gevt_stream_t stream;
  CHECK_OK(gevt_context_set_current(last));
  CHECK_OK(gevt_context_set_current(NULL));
  CHECK_OK(gevt_record(event, NULL));
  CHECK_EQUAL(event_info(event).device, 0);
  CHECK_EQUAL(event_info(event).backend, subject_backend);
  CHECK_OK(gevt_create_in(&in_current, NULL, GEVT_EVENT_DEFAULT));
  CHECK_EQUAL(event_info(in_current).device, 0);
  CHECK_OK(gevt_context_get_current(&current));
  CHECK_OK(gevt_context_get_current(&again));
  CHECK(current == again);
  stream = stream_in(current, GEVT_STREAM_DEFAULT);
  CHECK_OK(gevt_record(event, stream));
  stream_finish(stream);
  CHECK_OK(gevt_context_set_current(subject_context));
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_destroy(in_current));
  CHECK_OK(gevt_context_close(last));
}

/* Closing the context that is current here does not move the thread to another device silently. */
static void closed_while_current(void) {
  gevt_context_t context = context_of(device_total - 1), current;
  gevt_stream_t stream;
  gevt_event_t event = event_new();
  pattern_fill(&current, sizeof current);
  CHECK_OK(gevt_context_set_current(context));
  CHECK_OK(gevt_context_close(context));
  CHECK_FAILS(gevt_record(event, NULL), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  CHECK_FAILS(gevt_stream_create(&stream, NULL, 0), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  CHECK_FAILS(gevt_context_get_current(&current), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  CHECK(pattern_intact(&current, sizeof current));
  CHECK_OK(gevt_context_set_current(NULL));
  CHECK_OK(gevt_record(event, NULL));
  CHECK_OK(gevt_context_set_current(subject_context));
  CHECK_OK(gevt_destroy(event));
}

/* An event is bound for good: a stream of another context is refused and nothing changes. */
static void binding_is_for_good(void) {
  gevt_context_t other = context_of(1);
  gevt_stream_t here = stream_new(), there = stream_in(other, GEVT_STREAM_NON_BLOCKING);
  gevt_event_t event = event_new(), bound = NULL;
  CHECK_OK(gevt_record(event, here));
  CHECK_OK(gevt_sync(event));
  CHECK_FAILS(gevt_record(event, there), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_CONTEXT_MISMATCH);
  CHECK_FAILS(gevt_record_with_flags(event, there, 0), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_CONTEXT_MISMATCH);
  CHECK_OK(gevt_query(event));
  CHECK_EQUAL(event_info(event).state, GEVT_STATE_COMPLETE);
  CHECK(event_info(event).context == subject_context);
  CHECK_OK(gevt_create_in(&bound, other, GEVT_EVENT_DEFAULT));
  CHECK_EQUAL(event_info(bound).device, 1);
  CHECK_FAILS(gevt_record(bound, here), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_CONTEXT_MISMATCH);
  CHECK_FAILS(gevt_record(bound, NULL), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_CONTEXT_MISMATCH);
  CHECK_EQUAL(event_info(bound).state, GEVT_STATE_UNRECORDED);
  CHECK_OK(gevt_record(bound, there));
  CHECK_OK(gevt_sync(bound));
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_destroy(bound));
  stream_finish(here);
  stream_finish(there);
  CHECK_OK(gevt_context_close(other));
}

/* Differing contexts come before disabled timing, a missing record and a pending one. */
static void elapsed_across_contexts(void) {
  gate_t gate = GATE_CLOSED;
  gevt_context_t other = context_of(1);
  gevt_stream_t here = stream_new(), there = stream_in(other, GEVT_STREAM_NON_BLOCKING);
  gevt_event_t start = event_new(), end = event_new(), untimed = event_with(GEVT_EVENT_DISABLE_TIMING),
               unrecorded = NULL;
  float ms;
  pattern_fill(&ms, sizeof ms);
  CHECK_OK(gevt_create_in(&unrecorded, other, GEVT_EVENT_DEFAULT));
  CHECK_OK(gevt_record(start, here));
  gate_close(&gate, there);
  CHECK_OK(gevt_record(end, there));
  CHECK_OK(gevt_record(untimed, there));
  CHECK_FAILS(gevt_elapsed(&ms, start, end), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_CONTEXT_MISMATCH);
  CHECK_FAILS(gevt_elapsed(&ms, end, start), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_CONTEXT_MISMATCH);
  CHECK_FAILS(gevt_elapsed(&ms, start, untimed), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_CONTEXT_MISMATCH);
  CHECK_FAILS(gevt_elapsed(&ms, start, unrecorded), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_CONTEXT_MISMATCH);
  gate_open(&gate);
  CHECK_OK(gevt_stream_sync(there));
  CHECK_FAILS(gevt_elapsed(&ms, start, end), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_CONTEXT_MISMATCH);
  CHECK(pattern_intact(&ms, sizeof ms));
  CHECK_OK(gevt_destroy(start));
  CHECK_OK(gevt_destroy(end));
  CHECK_OK(gevt_destroy(untimed));
  CHECK_OK(gevt_destroy(unrecorded));
  stream_finish(here);
  stream_finish(there);
  CHECK_OK(gevt_context_close(other));
}

static void waits_cross_contexts(void) {
  gate_t gate = GATE_CLOSED;
  gevt_context_t other = context_of(1);
  gevt_stream_t here = stream_new(), there = stream_in(other, GEVT_STREAM_DEFAULT);
  gevt_event_t event = event_new(), behind = event_new(), both[2];
  gate_close(&gate, here);
  CHECK_OK(gevt_record(event, here));
  CHECK_OK(gevt_stream_wait(there, event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(behind, there));
  CHECK_NOT_READY(gevt_query(behind));
  CHECK_NOT_READY(gevt_stream_query(there));
  both[0] = event;
  both[1] = behind;
  CHECK_FAILS(gevt_sync_all(both, 2, 0), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  gate_open(&gate);
  CHECK_OK(gevt_sync_all(both, 2, GEVT_TIMEOUT_INFINITE));
  CHECK(gate_passed(&gate));
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_destroy(behind));
  stream_finish(here);
  stream_finish(there);
  CHECK_OK(gevt_context_close(other));
}

static void sync_is_for_one_context(void) {
  gate_t gate = GATE_CLOSED;
  gevt_context_t other = context_of(1);
  gevt_stream_t blocking = stream_in(other, GEVT_STREAM_DEFAULT), exempt = stream_in(other, GEVT_STREAM_NON_BLOCKING);
  gevt_event_t event = event_new();
  int counter = 0;
  gate_close(&gate, blocking);
  CHECK_OK(gevt_context_sync(subject_context));
  CHECK_OK(gevt_record(event, NULL));
  CHECK_OK(gevt_sync(event));
  CHECK(!gate_passed(&gate));
  gate_open(&gate);
  CHECK_OK(gevt_context_sync(other));
  CHECK(gate_passed(&gate));
  CHECK_OK(gevt_stream_query(blocking));
  /* It waits for the non-blocking streams as well. */
  CHECK_OK(gevt_stream_launch(exempt, count_up, &counter));
  CHECK_OK(gevt_context_sync(other));
  CHECK_EQUAL(count_of(&counter), 1);
  CHECK_OK(gevt_destroy(event));
  stream_finish(blocking);
  stream_finish(exempt);
  CHECK_OK(gevt_context_close(other));
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
    closing.context = context_of(1);
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

#define RUN_ON_TWO_DEVICES(body)                                                                                       \
  do {                                                                                                                 \
    if (device_total > 1)                                                                                              \
      RUN(body);                                                                                                       \
    else                                                                                                               \
      printf("SKIPPED: case %s: this needs two devices and there is one\n", #body);                                    \
  } while (0)

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  CHECK_OK(gevt_device_count(&device_total, subject_backend));
  RUN(counts_devices);
  RUN(open_refusals);
  RUN_ON_HOST(wrap_on_host);
  RUN(close_ends_the_handle);
  RUN(opened_twice);
  RUN(current_is_per_thread);
  RUN(null_is_the_default);
  RUN(closed_while_current);
  RUN_ON_TWO_DEVICES(binding_is_for_good);
  RUN_ON_TWO_DEVICES(elapsed_across_contexts);
  if (subject_is_vulkan())
    printf("SKIPPED: case waits_cross_contexts on Vulkan: a queue waits for events of its own device\n");
  else
    RUN_ON_TWO_DEVICES(waits_cross_contexts);
  RUN_ON_TWO_DEVICES(sync_is_for_one_context);
  RUN_ON_TWO_DEVICES(closed_while_used);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
