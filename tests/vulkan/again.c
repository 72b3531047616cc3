/* A device that is wrapped and closed, or opened and closed, again and again: nothing of it stays.
   usage: again [vulkan [CASE]] */
#include "program.h"
#include "layer.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

/* The tables and the allocator may take their next piece late. */
enum { MOST_GROWTH = 256 * 1024 };

static gevt_context_t host_context;
static int64_t live_before;

/* The heap in use. */
static long heap(void) {
#if defined __GLIBC__ && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  struct mallinfo2 info = mallinfo2();
  return (long)(info.uordblks + info.hblkhd);
#else
  return 0;
#endif
}

/* After a tenth of the rounds nothing is new to the library, the driver and the allocator. */
static void stays_small(void (*round)(void), int rounds) {
  long before = 0, after;
  int i;
  for (i = 0; i < rounds; i++) {
    if (i == rounds / 10) before = heap();
    round();
    if (check_failures()) return;
  }
  after = heap();
  if (!CHECK(after - before < MOST_GROWTH)) {
    printf("%ld bytes more after %d rounds\n", after - before, rounds - rounds / 10);
  }
}

static void wrap_and_close(void) {
  gevt_context_t context = vk_wrap();
  gevt_stream_t stream = vk_stream(context, 0, 1);
  gevt_event_t start = event_new(), end = event_new();
  float ms = -1;
  CHECK_OK(gevt_record(start, stream));
  CHECK_OK(gevt_record(end, stream));
  CHECK_OK(gevt_sync(end));
  CHECK_OK(gevt_elapsed(&ms, start, end));
  CHECK_OK(gevt_destroy(start));
  CHECK_OK(gevt_destroy(end));
  stream_finish(stream);
  CHECK_OK(gevt_context_close(context));
}

/* What a closed context leaves to its events and streams goes with the last of them. */
static void objects_outlive_the_context(void) {
  gevt_context_t context = vk_wrap();
  gevt_stream_t stream = vk_stream(context, 0, 1), own = NULL;
  gevt_event_t event = event_new(), other = event_new();
  float ms;
  CHECK_OK(gevt_stream_wrap(&own, context, (void *)2));
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_stream_wait(own, event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(other, own));
  CHECK_OK(gevt_context_close(context));
  CHECK_EQUAL(gevt_query(event), GEVT_ERROR_CONTEXT_IS_DESTROYED);
  CHECK_EQUAL(gevt_elapsed(&ms, event, other), GEVT_ERROR_CONTEXT_IS_DESTROYED);
  CHECK_EQUAL(gevt_record(event, stream), GEVT_ERROR_CONTEXT_IS_DESTROYED);
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_stream_destroy(stream));
  CHECK_OK(gevt_stream_destroy(own));
  CHECK_OK(gevt_destroy(other));
}

static void count_status(void *user, gevt_status_t status) {
  (void)status;
  count_up(user);
}

