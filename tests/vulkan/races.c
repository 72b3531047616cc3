/* Streams and contexts end, and queues are wrapped again, while another thread uses them. */
#include "program.h"

static int begins_to_lock, is_locked_again;

static void lock_and_say(void *user) {
  count_up(&begins_to_lock);
  vk_lock(user);
}

static void lock_again(void *user) {
  CHECK_EQUAL(__atomic_add_fetch((int *)user, 1, __ATOMIC_SEQ_CST), 1);
}

static void unlock_again(void *user) {
  CHECK_EQUAL(__atomic_sub_fetch((int *)user, 1, __ATOMIC_SEQ_CST), 0);
}

static void *begin_late(void *user) {
  gevt_vulkan_batch_t batch = batch_empty();
  CHECK_STATUS(gevt_vulkan_submit_begin(&batch, (gevt_stream_t)user, NULL, 0), GEVT_ERROR_INVALID_HANDLE);
  return NULL;
}

/* A stream ends while a thread that begins a batch waits for the lock. Meanwhile the VkQueue is wrapped again with other lock functions. The
   thread unlocks with the functions that it has locked with. */
ON_DEVICE(a_stream_ends_while_its_queue_is_being_locked) {
  gevt_vulkan_queue_t told = vk_told_queue(0, 1);
  gevt_stream_t ending, later = NULL;
  pthread_t thread;
  context = vk_wrap();
  kept_remove((uint64_t)context);
  told.lock = lock_and_say;
  CHECK_OK(gevt_vulkan_wrap_queue(&ending, context, &told));
  vk_lock(&vk);
  thread = thread_start(begin_late, ending);
  CHECK(count_await(&begins_to_lock, 1));
  CHECK_OK(gevt_stream_destroy(ending));
  told.lock = lock_again;
  told.unlock = unlock_again;
  told.user = &is_locked_again;
  CHECK_OK(gevt_vulkan_wrap_queue(&later, context, &told));
  vk_unlock(&vk);
  thread_join(thread);
  CHECK(vk_is_given_back());
  CHECK_EQUAL(is_locked_again, 0);
  CHECK_OK(gevt_stream_destroy(later));
}

enum { MANY_EVENTS = 500, MANY_ROUNDS = 300 };
static gevt_event_t many_events[MANY_EVENTS];
static int is_round_on;

static void *begin_many(void *user) {
  gevt_stream_t ending = (gevt_stream_t)user;
  gevt_vulkan_batch_t batch = batch_empty();
  __atomic_store_n(&is_round_on, 1, __ATOMIC_SEQ_CST);
  if (gevt_vulkan_submit_begin(&batch, ending, many_events, MANY_EVENTS) == GEVT_SUCCESS)
    check_ignore(gevt_vulkan_submit_cancel(ending, &batch));
  return NULL;
}

/* Either the end of a stream cancels a batch, or the batch is refused, or its own thread ends it. */
WRAPPED(a_stream_ends_while_a_batch_begins) {
  int i;
  long long until;
  for (i = 0; i < MANY_EVENTS; i++) many_events[i] = untimed();
  for (i = 0; i < MANY_ROUNDS && vk.locked == 0; i++) {
    gevt_stream_t ending = vk_stream(context, 0);
    pthread_t thread;
    is_round_on = 0;
    thread = thread_start(begin_many, ending);
    while (!count_of(&is_round_on)) continue;
    for (until = now_ns() + i % 50 * 500; now_ns() < until;) continue;
    CHECK_OK(gevt_stream_destroy(ending));
    thread_join(thread);
    CHECK_EQUAL(vk.locked, 0);
  }
  for (i = 0; i < MANY_EVENTS; i++) CHECK_OK(gevt_destroy(many_events[i]));
}

/* The number of the lock functions that the queue is wrapped with; 0 while no thread can tell. */
static int wrapped_with, wrong_locks, is_over;
static pthread_mutex_t lock_of_both = PTHREAD_MUTEX_INITIALIZER;

