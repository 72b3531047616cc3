/* Devices that end while other threads call, and devices of gevt that are opened and closed again and again: nothing of them stays. again_closed.scn
   has those of the program.
   usage: again [vulkan [CASE]] */
#include "program.h"
#include "layer.h"

/* gevt's own device, which one of its threads destroys: the layer in front of the driver says when. */
static int64_t live_before;

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
  gevt_stream_t stream = vk_stream(context, 0), own = NULL;
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

/* After a tenth of the rounds nothing is new to the library, the driver and the allocator, which may take its next piece late. */
ALONE_CASE(devices_that_are_opened, 0) {
  enum { ROUNDS = 300, MOST_GROWTH = 256 * 1024 };
  long long before = 0;
  int devices, i;
  /* Makes gevt's own instance, which stays. */
  CHECK_OK(gevt_device_count(&devices, GEVT_BACKEND_VULKAN));
  live_before = fault_live();
  for (i = 0; i < ROUNDS && !check_failures(); i++) {
    if (i == ROUNDS / 10) before = vk_heap();
    open_and_close();
  }
  CHECK(vk_heap() - before < MOST_GROWTH);
}

static void begin(const test_case_t *chosen) {
  if (chosen && chosen->place == ALONE) layer_choose();
  vk_open();
  if (chosen && chosen->place == ALONE) layer_prove();
}

static void end(void) {
  vk_close();
}

int main(int argc, char **argv) {
  return vk_main_alone(argc, argv, begin, end);
}
