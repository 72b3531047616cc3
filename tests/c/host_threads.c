/* How many functions run at once on gevt's threads: at most gevt_host_get_threads() that compute, in addition to those that
   sleep.
   usage: host_threads [host|cuda] [what a child is to find] */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "objects.h"
#include "child.h"
#include "cpu.h"

#include <sched.h>
#include <sys/resource.h>

enum { STREAMS = 8, MOST_THREADS = 1024 };

/* Functions count themselves, so no test depends on a clock. `pause` is the longest time, in milliseconds, for which one of them had no
   core. */
typedef struct inside {
  int now, most, ended, pause;
} inside_t;

static void raise_to(int *most, int count) {
  int seen = count_of(most);
  while (count > seen && !__atomic_compare_exchange_n(most, &seen, count, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {}
}

static void inside_enter(inside_t *inside) {
  raise_to(&inside->most, __atomic_add_fetch(&inside->now, 1, __ATOMIC_SEQ_CST));
}

static void inside_leave(inside_t *inside) {
  __atomic_sub_fetch(&inside->now, 1, __ATOMIC_SEQ_CST);
  count_up(&inside->ended);
}

/* Without a descriptor gevt takes a function for asleep that uses no time for 100 ms. One that had to wait for a core nearly as long says
   nothing about that. */
static int has_descriptors = 1;

static void check_most(const inside_t *inside, int threads) {
  if (!has_descriptors && inside->pause > 40)
    printf("SKIPPED: the number of functions at once without descriptors: one waited %d ms for a core\n",
           inside->pause);
  else
    CHECK(inside->most <= threads);
}

/* Uses so much time of a core; returns the longest pause. */
static long long spin_ns(long long ns) {
  long long start = thread_cpu_ns(), last = now_ns(), longest = 0;
  while (thread_cpu_ns() - start < ns) {
    long long now = now_ns();
    if (now - last > longest) longest = now - last;
    last = now;
  }
  return longest;
}

static void compute(void *user) {
  inside_t *inside = (inside_t *)user;
  inside_enter(inside);
  raise_to(&inside->pause, (int)(spin_ns(20 * MILLISECOND) / MILLISECOND));
  inside_leave(inside);
}

static uint32_t threads_now(void) {
  uint32_t threads = 0;
  CHECK_OK(gevt_host_get_threads(&threads));
  return threads;
}

static void streams_start(gevt_stream_t *streams, int count, int functions, gevt_host_fn_t function, void *user) {
  int i, j;
  for (i = 0; i < count; i++) {
    streams[i] = stream_new();
    for (j = 0; j < functions; j++) CHECK_OK(gevt_stream_launch(streams[i], function, user));
  }
}

static void streams_finish(gevt_stream_t *streams, int count) {
  int i;
  for (i = 0; i < count; i++) stream_finish(streams[i]);
}

static void computing_functions_keep_to_the_number(void) {
  uint32_t threads;
  for (threads = 1; threads <= 3; threads++) {
    gevt_stream_t streams[STREAMS];
    inside_t inside = {0, 0, 0, 0};
    CHECK_OK(gevt_host_set_threads(threads));
    CHECK_EQUAL(threads_now(), threads);
    streams_start(streams, STREAMS, 2, compute, &inside);
    streams_finish(streams, STREAMS);
    CHECK_EQUAL(inside.ended, 2 * STREAMS);
    printf("%u threads: at most %d computed at once\n", threads, inside.most);
    check_most(&inside, (int)threads);
  }
  CHECK_OK(gevt_host_set_threads(0));
}

/* Twice as many functions sleep, in the kernel and in gevt, as there are permits: computing ones still run, within the
   limit. */
typedef struct waiting {
  gevt_event_t event;
  int done;
} waiting_t;

static void wait_for_event(void *user) {
  waiting_t *waiting = (waiting_t *)user;
  CHECK_OK(gevt_sync(waiting->event));
  count_up(&waiting->done);
}

static void sleeping_functions_give_their_places_up(void) {
  gevt_stream_t source = stream_new(), asleep[STREAMS], waiting[STREAMS], streams[STREAMS];
  static gate_t gates[STREAMS];
  const gate_t closed = GATE_CLOSED;
  gate_t gate = GATE_CLOSED;
  waiting_t waits = {NULL, 0};
  inside_t inside = {0, 0, 0, 0};
  int i;
  CHECK_OK(gevt_host_set_threads(2));
  waits.event = event_new();
  gate_close(&gate, source);
  CHECK_OK(gevt_record(waits.event, source));
  for (i = 0; i < STREAMS; i++) {
    gates[i] = closed;
    asleep[i] = stream_new();
    gate_close(&gates[i], asleep[i]);
  }
  streams_start(waiting, STREAMS, 1, wait_for_event, &waits);
  streams_start(streams, STREAMS, 1, compute, &inside);
  streams_finish(streams, STREAMS);
  CHECK_EQUAL(inside.ended, STREAMS);
  check_most(&inside, 2);
  CHECK_EQUAL(count_of(&waits.done), 0);
  gate_open(&gate);
  streams_finish(waiting, STREAMS);
  CHECK_EQUAL(waits.done, STREAMS);
  for (i = 0; i < STREAMS; i++) gate_open(&gates[i]);
  streams_finish(asleep, STREAMS);
  stream_finish(source);
  CHECK_OK(gevt_destroy(waits.event));
  CHECK_OK(gevt_host_set_threads(0));
}

/* A wait ends when its event has completed, even while all permits are in use. */
typedef struct wakened {
  gevt_event_t event;
  int waits, spins, ended;
} wakened_t;

static void wait_until_signaled(void *user) {
  wakened_t *wakened = (wakened_t *)user;
  count_up(&wakened->waits);
  CHECK_OK(gevt_sync(wakened->event));
  count_up(&wakened->ended);
}

static void spin_until_wait_ends(void *user) {
  wakened_t *wakened = (wakened_t *)user;
  long long deadline = now_ns() + HANG_LIMIT;
  count_up(&wakened->spins);
  while (!count_of(&wakened->ended) && now_ns() < deadline) {}
  CHECK_EQUAL(count_of(&wakened->ended), 1);
}

static void a_wait_ends_while_others_compute(void) {
  wakened_t wakened = {event_with(GEVT_EVENT_HOST_SIGNALED), 0, 0, 0};
  gevt_stream_t waiting = stream_new(), spinning = stream_new();
  CHECK_OK(gevt_host_set_threads(1));
  CHECK_OK(gevt_stream_launch(waiting, wait_until_signaled, &wakened));
  CHECK(count_await(&wakened.waits, 1));
  CHECK_OK(gevt_stream_launch(spinning, spin_until_wait_ends, &wakened));
  CHECK(count_await(&wakened.spins, 1));
  CHECK_OK(gevt_signal(wakened.event, GEVT_SUCCESS));
  stream_finish(spinning);
  stream_finish(waiting);
  CHECK_OK(gevt_destroy(wakened.event));
  CHECK_OK(gevt_host_set_threads(0));
}

/* No file can be opened: gevt still distinguishes computing functions from sleeping ones. */
static void no_descriptor_is_needed(void) {
  struct rlimit before, none;
  CHECK_EQUAL(getrlimit(RLIMIT_NOFILE, &before), 0);
  none = before;
  none.rlim_cur = 0;
  CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &none), 0);
  has_descriptors = 0;
  computing_functions_keep_to_the_number();
  sleeping_functions_give_their_places_up();
  has_descriptors = 1;
  CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &before), 0);
}

