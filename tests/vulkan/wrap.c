/* Wrapping a program's device and queues: what wrapping accepts and refuses, and when the device may be destroyed. */
#include "program.h"
#include "first_structures.h"

WRAPPED(an_wrapped_device_works) {
  gevt_event_t event = event_new();
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_sync(event));
  CHECK_EQUAL(event_info(event).backend, GEVT_BACKEND_VULKAN);
  CHECK_EQUAL(event_info(event).device, 0);
  CHECK_EQUAL(vk.locked, 0);
}

/* Two handles to one context, as with a device that is opened twice. */
ON_DEVICE(wrapped_twice) {
  gevt_context_t first = vk_wrap(), second = vk_wrap();
  gevt_stream_t stream = vk_stream(first, 0, 1), other = vk_stream(second, 0, 1);
  gevt_event_t event = event_new();
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_stream_wait(other, event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(event, other));
  CHECK_OK(gevt_sync(event));
}

/* Refused with one thing changed in what gevt is told. */
#define REFUSES_DEVICE(change, status, detail)                                                                         \
  do {                                                                                                                 \
    gevt_vulkan_device_t device = vk_told_device();                                                                    \
    device.change;                                                                                                     \
    CHECK_FAILS(gevt_vulkan_wrap_device(&context, &device), GEVT_ERROR_##status, GEVT_DETAIL_##detail);                \
  } while (0)

ON_DEVICE(refused_devices) {
  gevt_vulkan_device_t device = vk_told_device();
  pattern_fill(&context, sizeof context);
  CHECK_FAILS(gevt_vulkan_wrap_device(NULL, &device), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_vulkan_wrap_device(&context, NULL), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  REFUSES_DEVICE(instance = NULL, INVALID_VALUE, NULL_POINTER);
  REFUSES_DEVICE(physical_device = NULL, INVALID_VALUE, NULL_POINTER);
  REFUSES_DEVICE(device = NULL, INVALID_VALUE, NULL_POINTER);
  REFUSES_DEVICE(get_instance_proc_addr = NULL, INVALID_VALUE, NULL_POINTER);
  REFUSES_DEVICE(size = 0, INVALID_VALUE, BAD_ARGUMENT);
  REFUSES_DEVICE(size = 1, INVALID_VALUE, BAD_ARGUMENT);
  REFUSES_DEVICE(size = sizeof(first_device_t) - 1, INVALID_VALUE, BAD_ARGUMENT);
  REFUSES_DEVICE(extensions = (device.extension_count = 1, NULL), INVALID_VALUE, NULL_POINTER);
  REFUSES_DEVICE(api_version = VK_API_VERSION_1_0, NOT_SUPPORTED, UNSUPPORTED);
  REFUSES_DEVICE(features |= 1u << 3, INVALID_VALUE, BAD_FLAGS);
  REFUSES_DEVICE(reserved = 1, INVALID_VALUE, BAD_ARGUMENT);
  REFUSES_DEVICE(features = 0, NOT_SUPPORTED, UNSUPPORTED);
  CHECK(strstr(gevt_last_message(), "imeline") != NULL);
  CHECK(pattern_intact(&context, sizeof context));
  context = NULL;
}

/* A structure, and bytes behind it. */
#define LARGER(type)                                                                                                   \
  struct {                                                                                                             \
    type known;                                                                                                        \
    unsigned char more[64];                                                                                            \
  }

/* A larger structure, of a program that was built with a later header. */
ON_DEVICE(a_larger_structure) {
  LARGER(gevt_vulkan_device_t) device;
  memset(&device, 0xee, sizeof device);
  device.known = vk_told_device();
  device.known.size = sizeof device;
  vk_wrap_as(&device.known);
}

/* The structures of a program that was built with the first header: nothing beyond them is read or written. */
ON_DEVICE(structures_of_the_first_version) {
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
ON_DEVICE(fewer_features) {
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

#define REFUSES_QUEUE(in, with_lock, change, status)                                                                   \
  do {                                                                                                                 \
    gevt_vulkan_queue_t queue = vk_told_queue(0, with_lock);                                                           \
    queue.change;                                                                                                      \
    CHECK_STATUS(gevt_vulkan_wrap_queue(&refused, in, &queue), GEVT_ERROR_##status);                                   \
  } while (0)

WRAPPED(refused_queues) {
  gevt_context_t host = context_on(GEVT_BACKEND_HOST), own = context_on(GEVT_BACKEND_VULKAN);
  gevt_vulkan_queue_t queue = vk_told_queue(0, 1);
  gevt_stream_t refused;
  pattern_fill(&refused, sizeof refused);
  CHECK_FAILS(gevt_vulkan_wrap_queue(NULL, context, &queue), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_vulkan_wrap_queue(&refused, context, NULL), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_vulkan_wrap_queue(&refused, (gevt_context_t)stream, &queue), GEVT_ERROR_INVALID_HANDLE,
              GEVT_DETAIL_WRONG_KIND);
  REFUSES_QUEUE(context, 1, size = 8, INVALID_VALUE);
  CHECK_DETAIL(GEVT_DETAIL_BAD_ARGUMENT);
  REFUSES_QUEUE(context, 1, queue = NULL, INVALID_VALUE);
  REFUSES_QUEUE(context, 1, unlock = NULL, INVALID_VALUE);
  REFUSES_QUEUE(context, 1, family = 1000, INVALID_VALUE);
  REFUSES_QUEUE(context, 1, flags = 0x80, INVALID_VALUE);
  /* One queue, one lock. */
  REFUSES_QUEUE(context, 0, flags = 0, INVALID_VALUE);
  REFUSES_QUEUE(host, 1, flags = 0, NOT_SUPPORTED);
  REFUSES_QUEUE(own, 1, flags = 0, NOT_SUPPORTED);
  CHECK_OK(gevt_context_close(own));
  REFUSES_QUEUE(own, 1, flags = 0, INVALID_HANDLE);
  CHECK(pattern_intact(&refused, sizeof refused));
}

/* The device is destroyed right after the close. gevt must have no objects left in it, although streams and events still exist. They report
   that the context is destroyed. */
ON_DEVICE(closed_with_streams_and_events) {
  gevt_context_t context;
  gevt_stream_t stream;
  gevt_event_t finished, unfinished, point;
  VkSemaphore gate = vk_timeline();
  float ms;
  context = vk_wrap();
  stream = vk_stream(context, 0, 1);
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

ON_DEVICE(closed_while_a_thread_waits) {
  gevt_context_t context = vk_wrap();
  pthread_t thread = thread_start(wait_in_vain, vk_point_event(context, vk_timeline(), 1));
  sleep_ns(20 * MILLISECOND);
  CHECK_OK(gevt_context_close(context));
  thread_join(thread);
  CHECK_OK(gevt_context_set_current(NULL));
}

/* Two queues, each a stream with its own kind of lock, wait for each other's events. */
WRAPPED(queues_of_one_family) {
  gevt_stream_t second;
  gevt_event_t one, other;
  if (vk.queue_count < 2) {
    printf("SKIPPED: case queues_of_one_family: the family has one queue\n");
    return;
  }
  second = vk_stream(context, 1, 1);
  one = event_new();
  other = event_new();
  queue_hold();
  CHECK_OK(gevt_record(one, stream));
  CHECK_OK(gevt_stream_wait(second, one, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(other, second));
  CHECK_NOT_READY(gevt_query(other));
  queue_release();
  CHECK_OK(gevt_sync(other));
  CHECK_OK(gevt_query(one));
}

VK_MAIN
