/* A program's device with the layer in front of the driver: exits, threads that end, and a context that closes. layered.scn has more.
   usage: exits [vulkan [CASE]] */
#include "program.h"
#include "layer.h"

static gevt_event_t event;
static gevt_vulkan_batch_t batch;

static void open_batch(void) {
  batch = batch_empty();
  CHECK_OK(gevt_vulkan_submit_begin(&batch, stream, &event, 1));
  CHECK_EQUAL(vk.locked, 1);
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

static void exit_if_failed(void) {
  fflush(stdout);
  if (check_failures()) _exit(1);
}

/* Runs after gevt's exit handler, because it was registered before gevt was used. */
static void while_exiting(void) {
  __atomic_store_n(&is_exiting, 1, __ATOMIC_SEQ_CST);
  thread_join(ending);
  CHECK(vk_is_given_back());
  exit_if_failed();
}

ALONE_CASE(exit_in_a_batch, 3) {
  ending = thread_start(end_while_exiting, NULL);
  CHECK(count_await(&is_begun, 1));
  exit(check_failures() ? 1 : 3);
}

/* A host function holds up work in the queue and on the host. Exit lets all of it finish, because a driver may wait for its queues then. */
enum { HELD = 4 };
static gevt_event_t held[HELD];
static uint64_t held_semaphores[HELD], held_values[HELD];

ALONE_CASE(exit_behind_a_host_function, 3) {
  static gate_t gates[2] = {GATE_CLOSED, GATE_CLOSED};
  gevt_stream_t other = vk_stream(context, 0);
  int i;
  for (i = 0; i < HELD; i++) held[i] = event_with(i % 2 ? GEVT_EVENT_DEFAULT : GEVT_EVENT_DISABLE_TIMING);
  gate_close(&gates[0], other);
  CHECK_OK(batch_submit(other, NULL, &held[0], 1));
  /* Queued after that work, and ahead of another such batch. */
  CHECK_OK(gevt_record(held[1], stream));
  gate_close(&gates[1], stream);
  CHECK_OK(batch_submit(stream, NULL, &held[2], 1));
  /* On the host. */
  CHECK_OK(gevt_stream_launch(other, gate_pass, &gates[1]));
  CHECK_OK(gevt_record(held[3], other));
  for (i = 0; i < HELD; i++) {
    CHECK_NOT_READY(gevt_query(held[i]));
    CHECK_OK(gevt_vulkan_point(&held_semaphores[i], &held_values[i], held[i]));
  }
  exit(check_failures() ? 1 : 3);
}

/* After gevt's exit handler and before the driver's. */
static void nothing_is_held(void) {
  VkSemaphoreWaitInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, NULL, 0, HELD, NULL, NULL};
  VkSemaphore semaphores[HELD];
  memcpy(semaphores, held_semaphores, sizeof semaphores);
  info.pSemaphores = semaphores;
  info.pValues = held_values;
  CHECK_FAILS(gevt_query(held[0]), GEVT_ERROR_DEINITIALIZED, GEVT_DETAIL_EXITING);
  CHECK_VK(vk.WaitSemaphores(vk.device, &info, (uint64_t)HANG_LIMIT));
  exit_if_failed();
}

/* A driver may register an exit handler at its first submit. It runs after gevt's, which waits for the submit in progress. */
static int is_registered, are_begun, are_inside;

static void no_submit_is_inside(void) {
  CHECK_EQUAL(count_of(&are_inside), 0);
  exit_if_failed();
}

static void submit_slowly(const char *function, void *queue) {
  (void)queue;
  if (strncmp(function, "vkQueueSubmit", 13) != 0) return;
  if (!is_registered) {
    is_registered = 1;
    atexit(no_submit_is_inside);
    return;
  }
  count_up(&are_inside);
  count_up(&are_begun);
  sleep_ns(100 * MILLISECOND);
  __atomic_store_n(&are_inside, 0, __ATOMIC_SEQ_CST);
}

