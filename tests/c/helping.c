/* gevt_sync_helping: a wait that runs streams' work on the thread that waits. On CUDA the driver runs host functions.
   usage: helping [host|vulkan] */
#include "objects.h"

/* The program's waiting thread is woken before parked workers: it runs work that another thread submits meanwhile. */
static pthread_t waits;
static int ran_there;

static void run_where_it_is(void *user) {
  (void)user;
  if (pthread_equal(pthread_self(), waits)) count_up(&ran_there);
}

static void *give_until_it_ran_there(void *user) {
  gevt_stream_t stream = stream_new();
  long long deadline = now_ns() + HANG_LIMIT, pause = MILLISECOND;
  do {
    CHECK_OK(gevt_stream_launch(stream, run_where_it_is, NULL));
    CHECK_OK(gevt_stream_sync(stream));
    /* The worker that ran it parks, after a while in which it gives its core away now and then: that is long on a busy machine. */
    sleep_ns(pause);
    if (pause < SECOND) pause *= 2;
  } while (!count_of(&ran_there) && now_ns() < deadline);
  gate_open((gate_t *)user);
  stream_finish(stream);
  return NULL;
}

static void the_waiting_thread_works(void) {
  gate_t gate = GATE_CLOSED;
  gevt_stream_t stream = stream_new();
  gevt_event_t event = event_new();
  pthread_t giver;
  CHECK_OK(gevt_host_set_threads(2));
  waits = pthread_self();
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(event, stream));
  gate_await_entry(&gate);
  giver = thread_start(give_until_it_ran_there, &gate);
  CHECK_OK(gevt_sync_helping(event, GEVT_TIMEOUT_INFINITE));
  thread_join(giver);
  CHECK(ran_there > 0);
  CHECK_OK(gevt_host_set_threads(0));
}

/* The wait ends although this stream and another one have endless work. */
static int endless;

static void give_again(void *user) {
  if (!count_of(&endless)) check_ignore(gevt_stream_launch((gevt_stream_t)user, give_again, user));
}

static void it_comes_back_while_there_is_work(void) {
  gevt_stream_t stream = stream_new(), busy = stream_new();
  gevt_event_t event = event_new();
  int i, counter = 0;
  CHECK_OK(gevt_host_set_threads(1));
  CHECK_OK(gevt_stream_launch(busy, give_again, busy));
  for (i = 0; i < 100; i++) {
    CHECK_OK(gevt_stream_launch(stream, count_up, &counter));
    CHECK_OK(gevt_record(event, stream));
    CHECK_OK(gevt_sync_helping(event, GEVT_TIMEOUT_INFINITE));
  }
  CHECK_EQUAL(counter, 100);
  count_up(&endless);
  CHECK_OK(gevt_host_set_threads(0));
}

/* The waiting thread runs only its stream's work before the event, and leaves the rest to other threads. */
typedef struct part {
  gevt_stream_t stream;
  gevt_event_t never;
  pthread_t thread;
  int before, after, came_back;
} part_t;

static void run_after(void *user) {
  part_t *part = (part_t *)user;
  if (pthread_equal(pthread_self(), part->thread)) count_up(&part->after);
}

static void wait_for_a_part(void *user) {
  part_t *part = (part_t *)user;
  gevt_event_t event = event_new();
  int i;
  part->thread = pthread_self();
  for (i = 0; i < 10; i++) CHECK_OK(gevt_stream_launch(part->stream, count_up, &part->before));
  CHECK_OK(gevt_record(event, part->stream));
  for (i = 0; i < 100; i++) CHECK_OK(gevt_stream_launch(part->stream, run_after, part));
  CHECK_OK(gevt_sync_helping(event, GEVT_TIMEOUT_INFINITE));
  CHECK_EQUAL(count_of(&part->before), 10);
  CHECK_EQUAL(count_of(&part->after), 0);
  /* Endless work, and nothing of it is what is waited for. */
  CHECK_OK(gevt_stream_launch(part->stream, give_again, part->stream));
  CHECK_FAILS(gevt_sync_helping(part->never, MILLISECOND), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  CHECK_OK(gevt_destroy(event));
  count_up(&part->came_back);
}

static void it_comes_back_between_functions(void) {
  part_t part = {stream_new(), event_new(), 0, 0, 0, 0};
  gate_t gate = GATE_CLOSED;
  gevt_stream_t stream = stream_new(), gated = stream_new();
  __atomic_store_n(&endless, 0, __ATOMIC_SEQ_CST);
  gate_close(&gate, gated);
  CHECK_OK(gevt_record(part.never, gated));
  gate_await_entry(&gate);
  CHECK_OK(gevt_host_set_threads(1));
  CHECK_OK(gevt_stream_launch(stream, wait_for_a_part, &part));
  CHECK_OK(gevt_stream_sync(stream));
  CHECK_EQUAL(part.came_back, 1);
  count_up(&endless);
  gate_open(&gate);
  stream_finish(gated);
  stream_finish(part.stream);
  CHECK_OK(gevt_host_set_threads(0));
}

/* A thread that loses its permit in a function does not wait for another thread to run the next work. The other threads hold the permit
   for as long as they like, and this thread has a timeout. */
typedef struct late {
  gevt_event_t never;
  pthread_t thread;
  int tid, long_began, long_over, returned;
} late_t;

static void sleep_until_long_begins(void *user) {
  late_t *late = (late_t *)user;
  long long deadline = now_ns() + HANG_LIMIT;
  while (!count_of(&late->long_began) && now_ns() < deadline) sleep_ns(MILLISECOND);
}

static void run_long(void *user) {
  late_t *late = (late_t *)user;
  long long deadline = now_ns() + HANG_LIMIT;
  count_up(&late->long_began);
  /* In that case no other thread has the permit. */
  if (pthread_equal(pthread_self(), late->thread)) return;
  while (!count_of(&late->long_over) && now_ns() < deadline) {}
  CHECK_EQUAL(count_of(&late->returned), 1);
}

static void *wait_for_never(void *user) {
  late_t *late = (late_t *)user;
  thread_publish(&late->tid);
  CHECK_FAILS(gevt_sync_helping(late->never, 200 * MILLISECOND), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  count_up(&late->returned);
  count_up(&late->long_over);
  return NULL;
}

static void it_comes_back_without_a_place(void) {
  late_t late = {event_with(GEVT_EVENT_HOST_SIGNALED), 0, 0, 0, 0, 0};
  gevt_stream_t first = stream_new(), second = stream_new();
  int after = 0;
  CHECK_OK(gevt_host_set_threads(1));
  CHECK_EQUAL(pthread_create(&late.thread, NULL, wait_for_never, &late), 0);
  CHECK(thread_await_parked(&late.tid));
  CHECK_OK(gevt_stream_launch(first, sleep_until_long_begins, &late));
  CHECK_OK(gevt_stream_launch(first, count_up, &after));
  CHECK_OK(gevt_stream_launch(second, run_long, &late));
  CHECK_EQUAL(pthread_join(late.thread, NULL), 0);
  CHECK_OK(gevt_stream_sync(first));
  CHECK_EQUAL(after, 1);
  stream_finish(second);
  CHECK_OK(gevt_signal(late.never, GEVT_SUCCESS));
  CHECK_OK(gevt_host_set_threads(0));
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN_ON_HOST(the_waiting_thread_works);
  /* On CUDA the driver runs host functions, which must not call it. */
  if (!subject_is_cuda()) {
    RUN(it_comes_back_while_there_is_work);
    RUN(it_comes_back_without_a_place);
  }
  RUN_ON_HOST(it_comes_back_between_functions);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
