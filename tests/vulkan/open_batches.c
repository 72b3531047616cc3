/* Events during an open batch: each time, the lock of the program's queue is released exactly once.
   usage: open_batches [vulkan [CASE]] */
#include "program.h"
#include "layer.h"

static gevt_event_t event;
static gevt_vulkan_batch_t batch;

/* It outlives the case. */
static void make_stream(void) {
  stream = vk_stream(context, 0, 1);
  kept_remove((uint64_t)stream);
}

static void open_batch(void) {
  batch = batch_empty();
  CHECK_OK(gevt_vulkan_submit_begin(&batch, stream, &event, 1));
  CHECK_EQUAL(vk.locked, 1);
}

static VkResult submit(void) {
  return batch_pass_on(&batch, vk.queues[0], NULL);
}

/* The next read of a counter says so, which marks the context. */
static void lose_device(void) {
  fault_arm(1, VK_ERROR_DEVICE_LOST, 0);
  CHECK_STATUS(gevt_query(event), GEVT_ERROR_LAUNCH_FAILED);
  fault_disarm();
}

ALONE_CASE(device_is_lost, 0) {
  VkResult result;
  open_batch();
  result = submit();
  lose_device();
  CHECK_OK(gevt_vulkan_submit_end(stream, &batch, result));
  CHECK(vk_is_given_back());
  CHECK_FAILS(gevt_vulkan_submit_end(stream, &batch, result), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_BATCH);
}

ALONE_CASE(device_is_lost_and_the_submit_fails, 0) {
  open_batch();
  lose_device();
  CHECK_OK(gevt_vulkan_submit_end(stream, &batch, VK_ERROR_OUT_OF_HOST_MEMORY));
  CHECK(vk_is_given_back());
}

/* The program is the first to learn of the loss. */
ALONE_CASE(the_submit_loses_the_device, 0) {
  open_batch();
  CHECK_OK(gevt_vulkan_submit_end(stream, &batch, VK_ERROR_DEVICE_LOST));
  CHECK(vk_is_given_back());
  CHECK_STATUS(gevt_query(event), GEVT_ERROR_LAUNCH_FAILED);
  CHECK_STATUS(gevt_vulkan_submit_begin(&batch, stream, &event, 1), GEVT_ERROR_LAUNCH_FAILED);
  CHECK(vk_is_given_back());
}