/* A function that spins until enough others are inside: raising the limit ends it at once. */
typedef struct meeting {
  inside_t inside;
  int wanted, met;
} meeting_t;

static void meet(void *user) {
  meeting_t *meeting = (meeting_t *)user;
  inside_enter(&meeting->inside);
  while (count_of(&meeting->inside.now) < meeting->wanted && !count_of(&meeting->met)) {}
  __atomic_store_n(&meeting->met, 1, __ATOMIC_SEQ_CST);
  inside_leave(&meeting->inside);
}

static void the_number_goes_up_and_down(void) {
  gevt_stream_t streams[4];
  meeting_t meeting;
  inside_t inside = {0, 0, 0, 0};
  memset(&meeting, 0, sizeof meeting);
  meeting.wanted = 4;
  CHECK_OK(gevt_host_set_threads(1));
  streams_start(streams, 4, 1, meet, &meeting);
  CHECK(count_await(&meeting.inside.now, 1));
  CHECK_EQUAL(count_of(&meeting.inside.most), 1);
  CHECK_OK(gevt_host_set_threads(3));
  CHECK(count_await(&meeting.inside.now, 3));
  CHECK_EQUAL(count_of(&meeting.inside.most), 3);
  CHECK_OK(gevt_host_set_threads(4));
  streams_finish(streams, 4);
  CHECK_EQUAL(meeting.inside.most, 4);
  CHECK_OK(gevt_host_set_threads(1));
  streams_start(streams, 4, 4, compute, &inside);
  streams_finish(streams, 4);
  CHECK_EQUAL(inside.ended, 16);
  check_most(&inside, 1);
  CHECK_OK(gevt_host_set_threads(0));
}

/* Threads are left over from a greater number, as many as functions may sleep. They are idle: one function that sleeps gives its place up
   nevertheless. */
typedef struct crowd {
  gate_t gate;
  int inside;
} crowd_t;

static void crowd_join(void *user) {
  crowd_t *crowd = (crowd_t *)user;
  count_up(&crowd->inside);
  gate_pass(&crowd->gate);
}