/* A queue that waits for the host, a stream of the host and a callback that wait for the device, and an open batch. */
static void close_with_work(void) {
  static gevt_vulkan_batch_t batch;
  static int calls, rounds;
  gevt_context_t context = vk_wrap();
  gevt_stream_t stream = vk_stream(context, 0, 1), batched = vk_stream(context, 0, 1),
                host = stream_in(host_context, GEVT_STREAM_NON_BLOCKING);
  gevt_event_t signaled = event_with(GEVT_EVENT_HOST_SIGNALED), event = event_new(), point = NULL, inside = NULL;
  VkSemaphore semaphore = vk_timeline();
  point = vk_point_event(context, semaphore, 1);
  CHECK_OK(gevt_stream_wait(stream, signaled, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_stream_wait(stream, point, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_on_complete(event, count_status, &calls));
  CHECK_OK(gevt_on_complete(point, count_status, &calls));
  CHECK_OK(gevt_stream_wait(host, event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_create_in(&inside, context, GEVT_EVENT_DISABLE_TIMING));
  batch = batch_empty();
  CHECK_OK(gevt_vulkan_submit_begin(&batch, batched, &inside, 1));
  CHECK_OK(gevt_context_close(context));
  rounds++;
  CHECK(count_await(&calls, 2 * rounds));
  vk_signal(semaphore, 1);
  CHECK_OK(gevt_signal(signaled, GEVT_SUCCESS));
  CHECK_OK(gevt_destroy(signaled));
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_destroy(inside));
  CHECK_OK(gevt_destroy(point));
  CHECK_OK(gevt_stream_destroy(stream));
  CHECK_OK(gevt_stream_destroy(batched));
  check_ignore(gevt_stream_sync(host));
  CHECK_OK(gevt_stream_destroy(host));
  vk_semaphore_destroy(semaphore);
}

/* gevt's own device, which one of its threads destroys: the layer in front of the driver says when. */
static void open_and_close(void) {
  gevt_context_t context = NULL;
  gevt_stream_t stream;
  gevt_event_t event = event_new();
  CHECK_OK(gevt_context_open(&context, GEVT_BACKEND_VULKAN, 0));
  stream = stream_in(context, GEVT_STREAM_DEFAULT);
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_stream_destroy(stream));
  CHECK_OK(gevt_context_close(context));
  CHECK(layer_await(live_before));
}

/* Threads that call with handles of contexts that another thread closes meanwhile, and whose memory serves the next ones. */
enum { CALLERS = 3, EVENTS = 2 };
static struct {
  gevt_context_t context;
  gevt_stream_t stream, own;
  gevt_event_t events[EVENTS];
  int stop;
} shared;

#define SHARED(field) __atomic_load_n(&shared.field, __ATOMIC_ACQUIRE)
#define SHARE(field, handle) __atomic_store_n(&shared.field, handle, __ATOMIC_RELEASE)

static void *call_with_shared_handles(void *user) {
  (void)user;
  while (!SHARED(stop)) {
    gevt_event_t start = SHARED(events[0]), end = SHARED(events[1]);
    gevt_event_info_t info;
    float ms;
    info.size = sizeof info;
    check_ignore(gevt_record(start, SHARED(stream)));
    check_ignore(gevt_record(end, SHARED(own)));
    check_ignore(gevt_stream_wait(SHARED(stream), end, GEVT_WAIT_DEFAULT));
    check_ignore(gevt_stream_wait(SHARED(own), start, GEVT_WAIT_DEFAULT));
    check_ignore(gevt_query(start));
    check_ignore(gevt_elapsed(&ms, start, end));
    check_ignore(gevt_get_info(&info, end));
    check_ignore(gevt_stream_query(SHARED(stream)));
    check_ignore(gevt_sync(end));
    check_ignore(gevt_context_sync(SHARED(context)));
  }
  return NULL;
}

static void wrap_and_close_under_calls(void) {
  gevt_context_t context = vk_wrap();
  gevt_stream_t stream = vk_stream(context, 0, 1), own = NULL;
  gevt_event_t events[EVENTS] = {event_new(), event_new()};
  int i;
  CHECK_OK(gevt_stream_wrap(&own, context, (void *)2));
  SHARE(context, context);
  SHARE(stream, stream);
  SHARE(own, own);
  for (i = 0; i < EVENTS; i++) SHARE(events[i], events[i]);
  for (i = 0; i < 3; i++) {
    check_ignore(gevt_record(events[0], stream));
    check_ignore(gevt_sync(events[0]));
  }
  CHECK_OK(gevt_context_close(context));
  CHECK_OK(gevt_stream_destroy(stream));
  CHECK_OK(gevt_stream_destroy(own));
  for (i = 0; i < EVENTS; i++) CHECK_OK(gevt_destroy(events[i]));
}

ON_DEVICE(closes_while_other_threads_call) {
  pthread_t threads[CALLERS];
  int i;
  SHARE(stop, 0);
  for (i = 0; i < CALLERS; i++) threads[i] = thread_start(call_with_shared_handles, NULL);
  for (i = 0; i < 300; i++) wrap_and_close_under_calls();
  SHARE(stop, 1);
  for (i = 0; i < CALLERS; i++) thread_join(threads[i]);
}

ON_DEVICE(devices_that_are_wrapped) {
  stays_small(wrap_and_close, 10000);
}

ON_DEVICE(objects_that_outlive_their_contexts) {
  stays_small(objects_outlive_the_context, 2000);
}

ON_DEVICE(contexts_that_are_closed_with_work) {
  stays_small(close_with_work, 2000);
}

ALONE_CASE(devices_that_are_opened, 0) {
  int devices;
  /* Makes gevt's own instance, which stays. */
  CHECK_OK(gevt_device_count(&devices, GEVT_BACKEND_VULKAN));
  live_before = fault_live();
  stays_small(open_and_close, 300);
}

static void begin(const test_case_t *chosen) {
  if (chosen && chosen->place == ALONE) layer_choose();
  vk_open();
  if (chosen && chosen->place == ALONE) layer_prove();
  CHECK_OK(gevt_context_open(&host_context, GEVT_BACKEND_HOST, 0));
}

static void end(void) {
  CHECK_OK(gevt_context_close(host_context));
  vk_close();
}

int main(int argc, char **argv) {
  return vk_main_alone(argc, argv, begin, 0, end);
}