static void *record_slowly(void *user) {
  (void)user;
  check_ignore(gevt_record(event, stream));
  return NULL;
}

ALONE_CASE(exit_during_a_submit, 3) {
  fault_watch(submit_slowly);
  CHECK_OK(gevt_record(event, stream));
  thread_start(record_slowly, NULL);
  CHECK(count_await(&are_begun, 1));
  exit(check_failures() ? 1 : 3);
}

/* The first submit is the program's, in a batch, and a thread waits. */
static void wait_slowly(const char *function, void *queue) {
  if (queue && !is_registered) {
    is_registered = 1;
    atexit(no_submit_is_inside);
  }
  if (strncmp(function, "vkWaitSemaphores", 16) != 0) return;
  count_up(&are_inside);
  count_up(&are_begun);
  sleep_ns(100 * MILLISECOND);
  __atomic_store_n(&are_inside, 0, __ATOMIC_SEQ_CST);
}

static void *wait_for_the_event(void *user) {
  (void)user;
  check_ignore(gevt_sync(event));
  return NULL;
}

ALONE_CASE(exit_during_a_wait, 3) {
  VkSemaphoreSubmitInfo wait = vk_point(queue_gate, 1), signal;
  fault_watch(wait_slowly);
  open_batch();
  memcpy(&signal, batch.signal, sizeof signal);
  CHECK_OK(gevt_vulkan_submit_end(stream, &batch, vk_submit(vk.queues[0], NULL, &wait, 1, &signal, 1)));
  thread_start(wait_for_the_event, NULL);
  CHECK(count_await(&are_begun, 1));
  exit(check_failures() ? 1 : 3);
}

/* Once the close of the last handle has returned, the device has no object of gevt left, even if other threads look at the handle meanwhile. */
static gevt_context_t looked_at;
static int looks_are_over;

static void *look_at_the_handle(void *user) {
  (void)user;
  while (!count_of(&looks_are_over)) {
    void *native;
    check_ignore(gevt_context_native(&native, __atomic_load_n(&looked_at, __ATOMIC_SEQ_CST)));
  }
  return NULL;
}

ALONE_CASE(closed_while_a_thread_looks_at_the_handle, 0) {
  pthread_t thread;
  int64_t before;
  int i;
  CHECK_OK(gevt_stream_destroy(stream));
  CHECK_OK(gevt_context_close(context));
  stream = NULL;
  context = NULL;
  before = fault_live();
  looked_at = vk_wrap();
  thread = thread_start(look_at_the_handle, NULL);
  for (i = 0; i < 3000 && !check_failures(); i++) {
    gevt_stream_t made = vk_stream(looked_at, 0);
    CHECK_OK(gevt_context_close(looked_at));
    CHECK_EQUAL(fault_live(), before);
    CHECK_OK(gevt_stream_destroy(made));
    __atomic_store_n(&looked_at, vk_wrap(), __ATOMIC_SEQ_CST);
  }
  count_up(&looks_are_over);
  thread_join(thread);
  CHECK_OK(gevt_context_close(looked_at));
}

static void begin(const test_case_t *chosen) {
  if (chosen->body == exit_in_a_batch) atexit(while_exiting);
  layer_choose();
  vk_open();
  layer_prove();
  if (chosen->body == exit_behind_a_host_function) atexit(nothing_is_held);
  vk_begin();
  event = untimed();
}

static void end(void) {
  CHECK_OK(gevt_destroy(event));
  if (stream) check_ignore(gevt_stream_sync(stream));
  if (stream) CHECK_OK(gevt_stream_destroy(stream));
  stream = NULL;
  vk_end();
  CHECK_VK(vk.DeviceWaitIdle(vk.device));
  vk_close();
}

int main(int argc, char **argv) {
  return vk_main_alone(argc, argv, begin, end);
}
