/* Threads on one queue of a program. A thread that uses the queue holds its lock, and no thread waits for the device while holding it: a layer
   checks the lock at each wait, and at each submit by gevt, by its workers and by the program. */
#include "batch.h"
#include "layer.h"

static gevt_context_t context;
static gevt_stream_t shared, other;
static int uses, unlocked_uses, waits_under_lock;
/* The device may be lost, or the context closed. Batches are begun and never submitted if the context is closed while they are open. */
static int may_fail, submits_no_batch;

#define ANSWERED(call) CHECK((call) == GEVT_SUCCESS || may_fail)

static int lock_is_own(void) {
  return count_of(&vk.locked) && pthread_equal(vk.owner, pthread_self());
}

static void look_at_the_lock(const char *function, void *queue) {
  int is_own = lock_is_own();
  if (queue) __atomic_add_fetch(&uses, 1, __ATOMIC_SEQ_CST);
  if (queue && !is_own && __atomic_add_fetch(&unlocked_uses, 1, __ATOMIC_SEQ_CST) == 1)
    printf("    %s without the lock\n", function);
  if (!queue && is_own && __atomic_add_fetch(&waits_under_lock, 1, __ATOMIC_SEQ_CST) == 1)
    printf("    %s under the lock\n", function);
}

enum { THREADS = 4, ROUNDS = 100 };

static void nothing(void *user) {
  (void)user;
}

static void count_answer(void *user, gevt_status_t status) {
  (void)status;
  count_up(user);
}

/* Everything that submits, directly or on a worker. */
static void *use_everything(void *user) {
  static int answers;
  int id = *(int *)user, round;
  gevt_vulkan_queue_t told = vk_told_queue(0, 1);
  ANSWERED(gevt_context_set_current(context));
  for (round = 0; round < ROUNDS; round++) {
    gevt_event_t timed = event_new(), plain = event_with(GEVT_EVENT_DISABLE_TIMING), pair[2];
    gevt_stream_t own = NULL;
    gevt_vulkan_batch_t batch = batch_empty();
    pair[0] = timed;
    pair[1] = plain;
    ANSWERED(gevt_record(timed, shared));
    ANSWERED(gevt_stream_launch(shared, nothing, NULL));
    ANSWERED(gevt_record(timed, shared));
    ANSWERED(gevt_record(plain, other));
    ANSWERED(gevt_stream_wait(other, timed, GEVT_WAIT_DEFAULT));
    ANSWERED(gevt_on_complete(plain, count_answer, &answers));
    ANSWERED((round + id) % 2 ? gevt_vulkan_wrap_queue(&own, context, &told)
                              : gevt_stream_create(&own, context, GEVT_STREAM_DEFAULT));
    if (own) {
      ANSWERED(gevt_stream_wait(own, plain, GEVT_WAIT_DEFAULT));
      if (gevt_vulkan_submit_begin(&batch, own, pair, 2) == GEVT_SUCCESS) {
        /* Made, failed, or given up with the stream. */
        int kind = submits_no_batch ? 1 + round % 2 : (round + id) % 3;
        int32_t result = kind ? VK_ERROR_OUT_OF_HOST_MEMORY : (int32_t)batch_pass_on(&batch, vk.queues[0], NULL);
        if (kind < 2) ANSWERED(gevt_vulkan_submit_end(own, &batch, result));
        if (kind < 2) CHECK((gevt_sync(plain) == GEVT_SUCCESS) == (kind == 0) || may_fail);
      }
      CHECK_OK(gevt_stream_destroy(own));
    }
    ANSWERED(gevt_stream_sync_timeout(shared, HANG_LIMIT));
    if (round % 8 == id) ANSWERED(gevt_context_sync_timeout(context, HANG_LIMIT));
    CHECK_OK(gevt_destroy(timed));
    CHECK_OK(gevt_destroy(plain));
  }
  check_ignore(gevt_context_set_current(NULL));
  return NULL;
}

static void begin(void) {
  context = vk_wrap();
  CHECK_OK(gevt_context_set_current(NULL));
  shared = vk_stream(context, 0);
  other = vk_stream(context, 0);
}

