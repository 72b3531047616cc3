/* Calls from destructors of thread-specific data, which run after the thread's C++ and Rust thread-locals are gone.
   They register no destructor there: the C library calls none any more.
   usage: late [host|cuda] */
#include "objects.h"
#include "registrations.h"

static pthread_key_t key;
static gevt_stream_t stream;
static gevt_event_t event;
static gate_t gate = GATE_CLOSED;
static int entered, rounds, done, functions;

enum { ROUNDS = 4 };

static gevt_stream_t own_stream(void) {
  gevt_stream_t own = NULL;
  void *per_thread = (void *)(uintptr_t)2;
  CHECK_OK(gevt_stream_wrap(&own, subject_context, per_thread));
  return own;
}

static void wait_in_every_way(void) {
  size_t index = 7;
  gevt_stream_t own = own_stream();
  gevt_event_t mine = event_new();
  CHECK_STATUS(gevt_sync_timeout(event, 1), GEVT_ERROR_TIMEOUT);
  CHECK_STATUS(gevt_sync_any(&index, &event, 1, 1), GEVT_ERROR_TIMEOUT);
  CHECK_OK(gevt_stream_launch(own, count_up, &functions));
  CHECK_OK(gevt_record(mine, own));
  CHECK_OK(gevt_sync(mine));
  CHECK_OK(gevt_sync_any(&index, &mine, 1, UINT64_MAX));
  CHECK_OK(gevt_stream_sync(own));
  CHECK_OK(gevt_destroy(mine));
  CHECK_OK(gevt_stream_destroy(own));
}

/* Again in each round that the C library makes: in the first ones the thread's locals may still be there. */
static void at_thread_end(void *user) {
  wait_in_every_way();
  if (++rounds < ROUNDS) {
    CHECK_EQUAL(pthread_setspecific(key, user), 0);
    return;
  }
  count_up(&entered);
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_sync_all(&event, 1, UINT64_MAX));
  count_up(&done);
}

static void *end_with_data(void *user) {
  count_late_registrations();
  CHECK_OK(gevt_context_set_current(subject_context));
  if (user) wait_in_every_way();
  CHECK_EQUAL(pthread_setspecific(key, &key), 0);
  return NULL;
}

static void waits(void *user) {
  const gate_t closed = GATE_CLOSED;
  pthread_t thread;
  gate = closed;
  rounds = entered = done = functions = 0;
  stream = stream_new();
  event = event_new();
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(event, stream));
  thread = thread_start(end_with_data, user);
  while (count_of(&entered) == 0) sleep_ns(MILLISECOND / 10);
  CHECK_EQUAL(count_of(&done), 0);
  gate_open(&gate);
  thread_join(thread);
  CHECK_EQUAL(count_of(&done), 1);
  CHECK_EQUAL(count_of(&functions), user ? ROUNDS + 1 : ROUNDS);
  CHECK_EQUAL(late_registrations, 0);
}

static void waits_of_a_thread_that_made_no_call(void) {
  waits(NULL);
}

static void waits_of_a_thread_that_made_calls(void) {
  waits(&key);
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  CHECK_EQUAL(pthread_key_create(&key, at_thread_end), 0);
  RUN_ON_HOST(waits_of_a_thread_that_made_no_call);
  RUN_ON_HOST(waits_of_a_thread_that_made_calls);
  return subject_end();
}