static void lock_as(int number) {
  const int expected = count_of(&wrapped_with);
  pthread_mutex_lock(&lock_of_both);
  if (expected && expected != number) count_up(&wrong_locks);
}

static void lock_one(void *user) {
  (void)user;
  lock_as(1);
}

static void lock_other(void *user) {
  (void)user;
  lock_as(2);
}

static void unlock_both(void *user) {
  (void)user;
  pthread_mutex_unlock(&lock_of_both);
}

static void *create_streams(void *user) {
  gevt_event_t recorded = untimed();
  (void)user;
  while (!count_of(&is_over)) {
    gevt_stream_t made = NULL;
    CHECK_OK(gevt_stream_create(&made, context, GEVT_STREAM_DEFAULT));
    CHECK_OK(gevt_record(recorded, made));
    CHECK_OK(gevt_stream_destroy(made));
  }
  CHECK_OK(gevt_destroy(recorded));
  return NULL;
}

/* A VkQueue that no stream uses is wrapped with other lock functions, while another thread makes streams on it. */
ON_DEVICE(a_queue_has_one_lock_at_a_time) {
  pthread_t thread;
  int i;
  gevt_stream_t first;
  gevt_vulkan_queue_t told = vk_told_queue(0, 1);
  context = vk_wrap();
  kept_remove((uint64_t)context);
  told.lock = lock_one;
  told.unlock = unlock_both;
  CHECK_OK(gevt_vulkan_wrap_queue(&first, context, &told));
  thread = thread_start(create_streams, NULL);
  CHECK_OK(gevt_stream_destroy(first));
  for (i = 0; i < 20000; i++) {
    gevt_stream_t again = NULL;
    told.lock = i % 2 ? lock_one : lock_other;
    if (gevt_vulkan_wrap_queue(&again, context, &told) != GEVT_SUCCESS) continue;
    __atomic_store_n(&wrapped_with, i % 2 ? 1 : 2, __ATOMIC_SEQ_CST);
    sleep_ns(1000);
    __atomic_store_n(&wrapped_with, 0, __ATOMIC_SEQ_CST);
    CHECK_OK(gevt_stream_destroy(again));
  }
  count_up(&is_over);
  thread_join(thread);
  CHECK_EQUAL(wrong_locks, 0);
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

/* docs/VULKAN.md says what a program does about Mesa 22.3.6, whose queue may use a semaphore after it has signaled it. While other threads submit
   waits, only the end of the semaphore is a time for it. */
static void VKAPI_CALL destroy_when_idle(VkDevice device, VkSemaphore semaphore,
                                         const VkAllocationCallbacks *allocator) {
  vk_lock(&vk);
  CHECK_VK(vk.QueueWaitIdle(vk.queues[0]));
  vk_unlock(&vk);
  vk.DestroySemaphore(device, semaphore, allocator);
}

static PFN_vkVoidFunction VKAPI_CALL get_of_device(VkDevice device, const char *name) {
  if (strcmp(name, "vkDestroySemaphore") == 0) return (PFN_vkVoidFunction)destroy_when_idle;
  return vk.GetDeviceProcAddr(device, name);
}

static PFN_vkVoidFunction VKAPI_CALL get_of_instance(VkInstance instance, const char *name) {
  if (strcmp(name, "vkGetDeviceProcAddr") == 0) return (PFN_vkVoidFunction)get_of_device;
  return vk.get(instance, name);
}

static void tell_get(gevt_vulkan_device_t *told) {
  told->get_instance_proc_addr = get_of_instance;
}

ON_DEVICE(closes_while_other_threads_call) {
  pthread_t threads[CALLERS];
  int i;
  vk_tell = tell_get;
  SHARE(stop, 0);
  for (i = 0; i < CALLERS; i++) threads[i] = thread_start(call_with_shared_handles, NULL);
  for (i = 0; i < 300; i++) wrap_and_close_under_calls();
  SHARE(stop, 1);
  for (i = 0; i < CALLERS; i++) thread_join(threads[i]);
  vk_tell = NULL;
}

VK_MAIN
