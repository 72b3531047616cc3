/* Wrapping a program's device and queues: what wrapping accepts and refuses, and when the device may be destroyed. */
#include "batch.h"
#include "first_structures.h"

static void an_wrapped_device_works(void) {
  gevt_context_t context = vk_wrap();
  gevt_stream_t stream = vk_stream(context, 0, 1);
  gevt_event_t event = event_new();
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_sync(event));
  CHECK_EQUAL(event_info(event).backend, GEVT_BACKEND_VULKAN);
  CHECK_EQUAL(event_info(event).device, 0);
  CHECK_EQUAL(vk.locked, 0);
}

/* Two handles to one context, as with a device that is opened twice. */
static void wrapped_twice(void) {
  gevt_context_t first = vk_wrap(), second = vk_wrap();
  gevt_stream_t stream = vk_stream(first, 0, 1), other = vk_stream(second, 0, 1);
  gevt_event_t event = event_new();
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_stream_wait(other, event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(event, other));
  CHECK_OK(gevt_sync(event));
}

static void refused_devices(void) {
  gevt_vulkan_device_t device = vk_told_device();
  gevt_context_t context;
  static const size_t pointers[] = {
      offsetof(gevt_vulkan_device_t, instance), offsetof(gevt_vulkan_device_t, physical_device),
      offsetof(gevt_vulkan_device_t, device), offsetof(gevt_vulkan_device_t, get_instance_proc_addr)};
  int i;
  pattern_fill(&context, sizeof context);
  CHECK_FAILS(gevt_vulkan_wrap_device(NULL, &device), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_vulkan_wrap_device(&context, NULL), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  for (i = 0; i < 4; i++) {
    device = vk_told_device();
    memset((char *)&device + pointers[i], 0, sizeof(void *));
    CHECK_FAILS(gevt_vulkan_wrap_device(&context, &device), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  }
  for (i = 0; i < 3; i++) {
    static const size_t sizes[] = {0, 1, sizeof(first_device_t) - 1};
    device = vk_told_device();
    device.size = sizes[i];
    CHECK_FAILS(gevt_vulkan_wrap_device(&context, &device), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_ARGUMENT);
  }
  device.size = sizeof device;
  device.extensions = NULL;
  device.extension_count = 1;
  CHECK_FAILS(gevt_vulkan_wrap_device(&context, &device), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  device = vk_told_device();
  device.api_version = VK_API_VERSION_1_0;
  CHECK_FAILS(gevt_vulkan_wrap_device(&context, &device), GEVT_ERROR_NOT_SUPPORTED, GEVT_DETAIL_UNSUPPORTED);
  device = vk_told_device();
  device.features |= 1u << 3;
  CHECK_FAILS(gevt_vulkan_wrap_device(&context, &device), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_FLAGS);
  device = vk_told_device();
  device.reserved = 1;
  CHECK_FAILS(gevt_vulkan_wrap_device(&context, &device), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_ARGUMENT);
  device = vk_told_device();
  device.features = 0;
  CHECK_FAILS(gevt_vulkan_wrap_device(&context, &device), GEVT_ERROR_NOT_SUPPORTED, GEVT_DETAIL_UNSUPPORTED);
  CHECK(strstr(gevt_last_message(), "imeline") != NULL);
  CHECK(pattern_intact(&context, sizeof context));
}

/* A structure, and bytes behind it. */
#define LARGER(type)                                                                                                   \
  struct {                                                                                                             \
    type known;                                                                                                        \
    unsigned char more[64];                                                                                            \
  }

/* A larger structure, of a program that was built with a later header. */
static void a_larger_structure(void) {
  LARGER(gevt_vulkan_device_t) device;
  memset(&device, 0xee, sizeof device);
  device.known = vk_told_device();
  device.known.size = sizeof device;
  vk_wrap_as(&device.known);
}

/* The structures of a program that was built with the first header: nothing beyond them is read or written. */
static void structures_of_the_first_version(void) {
  first_device_t device;
  first_queue_t queue;
  LARGER(first_batch_t) batch;
  LARGER(first_info_t) info;
  LARGER(first_context_info_t) context_info;
  LARGER(first_stream_info_t) stream_info;
  VkSemaphoreSubmitInfo signal;
  gevt_context_t context = NULL;
  gevt_stream_t stream = NULL;
  gevt_event_t event = event_with(GEVT_EVENT_DISABLE_TIMING);
  gevt_vulkan_device_t told_device = vk_told_device();
  gevt_vulkan_queue_t told_queue = vk_told_queue(0, 1);
  memcpy(&device, &told_device, sizeof device);
  memcpy(&queue, &told_queue, sizeof queue);
  device.size = sizeof device;
  queue.size = sizeof queue;
  context = vk_wrap_as((const gevt_vulkan_device_t *)&device);
  CHECK_OK(gevt_vulkan_wrap_queue(&stream, context, (const gevt_vulkan_queue_t *)&queue));
  pattern_fill(&batch, sizeof batch);
  batch.known.size = sizeof batch.known;
  CHECK_OK(gevt_vulkan_submit_begin((gevt_vulkan_batch_t *)&batch, stream, &event, 1));
  CHECK_EQUAL(batch.known.size, sizeof batch.known);
  CHECK_EQUAL(batch.known.wait_count, 0);
  CHECK(pattern_intact(batch.more, sizeof batch.more));
  memcpy(&signal, batch.known.signal, sizeof signal);
  CHECK_OK(gevt_vulkan_submit_end(stream, (const gevt_vulkan_batch_t *)&batch,
                                  vk_submit(vk.queues[0], NULL, NULL, 0, &signal, 1)));
  CHECK_OK(gevt_sync(event));
  pattern_fill(&info, sizeof info);
  info.known.size = sizeof info.known;
  CHECK_OK(gevt_get_info((gevt_event_info_t *)&info, event));
  CHECK_EQUAL(info.known.size, sizeof info.known);
  CHECK_EQUAL(info.known.backend, GEVT_BACKEND_VULKAN);
  CHECK_EQUAL(info.known.state, GEVT_STATE_COMPLETE);
  CHECK_EQUAL(info.known.record_count, 1);
  CHECK(pattern_intact(info.more, sizeof info.more));
  pattern_fill(&context_info, sizeof context_info);
  context_info.known.size = sizeof context_info.known;
  CHECK_OK(gevt_context_get_info((gevt_context_info_t *)&context_info, context));
  CHECK_EQUAL(context_info.known.size, sizeof context_info.known);
  CHECK_EQUAL(context_info.known.backend, GEVT_BACKEND_VULKAN);
  CHECK(pattern_intact(context_info.more, sizeof context_info.more));
  pattern_fill(&stream_info, sizeof stream_info);
  stream_info.known.size = sizeof stream_info.known;
  CHECK_OK(gevt_stream_get_info((gevt_stream_info_t *)&stream_info, stream));
  CHECK_EQUAL(stream_info.known.size, sizeof stream_info.known);
  CHECK_EQUAL(stream_info.known.queue_family, vk.family);
  CHECK(pattern_intact(stream_info.more, sizeof stream_info.more));
  stream_finish(stream);
}

/* Without synchronization2 and hostQueryReset, as on a plain device of 1.2. */
static void fewer_features(void) {
  gevt_vulkan_device_t device = vk_told_device();
  gevt_stream_t stream;
  gevt_event_t start = event_new(), end = event_new();
  int64_t ns = -1;
  int i;
  device.api_version = VK_API_VERSION_1_2;
  device.features = GEVT_VULKAN_TIMELINE_SEMAPHORE;
  device.extension_count = 0;
  stream = vk_stream(vk_wrap_as(&device), 0, 1);
  for (i = 0; i < 300; i++) {
    CHECK_OK(gevt_record(start, stream));
    CHECK_OK(gevt_stream_wait(stream, start, GEVT_WAIT_DEFAULT));
    CHECK_OK(gevt_record(end, stream));
    CHECK_OK(gevt_sync(end));
    if (!CHECK_OK(gevt_elapsed_ns(&ns, start, end)) || !CHECK(ns >= 0)) break;
  }
}

static void refused_queues(void) {
  gevt_context_t context = vk_wrap(), own = NULL, host = NULL;
  gevt_vulkan_queue_t queue = vk_told_queue(0, 1);
  gevt_event_t event = event_new();
  gevt_stream_t stream, first;
  pattern_fill(&stream, sizeof stream);
  CHECK_FAILS(gevt_vulkan_wrap_queue(NULL, context, &queue), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_vulkan_wrap_queue(&stream, context, NULL), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_vulkan_wrap_queue(&stream, (gevt_context_t)event, &queue), GEVT_ERROR_INVALID_HANDLE,
              GEVT_DETAIL_WRONG_KIND);
  queue.size = 8;
  CHECK_FAILS(gevt_vulkan_wrap_queue(&stream, context, &queue), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_ARGUMENT);
  queue = vk_told_queue(0, 1);
  queue.queue = NULL;
  CHECK_STATUS(gevt_vulkan_wrap_queue(&stream, context, &queue), GEVT_ERROR_INVALID_VALUE);
  queue = vk_told_queue(0, 1);
  queue.unlock = NULL;
  CHECK_STATUS(gevt_vulkan_wrap_queue(&stream, context, &queue), GEVT_ERROR_INVALID_VALUE);
  queue = vk_told_queue(0, 1);
  queue.family = 1000;
  CHECK_STATUS(gevt_vulkan_wrap_queue(&stream, context, &queue), GEVT_ERROR_INVALID_VALUE);
  queue = vk_told_queue(0, 1);
  queue.flags = 0x80;
  CHECK_STATUS(gevt_vulkan_wrap_queue(&stream, context, &queue), GEVT_ERROR_INVALID_VALUE);
  /* One queue, one lock. */
  first = vk_stream(context, 0, 1);
  queue = vk_told_queue(0, 0);
  CHECK_STATUS(gevt_vulkan_wrap_queue(&stream, context, &queue), GEVT_ERROR_INVALID_VALUE);
  queue = vk_told_queue(0, 1);
  CHECK_OK(gevt_context_open(&host, GEVT_BACKEND_HOST, 0));
  CHECK_STATUS(gevt_vulkan_wrap_queue(&stream, host, &queue), GEVT_ERROR_NOT_SUPPORTED);
  CHECK_OK(gevt_context_open(&own, GEVT_BACKEND_VULKAN, 0));
  CHECK_STATUS(gevt_vulkan_wrap_queue(&stream, own, &queue), GEVT_ERROR_NOT_SUPPORTED);
  CHECK(pattern_intact(&stream, sizeof stream));
  CHECK_OK(gevt_context_close(own));
  CHECK_OK(gevt_context_close(host));
  CHECK_OK(gevt_destroy(event));
  stream_finish(first);
  CHECK_OK(gevt_context_close(context));
  CHECK_STATUS(gevt_vulkan_wrap_queue(&stream, context, &queue), GEVT_ERROR_INVALID_HANDLE);
}

/* The device is destroyed right after the close. gevt must have no objects left in it, although streams and events still exist. They report
   that the context is destroyed. */
static void closed_with_streams_and_events(void) {
  gevt_context_t context;
  gevt_stream_t stream;
  gevt_event_t finished, unfinished, point = NULL;
  VkSemaphore gate;
  float ms;
  context = vk_wrap();
  stream = vk_stream(context, 0, 1);
  gate = vk_timeline();
  finished = event_new();
  unfinished = event_new();
  point = vk_point_event(context, gate, 7);
  CHECK_OK(gevt_record(finished, stream));
  CHECK_OK(gevt_sync(finished));
  CHECK_OK(gevt_record(unfinished, stream));
  CHECK_OK(gevt_context_close(context));
  CHECK_VK(vk.DeviceWaitIdle(vk.device));
  vk_semaphore_destroy(gate);
  vk_close_device();
  /* The first answer is remembered for all of the context's events. */
  CHECK_STATUS(gevt_query(finished), GEVT_ERROR_CONTEXT_IS_DESTROYED);
  CHECK_STATUS(gevt_query(finished), GEVT_ERROR_CONTEXT_IS_DESTROYED);
  CHECK_STATUS(gevt_sync(unfinished), GEVT_ERROR_CONTEXT_IS_DESTROYED);
  CHECK_STATUS(gevt_query(unfinished), GEVT_ERROR_CONTEXT_IS_DESTROYED);
  CHECK_STATUS(gevt_query(point), GEVT_ERROR_CONTEXT_IS_DESTROYED);
  CHECK_STATUS(gevt_record(finished, stream), GEVT_ERROR_CONTEXT_IS_DESTROYED);
  CHECK_STATUS(gevt_stream_query(stream), GEVT_ERROR_CONTEXT_IS_DESTROYED);
  CHECK_STATUS(gevt_stream_sync(stream), GEVT_ERROR_CONTEXT_IS_DESTROYED);
  CHECK_STATUS(gevt_stream_wait(stream, finished, GEVT_WAIT_DEFAULT), GEVT_ERROR_CONTEXT_IS_DESTROYED);
  CHECK_STATUS(gevt_elapsed(&ms, finished, unfinished), GEVT_ERROR_CONTEXT_IS_DESTROYED);
  CHECK_OK(gevt_destroy(finished));
  CHECK_OK(gevt_destroy(unfinished));
  CHECK_OK(gevt_destroy(point));
  CHECK_OK(gevt_stream_destroy(stream));
  CHECK_OK(gevt_context_set_current(NULL));
  vk_open_device();
}

/* The close wakes a thread that waits for a signal that never comes. */
static void *wait_in_vain(void *user) {
  CHECK_STATUS(gevt_sync((gevt_event_t)user), GEVT_ERROR_CONTEXT_IS_DESTROYED);
  return NULL;
}

static void closed_while_a_thread_waits(void) {
  gevt_context_t context = vk_wrap();
  VkSemaphore gate = vk_timeline();
  gevt_event_t point = NULL;
  pthread_t thread;
  point = vk_point_event(context, gate, 1);
  thread = thread_start(wait_in_vain, point);
  sleep_ns(20 * MILLISECOND);
  CHECK_OK(gevt_context_close(context));
  thread_join(thread);
  CHECK_OK(gevt_destroy(point));
  CHECK_OK(gevt_context_set_current(NULL));
}

/* Two queues, each a stream with its own kind of lock, wait for each other's events. */
static void queues_of_one_family(void) {
  gevt_context_t context;
  gevt_stream_t first, second;
  VkSemaphore gate;
  gevt_event_t one, other;
  if (vk.queue_count < 2) {
    printf("SKIPPED: case queues_of_one_family: the family has one queue\n");
    return;
  }
  context = vk_wrap();
  first = vk_stream(context, 0, 1);
  second = vk_stream(context, 1, 1);
  gate = vk_timeline();
  one = event_new();
  other = event_new();
  vk_hold(0, gate, 1);
  CHECK_OK(gevt_record(one, first));
  CHECK_OK(gevt_stream_wait(second, one, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(other, second));
  CHECK_NOT_READY(gevt_query(other));
  vk_signal(gate, 1);
  CHECK_OK(gevt_sync(other));
  CHECK_OK(gevt_query(one));
}

int main(int argc, char **argv) {
  subject_choose(argc, argv);
  vk_open();
  RUN(an_wrapped_device_works);
  RUN(wrapped_twice);
  RUN(refused_devices);
  RUN(a_larger_structure);
  RUN(structures_of_the_first_version);
  RUN(fewer_features);
  RUN(refused_queues);
  RUN(closed_with_streams_and_events);
  RUN(closed_while_a_thread_waits);
  RUN(queues_of_one_family);
  CHECK_EQUAL(gevt_live_events(), 0);
  vk_close();
  return subject_end();
}