static void end(void) {
  if (shared) CHECK_OK(gevt_stream_destroy(shared));
  if (other) CHECK_OK(gevt_stream_destroy(other));
  if (context) CHECK_OK(gevt_context_close(context));
  CHECK(vk_is_given_back());
  CHECK_EQUAL(unlocked_uses, 0);
  CHECK_EQUAL(waits_under_lock, 0);
  CHECK_EQUAL(gevt_live_events(), 0);
  CHECK_VK(vk.DeviceWaitIdle(vk.device));
}

static void start(pthread_t *threads, int *ids) {
  int i;
  for (i = 0; i < THREADS; i++) {
    ids[i] = i;
    threads[i] = thread_start(use_everything, &ids[i]);
  }
}

static void four_threads(void) {
  pthread_t threads[THREADS];
  int ids[THREADS], i;
  begin();
  start(threads, ids);
  for (i = 0; i < THREADS; i++) thread_join(threads[i]);
  end();
  CHECK(count_of(&uses) > THREADS * ROUNDS);
}

/* Each thread keeps some batches in flight, waits for the oldest, and queries the others. A thread's last event must not complete before an
   earlier one: values reach the queue in order. */
enum { FLIGHT = 8 };

static void *submit_in_turn(void *user) {
  gevt_event_t flight[FLIGHT][2];
  int at, i, other, early = 0;
  (void)user;
  for (i = 0; i < FLIGHT; i++) {
    flight[i][0] = event_with(GEVT_EVENT_DISABLE_TIMING);
    flight[i][1] = event_with(GEVT_EVENT_DISABLE_TIMING);
  }
  for (i = 0; i < 10 * ROUNDS; i++) {
    at = i % FLIGHT;
    CHECK_OK(gevt_sync(flight[at][0]));
    CHECK_OK(gevt_sync(flight[at][1]));
    CHECK_OK(batch_submit(shared, NULL, flight[at], 2));
    if (gevt_query(flight[at][1]) != GEVT_SUCCESS) continue;
    for (other = 0; other < FLIGHT; other++) early += gevt_query(flight[other][0]) != GEVT_SUCCESS;
  }
  for (i = 0; i < FLIGHT; i++) {
    CHECK_OK(gevt_sync(flight[i][1]));
    CHECK_OK(gevt_destroy(flight[i][0]));
    CHECK_OK(gevt_destroy(flight[i][1]));
  }
  CHECK_EQUAL(early, 0);
  return NULL;
}

static void values_come_in_order(void) {
  begin();
  run_threads(THREADS, submit_in_turn, NULL);
  end();
}

/* The context is closed while threads are inside its calls. */
static void closed_meanwhile(void) {
  pthread_t threads[THREADS];
  int ids[THREADS], i, before = count_of(&uses);
  may_fail = submits_no_batch = 1;
  begin();
  start(threads, ids);
  CHECK(count_await(&uses, before + 20));
  CHECK_OK(gevt_context_close(context));
  for (i = 0; i < THREADS; i++) thread_join(threads[i]);
  context = NULL;
  end();
  may_fail = submits_no_batch = 0;
}

/* gevt's Vulkan calls fail at the same time, and then the device is lost. */
static void failing_meanwhile(void) {
  pthread_t threads[THREADS];
  int ids[THREADS], i;
  may_fail = 1;
  begin();
  start(threads, ids);
  for (i = 1; i < 40; i++) {
    fault_arm((uint64_t)i, VK_ERROR_OUT_OF_HOST_MEMORY, 0);
    sleep_ns(MILLISECOND);
  }
  fault_arm(1, VK_ERROR_DEVICE_LOST, 0);
  for (i = 0; i < THREADS; i++) thread_join(threads[i]);
  fault_disarm();
  end();
}

int main(int argc, char **argv) {
  /* Without the validation layers: those of 1.3.239 wait ten seconds for themselves each time the host signals while a queue does. */
  unsetenv("VK_INSTANCE_LAYERS");
  layer_choose();
  subject_choose(argc, argv);
  vk_open();
  layer_prove();
  fault_watch(look_at_the_lock);
  RUN(four_threads);
  RUN(values_come_in_order);
  /* What it notices. */
  CHECK_VK(vk_submit(vk.queues[0], NULL, NULL, 0, NULL, 0));
  CHECK_EQUAL(unlocked_uses, 1);
  unlocked_uses = 0;
  RUN(closed_meanwhile);
  RUN(failing_meanwhile);
  vk_close();
  return subject_end();
}
