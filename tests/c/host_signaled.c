/* Events that the program completes itself: every way to wait hears of the signal, and of its failure; once a round.
   usage: host_signaled [host|cuda|vulkan] */
#include "objects.h"

enum { FAILURE = 719, FORMS = 6, THREADS = 8, ROUNDS = 200, GONE = GEVT_ERROR_CONTEXT_IS_DESTROYED };

static gevt_event_t signaled_new(void) {
  return event_with(GEVT_EVENT_HOST_SIGNALED);
}

static gevt_status_t answer_of(gevt_status_t expected) {
  return expected;
}

static void a_signal_completes_it(void) {
  gevt_event_t event = signaled_new();
  size_t index = 7;
  CHECK_NOT_READY(gevt_query(event));
  CHECK_FAILS(gevt_sync_timeout(event, 0), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  CHECK_FAILS(gevt_sync_timeout(event, MILLISECOND), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  CHECK_FAILS(gevt_sync_helping(event, MILLISECOND), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  CHECK_FAILS(gevt_sync_all(&event, 1, MILLISECOND), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  CHECK_FAILS(gevt_sync_any(&index, &event, 1, MILLISECOND), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  CHECK_EQUAL(event_info(event).state, GEVT_STATE_PENDING);
  CHECK_OK(gevt_signal(event, GEVT_SUCCESS));
  CHECK_OK(gevt_query(event));
  CHECK_OK(gevt_query(event));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_sync_all(&event, 1, 0));
  CHECK_OK(gevt_sync_any(&index, &event, 1, 0));
  CHECK_EQUAL(index, 0);
  CHECK_EQUAL(event_info(event).state, GEVT_STATE_COMPLETE);
  CHECK_OK(gevt_destroy(event));
}

static void what_is_refused(void) {
  gevt_event_t event = signaled_new(), plain = event_new(), out;
  gevt_stream_t stream = stream_new();
  pattern_fill(&out, sizeof out);
  CHECK_FAILS(gevt_record(event, stream), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_HOST_SIGNALED);
  CHECK_FAILS(gevt_record_with_flags(event, stream, GEVT_RECORD_DEFAULT), GEVT_ERROR_ILLEGAL_STATE,
              GEVT_DETAIL_HOST_SIGNALED);
  CHECK_FAILS(gevt_signal(event, GEVT_ERROR_NOT_READY), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_ARGUMENT);
  CHECK_FAILS(gevt_signal(event, GEVT_ERROR_TIMEOUT), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_ARGUMENT);
  CHECK_NOT_READY(gevt_query(event));
  CHECK_OK(gevt_signal(event, GEVT_SUCCESS));
  CHECK_FAILS(gevt_signal(event, GEVT_SUCCESS), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_HOST_SIGNALED);
  CHECK_FAILS(gevt_signal(event, FAILURE), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_HOST_SIGNALED);
  CHECK_OK(gevt_query(event));
  CHECK_FAILS(gevt_signal(plain, GEVT_SUCCESS), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_HOST_SIGNALED);
  CHECK_FAILS(gevt_reset(plain), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_HOST_SIGNALED);
  CHECK_FAILS(gevt_signal(NULL, GEVT_SUCCESS), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_NULL_HANDLE);
  CHECK_FAILS(gevt_reset(NULL), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_NULL_HANDLE);
  CHECK_FAILS(gevt_wrap(&out, NULL, &out, GEVT_EVENT_HOST_SIGNALED), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_FLAGS);
  if (!subject_is_host()) {
    CHECK_FAILS(gevt_create_in(&out, subject_context, GEVT_EVENT_HOST_SIGNALED), GEVT_ERROR_NOT_SUPPORTED,
                GEVT_DETAIL_UNSUPPORTED);
  }
  CHECK(pattern_intact(&out, sizeof out));
  CHECK_OK(gevt_destroy(event));
  CHECK_FAILS(gevt_signal(event, GEVT_SUCCESS), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  CHECK_FAILS(gevt_reset(event), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  CHECK_OK(gevt_destroy(plain));
  stream_finish(stream);
}

static void info_and_names(void) {
  gevt_event_t event = event_with(GEVT_EVENT_HOST_SIGNALED | GEVT_EVENT_DISABLE_TIMING);
  gevt_event_info_t info;
  CHECK_OK(gevt_set_name(event, "assets"));
  info = event_info(event);
  CHECK_EQUAL(info.flags, GEVT_EVENT_HOST_SIGNALED | GEVT_EVENT_DISABLE_TIMING);
  CHECK_EQUAL(info.backend, GEVT_BACKEND_HOST);
  CHECK_EQUAL(info.device, 0);
  CHECK(strcmp(info.name, "assets") == 0);
  CHECK_OK(gevt_signal(event, FAILURE));
  CHECK_EQUAL(event_info(event).state, GEVT_STATE_FAILED);
  CHECK_FAILS(gevt_query(event), FAILURE, GEVT_DETAIL_EVENT_FAILED);
  CHECK(strstr(gevt_last_message(), "assets") != NULL);
  CHECK_OK(gevt_reset(event));
  CHECK_EQUAL(event_info(event).state, GEVT_STATE_PENDING);
  CHECK_OK(gevt_reset(event));
  CHECK_OK(gevt_signal(event, GEVT_SUCCESS));
  CHECK_OK(gevt_query(event));
  CHECK_OK(gevt_reset(event));
  CHECK_NOT_READY(gevt_query(event));
  CHECK_OK(gevt_destroy(event));
}

static void its_time_is_the_signals(void) {
  gevt_event_t first = signaled_new(), second = signaled_new();
  int64_t ns = 0;
  long long before, after;
  CHECK_OK(gevt_signal(first, GEVT_SUCCESS));
  CHECK_NOT_READY(gevt_elapsed_ns(&ns, first, second));
  before = now_ns();
  sleep_ns(2 * MILLISECOND);
  after = now_ns();
  CHECK_OK(gevt_signal(second, GEVT_SUCCESS));
  CHECK_OK(gevt_elapsed_ns(&ns, first, second));
  CHECK(ns >= after - before);
  CHECK_OK(gevt_destroy(first));
  CHECK_OK(gevt_destroy(second));
}

/* A thread that waits in one of the forms. */
typedef struct waiter {
  gevt_event_t event;
  int form, tid;
  gevt_status_t status;
  pthread_t thread;
} waiter_t;

static void *waiter_body(void *user) {
  waiter_t *waiter = (waiter_t *)user;
  gevt_event_t twice[2];
  size_t index = 0;
  twice[0] = twice[1] = waiter->event;
  thread_publish(&waiter->tid);
  switch (waiter->form) {
  case 0:
    waiter->status = gevt_sync(waiter->event);
    break;
  case 1:
    waiter->status = gevt_sync_timeout(waiter->event, HANG_LIMIT);
    break;
  case 2:
    waiter->status = gevt_sync_all(twice, 2, HANG_LIMIT);
    break;
  case 3:
    waiter->status = gevt_sync_any(&index, twice, 2, HANG_LIMIT);
    break;
  case 4:
    waiter->status = gevt_sync_any(&index, twice, 1, GEVT_TIMEOUT_INFINITE);
    break;
  default:
    waiter->status = gevt_sync_helping(waiter->event, GEVT_TIMEOUT_INFINITE);
    break;
  }
  return NULL;
}

static void signal_it(gevt_event_t event, gevt_status_t status) {
  CHECK_OK(gevt_signal(event, status));
}

static void destroy_it(gevt_event_t event, gevt_status_t status) {
  CHECK_EQUAL(answer_of(status), GONE);
  CHECK_OK(gevt_destroy(event));
}

/* Threads, callbacks and streams wait; `end` ends that, and all of them get the status. */
static void all_hear(void (*end)(gevt_event_t, gevt_status_t), gevt_status_t status) {
  gevt_event_t event = signaled_new(), behind = event_new(), last = event_new();
  gevt_stream_t stream = stream_new(), other = stream_new();
  waiter_t waiters[FORMS];
  called_t called = {0, 0};
  int i;
  memset(waiters, 0, sizeof waiters);
  CHECK_OK(gevt_on_complete(event, called_with, &called));
  CHECK_OK(gevt_stream_wait(stream, event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(behind, stream));
  CHECK_OK(gevt_stream_wait(other, behind, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(last, other));
  for (i = 0; i < FORMS; i++) {
    waiters[i].event = event;
    waiters[i].form = i;
    waiters[i].thread = thread_start(waiter_body, &waiters[i]);
  }
  for (i = 0; i < FORMS; i++) CHECK(thread_await_parked(&waiters[i].tid));
  CHECK_NOT_READY(gevt_query(last));
  CHECK_EQUAL(count_of(&called.count), 0);
  end(event, status);
  for (i = 0; i < FORMS; i++) {
    thread_join(waiters[i].thread);
    if (!CHECK_EQUAL(waiters[i].status, status)) printf("    form %d\n", i);
  }
  CHECK(count_await(&called.count, 1));
  CHECK_EQUAL(called.status, status);
  CHECK_STATUS(gevt_sync(last), status);
  CHECK_STATUS(gevt_query(behind), status);
  CHECK_STATUS(gevt_stream_sync(stream), status);
  CHECK_STATUS(gevt_stream_sync(other), status);
  /* Its failure has been returned, and what comes now is sound again. */
  CHECK_OK(gevt_record(last, other));
  CHECK_OK(gevt_sync(last));
  CHECK_EQUAL(count_of(&called.count), 1);
  if (end == signal_it) CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_destroy(behind));
  CHECK_OK(gevt_destroy(last));
  stream_finish(stream);
  stream_finish(other);
}

static void all_hear_of_a_signal(void) {
  all_hear(signal_it, GEVT_SUCCESS);
}

static void all_hear_of_a_failure(void) {
  all_hear(signal_it, FAILURE);
  all_hear(signal_it, -5);
}

static void all_hear_of_the_end(void) {
  all_hear(destroy_it, GONE);
}

/* A wait keeps the signal that it was issued for. */
static void waits_keep_their_signal(void) {
  gevt_event_t event = signaled_new(), first = event_new(), second = event_new();
  gevt_stream_t one = stream_new(), other = stream_new();
  CHECK_OK(gevt_stream_wait(one, event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(first, one));
  CHECK_OK(gevt_signal(event, FAILURE));
  CHECK_OK(gevt_reset(event));
  CHECK_OK(gevt_stream_wait(other, event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(second, other));
  CHECK_STATUS(gevt_sync(first), FAILURE);
  CHECK_NOT_READY(gevt_query(second));
  CHECK_OK(gevt_signal(event, GEVT_SUCCESS));
  CHECK_OK(gevt_sync(second));
  CHECK_STATUS(gevt_query(first), FAILURE);
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_destroy(first));
  CHECK_OK(gevt_destroy(second));
  CHECK_STATUS(gevt_stream_sync(one), FAILURE);
  stream_finish(one);
  stream_finish(other);
}

/* A wait for an event that has failed already is refused, and the stream stays as it was. */
static void a_failed_event_is_no_wait(void) {
  gevt_event_t event = signaled_new();
  gevt_stream_t stream = stream_new();
  CHECK_OK(gevt_signal(event, FAILURE));
  CHECK_FAILS(gevt_stream_wait(stream, event, GEVT_WAIT_DEFAULT), FAILURE, GEVT_DETAIL_EVENT_FAILED);
  CHECK_FAILS(gevt_on_complete(event, called_with, NULL), FAILURE, GEVT_DETAIL_EVENT_FAILED);
  CHECK_OK(gevt_stream_sync(stream));
  CHECK_OK(gevt_reset(event));
  CHECK_OK(gevt_signal(event, GEVT_SUCCESS));
  CHECK_OK(gevt_stream_wait(stream, event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
}

static void signal_from_callback(void *user, gevt_status_t status) {
  CHECK_OK(gevt_signal((gevt_event_t)user, status));
}

static void signal_from_function(void *user) {
  CHECK_OK(gevt_signal((gevt_event_t)user, GEVT_SUCCESS));
}

static void from_callbacks_and_functions(void) {
  gevt_event_t first = signaled_new(), second = signaled_new(), third = signaled_new();
  gevt_stream_t stream = stream_new();
  CHECK_OK(gevt_on_complete(first, signal_from_callback, second));
  if (subject_is_cuda()) {
    CHECK_OK(gevt_signal(third, GEVT_SUCCESS));
  } else {
    CHECK_OK(gevt_stream_launch(stream, signal_from_function, third));
  }
  CHECK_OK(gevt_sync(third));
  CHECK_OK(gevt_signal(first, FAILURE));
  CHECK_STATUS(gevt_sync(second), FAILURE);
  CHECK_OK(gevt_destroy(first));
  CHECK_OK(gevt_destroy(second));
  CHECK_OK(gevt_destroy(third));
  stream_finish(stream);
}

/* Threads that signal, reset, wait for and destroy the same event. */
typedef struct crowd {
  gevt_event_t event;
  pthread_barrier_t barrier;
  int signals, destroys;
} crowd_t;

static void *crowd_signals(void *user) {
  crowd_t *crowd = (crowd_t *)user;
  int round;
  for (round = 0; round < ROUNDS; round++) {
    pthread_barrier_wait(&crowd->barrier);
    if (gevt_signal(crowd->event, GEVT_SUCCESS) == GEVT_SUCCESS) count_up(&crowd->signals);
    CHECK_OK(gevt_sync(crowd->event));
    pthread_barrier_wait(&crowd->barrier);
  }
  return NULL;
}

static void one_of_many_signals(void) {
  crowd_t crowd;
  pthread_t threads[THREADS];
  int i, round;
  crowd.event = signaled_new();
  crowd.signals = 0;
  pthread_barrier_init(&crowd.barrier, NULL, THREADS + 1);
  for (i = 0; i < THREADS; i++) threads[i] = thread_start(crowd_signals, &crowd);
  for (round = 0; round < ROUNDS; round++) {
    pthread_barrier_wait(&crowd.barrier);
    pthread_barrier_wait(&crowd.barrier);
    CHECK_EQUAL(count_of(&crowd.signals), round + 1);
    /* Nobody signals until the next round: the threads wait at the barrier. */
    CHECK_OK(gevt_reset(crowd.event));
  }
  for (i = 0; i < THREADS; i++) thread_join(threads[i]);
  pthread_barrier_destroy(&crowd.barrier);
  CHECK_OK(gevt_destroy(crowd.event));
}

static void *crowd_ends(void *user) {
  crowd_t *crowd = (crowd_t *)user;
  pthread_barrier_wait(&crowd->barrier);
  if (gevt_signal(crowd->event, GEVT_SUCCESS) == GEVT_SUCCESS) count_up(&crowd->signals);
  if (gevt_destroy(crowd->event) == GEVT_SUCCESS) count_up(&crowd->destroys);
  return NULL;
}

static void destroyed_while_it_is_signaled(void) {
  int round;
  for (round = 0; round < ROUNDS; round++) {
    crowd_t crowd;
    called_t called = {0, 0};
    pthread_t threads[3];
    gevt_event_t behind = event_new();
    gevt_stream_t stream = stream_new();
    gevt_status_t status;
    int i;
    crowd.event = signaled_new();
    crowd.signals = crowd.destroys = 0;
    CHECK_OK(gevt_on_complete(crowd.event, called_with, &called));
    CHECK_OK(gevt_stream_wait(stream, crowd.event, GEVT_WAIT_DEFAULT));
    CHECK_OK(gevt_record(behind, stream));
    pthread_barrier_init(&crowd.barrier, NULL, 3);
    for (i = 0; i < 3; i++) threads[i] = thread_start(crowd_ends, &crowd);
    for (i = 0; i < 3; i++) thread_join(threads[i]);
    pthread_barrier_destroy(&crowd.barrier);
    CHECK_EQUAL(crowd.destroys, 1);
    CHECK(count_await(&called.count, 1));
    status = crowd.signals ? GEVT_SUCCESS : (gevt_status_t)GONE;
    CHECK_EQUAL(called.status, status);
    CHECK_STATUS(gevt_sync(behind), status);
    CHECK_OK(gevt_destroy(behind));
    CHECK_STATUS(gevt_stream_sync(stream), status);
    CHECK_OK(gevt_stream_destroy(stream));
  }
}

/* However often waits of a stream fail, what came between them has not failed. */
static void failures_stay_with_their_waits(void) {
  enum { FAILURES = 200 };
  static gevt_event_t sound[FAILURES], failed[FAILURES];
  gevt_stream_t stream = stream_new();
  gevt_event_t good = signaled_new(), bad = signaled_new();
  int i;
  for (i = 0; i < FAILURES; i++) {
    sound[i] = event_with(GEVT_EVENT_DISABLE_TIMING);
    failed[i] = event_with(GEVT_EVENT_DISABLE_TIMING);
    CHECK_OK(gevt_stream_wait(stream, good, GEVT_WAIT_DEFAULT));
    CHECK_OK(gevt_record(sound[i], stream));
    CHECK_OK(gevt_stream_wait(stream, bad, GEVT_WAIT_DEFAULT));
    CHECK_OK(gevt_record(failed[i], stream));
    CHECK_OK(gevt_signal(good, GEVT_SUCCESS));
    CHECK_OK(gevt_signal(bad, FAILURE));
    CHECK_EQUAL(gevt_stream_sync(stream), FAILURE);
    CHECK_OK(gevt_reset(good));
    CHECK_OK(gevt_reset(bad));
  }
  for (i = 0; i < FAILURES; i++) {
    CHECK_OK(gevt_query(sound[i]));
    CHECK_EQUAL(gevt_query(failed[i]), FAILURE);
    CHECK_OK(gevt_destroy(sound[i]));
    CHECK_OK(gevt_destroy(failed[i]));
  }
  CHECK_OK(gevt_destroy(good));
  CHECK_OK(gevt_destroy(bad));
  stream_finish(stream);
}

static void nothing(void *user) {
  (void)user;
}

/* A stream waits for a signal that fails, and a program learns of that. Something sound comes before. */
static void fail_once(gevt_stream_t stream, gevt_event_t bad, gevt_event_t behind) {
  CHECK_OK(gevt_stream_launch(stream, nothing, NULL));
  CHECK_OK(gevt_stream_wait(stream, bad, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(behind, stream));
  CHECK_OK(gevt_signal(bad, FAILURE));
  CHECK_EQUAL(gevt_stream_sync(stream), FAILURE);
  CHECK_OK(gevt_reset(bad));
}

/* A failed record is remembered as long as an event has it or a stream waits for it, even if the stream fails often afterwards. */
static void failures_are_remembered(void) {
  enum { LIVE = 3 };
  const int failures = subject_is_host() ? 20000 : 300;
  gevt_stream_t stream = stream_new(), waiting = stream_new();
  gevt_event_t bad = signaled_new(), gate = signaled_new(), live[LIVE], again = event_with(GEVT_EVENT_DISABLE_TIMING);
  gevt_event_t sound = event_with(GEVT_EVENT_DISABLE_TIMING), behind = event_with(GEVT_EVENT_DISABLE_TIMING);
  int i;
  for (i = 0; i < LIVE; i++) {
    live[i] = event_with(i % 2 ? GEVT_EVENT_DEFAULT : GEVT_EVENT_DISABLE_TIMING);
    fail_once(stream, bad, live[i]);
  }
  CHECK_OK(gevt_record(sound, stream));
  CHECK_OK(gevt_stream_wait(stream, bad, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(again, stream));
  CHECK_OK(gevt_stream_wait(waiting, gate, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_stream_wait(waiting, again, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(behind, waiting));
  CHECK_OK(gevt_signal(bad, FAILURE));
  CHECK_EQUAL(gevt_stream_sync(stream), FAILURE);
  CHECK_OK(gevt_reset(bad));
  for (i = 0; i < failures; i++) fail_once(stream, bad, again);
  for (i = 0; i < LIVE; i++) {
    CHECK_EQUAL(gevt_query(live[i]), FAILURE);
    CHECK_EQUAL(gevt_sync(live[i]), FAILURE);
  }
  CHECK_OK(gevt_query(sound));
  CHECK_OK(gevt_signal(gate, GEVT_SUCCESS));
  CHECK_EQUAL(gevt_sync(behind), FAILURE);
  CHECK_EQUAL(gevt_stream_sync(waiting), FAILURE);
  for (i = 0; i < LIVE; i++) CHECK_OK(gevt_destroy(live[i]));
  CHECK_OK(gevt_destroy(bad));
  CHECK_OK(gevt_destroy(gate));
  CHECK_OK(gevt_destroy(again));
  CHECK_OK(gevt_destroy(sound));
  CHECK_OK(gevt_destroy(behind));
  stream_finish(waiting);
  stream_finish(stream);
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN(a_signal_completes_it);
  RUN(what_is_refused);
  RUN(info_and_names);
  RUN(its_time_is_the_signals);
  RUN(from_callbacks_and_functions);
  RUN(one_of_many_signals);
  RUN(all_hear_of_a_signal);
  RUN(all_hear_of_a_failure);
  RUN(all_hear_of_the_end);
  RUN(waits_keep_their_signal);
  RUN(a_failed_event_is_no_wait);
  RUN(destroyed_while_it_is_signaled);
  if (!subject_is_cuda()) RUN(failures_stay_with_their_waits);
  if (!subject_is_cuda()) RUN(failures_are_remembered);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