/* A begin that is refused before or after it takes the lock. */
ALONE_CASE(begin_is_refused, 0) {
  VkSemaphore own = vk_timeline();
  gevt_event_t point = vk_point_event(context, own, 1), pair[2] = {event, point};
  batch = batch_empty();
  CHECK_FAILS(gevt_vulkan_submit_begin(&batch, stream, pair, 2), GEVT_ERROR_NOT_SUPPORTED, GEVT_DETAIL_UNSUPPORTED);
  CHECK(vk_is_given_back());
  CHECK_EQUAL(event_info(event).state, GEVT_STATE_UNRECORDED);
  pair[1] = event_stale();
  CHECK_FAILS(gevt_vulkan_submit_begin(&batch, stream, pair, 2), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  CHECK(vk_is_given_back());
  open_batch();
  CHECK_OK(gevt_vulkan_submit_end(stream, &batch, submit()));
  CHECK_OK(gevt_sync(event));
}

/* A thread waits for the queue while another destroys the stream or the context. */
static void *record(void *user) {
  gevt_event_t own = untimed();
  check_ignore(gevt_record(own, (gevt_stream_t)user));
  CHECK_OK(gevt_destroy(own));
  return NULL;
}

/* Starts it; it is on its way into the lock then, or in it. */
static pthread_t start_record(void) {
  pthread_t thread = thread_start(record, stream);
  sleep_ns(50 * MILLISECOND);
  return thread;
}

/* The waiting thread holds a reference to the stream. */
ALONE_CASE(stream_is_destroyed, 0) {
  pthread_t thread;
  open_batch();
  thread = start_record();
  CHECK_OK(gevt_stream_destroy(stream));
  thread_join(thread);
  CHECK(vk_is_given_back());
  CHECK_FAILS(gevt_vulkan_submit_end(stream, &batch, VK_SUCCESS), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  CHECK_EQUAL(event_info(event).state, GEVT_STATE_FAILED);
  make_stream();
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_sync(event));
}

/* The close waits for running calls, and one of them waits for the queue. */
ALONE_CASE(context_is_closed, 0) {
  pthread_t thread;
  open_batch();
  thread = start_record();
  CHECK_OK(gevt_context_close(context));
  thread_join(thread);
  CHECK(vk_is_given_back());
  CHECK_FAILS(gevt_vulkan_submit_cancel(stream, &batch), GEVT_ERROR_CONTEXT_IS_DESTROYED, GEVT_DETAIL_CONTEXT_LOST);
  CHECK(vk_is_given_back());
  context = NULL;
}

static void *close_context(void *user) {
  CHECK_OK(gevt_context_close((gevt_context_t)user));
  return NULL;
}

ALONE_CASE(context_is_closed_by_another_thread, 0) {
  open_batch();
  thread_join(thread_start(close_context, context));
  CHECK_FAILS(gevt_vulkan_submit_cancel(stream, &batch), GEVT_ERROR_CONTEXT_IS_DESTROYED, GEVT_DETAIL_CONTEXT_LOST);
  CHECK(vk_is_given_back());
  context = NULL;
}

/* A thread exits without ending its batch: destroying the stream cancels it. */
static void *begin_and_end(void *user) {
  (void)user;
  open_batch();
  return NULL;
}

ALONE_CASE(thread_ends, 0) {
  thread_join(thread_start(begin_and_end, NULL));
  CHECK_EQUAL(vk.locked, 1);
  CHECK_OK(gevt_stream_destroy(stream));
  CHECK(vk_is_given_back());
  make_stream();
}

/* The thread's default stream is destroyed with the thread. It must not call the driver then, because the driver may have destroyed its
   thread state. */
static int submits_of_the_thread;

static void count_submit(const char *function, void *queue) {
  (void)queue;
  if (strncmp(function, "vkQueueSubmit", 13) == 0 && pthread_equal(pthread_self(), vk.owner)) submits_of_the_thread++;
}

static void *begin_on_own_stream_and_end(void *user) {
  gevt_stream_t own = NULL;
  CHECK_OK(gevt_context_set_current(context));
  CHECK_OK(gevt_stream_wrap(&own, context, (void *)2));
  batch = batch_empty();
  CHECK_OK(gevt_vulkan_submit_begin(&batch, own, &event, 1));
  CHECK_EQUAL(vk.locked, 1);
  *(gevt_stream_t *)user = own;
  fault_watch(count_submit);
  return NULL;
}

ALONE_CASE(thread_ends_and_its_stream, 0) {
  gevt_stream_t own = NULL;
  thread_join(thread_start(begin_on_own_stream_and_end, &own));
  fault_watch(NULL);
  CHECK_EQUAL(submits_of_the_thread, 0);
  CHECK(vk_is_given_back());
  CHECK_EQUAL(event_info(event).state, GEVT_STATE_FAILED);
  CHECK_OK(gevt_stream_destroy(own));
}

/* Exit begins while another thread is between begin and end. Its end is refused like every call, but still unlocks the queue. */
static int is_begun, is_exiting;

static void *end_while_exiting(void *user) {
  (void)user;
  open_batch();
  __atomic_store_n(&is_begun, 1, __ATOMIC_SEQ_CST);
  while (!count_of(&is_exiting)) sleep_ns(MILLISECOND);
  CHECK_FAILS(gevt_vulkan_submit_cancel(stream, &batch), GEVT_ERROR_DEINITIALIZED, GEVT_DETAIL_EXITING);
  return NULL;
}

static pthread_t ending;

/* Runs after gevt's exit handler, because it was registered before gevt was used. */
static void while_exiting(void) {
  __atomic_store_n(&is_exiting, 1, __ATOMIC_SEQ_CST);
  thread_join(ending);
  CHECK(vk_is_given_back());
  if (check_failures()) {
    fflush(stdout);
    _exit(1);
  }
}

ALONE_CASE(process_exits, 3) {
  ending = thread_start(end_while_exiting, NULL);
  CHECK(count_await(&is_begun, 1));
  exit(check_failures() ? 1 : 3);
}

static void begin(const test_case_t *chosen) {
  if (chosen->body == process_exits) atexit(while_exiting);
  layer_choose();
  vk_open();
  layer_prove();
  vk_begin(1);
  event = untimed();
}

static void end(void) {
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_stream_destroy(stream));
  stream = NULL;
  vk_end();
  CHECK_VK(vk.DeviceWaitIdle(vk.device));
  vk_close();
}

int main(int argc, char **argv) {
  return vk_main_alone(argc, argv, begin, 0, end);
}