static void idle_threads_are_not_asleep(void) {
  static gevt_stream_t streams[MOST_THREADS];
  static crowd_t crowd = {GATE_CLOSED, 0};
  gevt_stream_t asleep = stream_new(), other = stream_new();
  gate_t gate = GATE_CLOSED;
  int counter = 0;
  CHECK_OK(gevt_host_set_threads(MOST_THREADS));
  streams_start(streams, MOST_THREADS, 1, crowd_join, &crowd);
  CHECK(count_await(&crowd.inside, MOST_THREADS));
  gate_open(&crowd.gate);
  streams_finish(streams, MOST_THREADS);
  CHECK_OK(gevt_host_set_threads(1));
  gate_close(&gate, asleep);
  CHECK_OK(gevt_stream_launch(other, count_up, &counter));
  stream_finish(other);
  CHECK_EQUAL(counter, 1);
  gate_open(&gate);
  stream_finish(asleep);
  CHECK_OK(gevt_host_set_threads(0));
}

static void set_from_a_function(void *user) {
  (void)user;
  CHECK_OK(gevt_host_set_threads(5));
  CHECK_EQUAL(threads_now(), 5);
}

static void arguments_are_checked(void) {
  uint32_t threads = threads_now();
  gevt_stream_t stream = stream_new();
  CHECK(threads >= 1 && threads <= MOST_THREADS);
  CHECK_FAILS(gevt_host_get_threads(NULL), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_host_set_threads(MOST_THREADS + 1), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_ARGUMENT);
  CHECK_FAILS(gevt_host_set_threads(UINT32_MAX), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_ARGUMENT);
  CHECK_EQUAL(threads_now(), threads);
  CHECK_OK(gevt_host_set_threads(MOST_THREADS));
  CHECK_EQUAL(threads_now(), MOST_THREADS);
  CHECK_OK(gevt_stream_launch(stream, set_from_a_function, NULL));
  stream_finish(stream);
  CHECK_OK(gevt_host_set_threads(0));
  CHECK_EQUAL(threads_now(), threads);
}

static int warnings;

static void count_warning(void *user, gevt_log_level_t level, const char *message) {
  if (level == GEVT_LOG_WARN && strstr(message, "GEVT_HOST_THREADS")) count_up(user);
}

/* The child: `what` is the number to find, and whether a warning is due. */
static int find(const char *what) {
  int expected = 0, warned = 0;
  subject_case(what);
  if (strcmp(what, "one core") == 0) {
    cpu_set_t cores;
    int core = 0;
    CHECK(sched_getaffinity(0, sizeof cores, &cores) == 0);
    while (!CPU_ISSET(core, &cores)) core++;
    CPU_ZERO(&cores);
    CPU_SET(core, &cores);
    CHECK(sched_setaffinity(0, sizeof cores, &cores) == 0);
    expected = 1;
  } else {
    CHECK(sscanf(what, "%d,%d", &expected, &warned) == 2);
  }
  CHECK_EQUAL(threads_now(), expected);
  CHECK_EQUAL(warnings, warned);
  CHECK_OK(gevt_host_set_threads(7));
  CHECK_OK(gevt_host_set_threads(0));
  CHECK_EQUAL(threads_now(), expected);
  CHECK_EQUAL(warnings, warned);
  return subject_end();
}

static void expect(const char *value, uint32_t threads, int warned) {
  char what[32];
  snprintf(what, sizeof what, "%u,%d", threads, warned);
  setenv("GEVT_HOST_THREADS", value, 1);
  if (!CHECK_EQUAL(child_run_self("host", what), 0)) printf("    GEVT_HOST_THREADS=%s\n", value);
  unsetenv("GEVT_HOST_THREADS");
}

static void the_environment_has_a_say(void) {
  uint32_t threads;
  unsetenv("GEVT_HOST_THREADS");
  CHECK_OK(gevt_host_set_threads(0));
  threads = threads_now();
  expect("1", 1, 0);
  expect("11", 11, 0);
  expect("1024", MOST_THREADS, 0);
  expect("0", threads, 1);
  expect("1025", threads, 1);
  expect("-1", threads, 1);
  expect("99999999999999999999", threads, 1);
  expect("2 threads", threads, 1);
  expect("", threads, 1);
  CHECK_EQUAL(child_run_self("host", "one core"), 0);
}

int main(int argc, char **argv) {
  if (argc > 2) {
    char *arguments[2];
    arguments[0] = argv[0];
    arguments[1] = argv[1];
    /* The first use of gevt says what is wrong with the environment. */
    CHECK_OK(gevt_set_log_callback(count_warning, &warnings, GEVT_LOG_WARN));
    subject_begin(2, arguments);
    return find(argv[2]);
  }
  subject_begin(argc, argv);
  RUN_ON_HOST(arguments_are_checked);
  RUN_ON_HOST(the_environment_has_a_say);
  RUN_ON_HOST(computing_functions_keep_to_the_number);
  RUN_ON_HOST(sleeping_functions_give_their_places_up);
  RUN_ON_HOST(a_wait_ends_while_others_compute);
  RUN_ON_HOST(no_descriptor_is_needed);
  RUN_ON_HOST(the_number_goes_up_and_down);
  RUN_ON_HOST(idle_threads_are_not_asleep);
  return subject_end();
}
