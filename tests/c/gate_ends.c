/* How a wait across backends ends that the signal no longer ends in the ordinary way: contexts that are closed, threads that end, a context
   that breaks, the process that exits. No stream stays behind a closed gate.
   usage: gate_ends [host|cuda|vulkan]     on cuda and vulkan: that backend, and the others */
#include "backends.h"
#include "child.h"

enum { EXIT_CODE = 3, FAILED_CODE = 99, BROKEN = 719 };

/* A stream that waits for an event of another one, which waits for the program. */
typedef struct closed {
  gevt_event_t held, first, second;
  gevt_stream_t source, stream;
} closed_t;

static closed_t closed_between(gevt_context_t from, gevt_context_t to) {
  closed_t closed;
  closed.held = event_with(GEVT_EVENT_HOST_SIGNALED);
  closed.first = event_with(GEVT_EVENT_DISABLE_TIMING);
  closed.second = event_with(GEVT_EVENT_DISABLE_TIMING);
  closed.source = stream_in(from, GEVT_STREAM_NON_BLOCKING);
  closed.stream = stream_in(to, GEVT_STREAM_NON_BLOCKING);
  CHECK_OK(gevt_stream_wait(closed.source, closed.held, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(closed.first, closed.source));
  CHECK_OK(gevt_stream_wait(closed.stream, closed.first, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(closed.second, closed.stream));
  CHECK_NOT_READY(gevt_query(closed.second));
  return closed;
}

/* Its handles end, but for the event behind both gates. */
static void end_handles(closed_t *closed) {
  CHECK_OK(gevt_stream_destroy(closed->source));
  CHECK_OK(gevt_stream_destroy(closed->stream));
  CHECK_OK(gevt_destroy(closed->first));
}

static gevt_context_t opened_again(const backend_t *backend) {
  gevt_context_t context = NULL;
  CHECK_OK(gevt_context_open(&context, backend->number, 0));
  return context;
}

/* Nothing is left but the gates: the contexts end while they are closed. */
static void nothing_left(const backend_t *from, const backend_t *to) {
  gevt_context_t source = opened_again(from), waiting = opened_again(to);
  closed_t closed = closed_between(source, waiting);
  end_handles(&closed);
  CHECK_OK(gevt_destroy(closed.second));
  CHECK_OK(gevt_context_close(source));
  CHECK_OK(gevt_context_close(waiting));
  CHECK_OK(gevt_destroy(closed.held));
}

static void contexts_end(void) {
  int i;
  /* The contexts' only handles are those of the cases. */
  for (i = 0; i < BACKENDS; i++) {
    if (backends[i].context) CHECK_OK(gevt_context_close(backends[i].context));
  }
  for_each_pair(nothing_left);
  for (i = 0; i < BACKENDS; i++) {
    if (backends[i].context) backends[i].context = opened_again(&backends[i]);
  }
}

/* A thread that makes the event, waits on its own stream for it, and ends. */
typedef struct leaver {
  gevt_context_t context;
  gevt_event_t held, second;
} leaver_t;

static void *leave(void *user) {
  leaver_t *leaver = (leaver_t *)user;
  gevt_stream_t own = NULL;
  /* 2: the calling thread's own stream. */
  CHECK_OK(gevt_stream_wrap(&own, leaver->context, (void *)2));
  leaver->held = event_with(GEVT_EVENT_HOST_SIGNALED);
  leaver->second = event_with(GEVT_EVENT_DISABLE_TIMING);
  CHECK_OK(gevt_stream_wait(own, leaver->held, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(leaver->second, own));
  CHECK_NOT_READY(gevt_query(leaver->second));
  CHECK_OK(gevt_stream_destroy(own));
  return NULL;
}

static void threads_end(void) {
  int i, fails;
  for (i = 0; i < BACKENDS; i++) {
    for (fails = 0; fails < 2; fails++) {
      leaver_t leaver;
      pthread_t thread;
      if (!backends[i].context) continue;
      leaver.context = backends[i].context;
      if (!CHECK_EQUAL(pthread_create(&thread, NULL, leave, &leaver), 0)) return;
      CHECK_EQUAL(pthread_join(thread, NULL), 0);
      CHECK_NOT_READY(gevt_query(leaver.second));
      CHECK_OK(gevt_signal(leaver.held, fails ? BROKEN : GEVT_SUCCESS));
      CHECK_STATUS(gevt_sync(leaver.second), fails ? BROKEN : GEVT_SUCCESS);
      CHECK_OK(gevt_destroy(leaver.held));
      CHECK_OK(gevt_destroy(leaver.second));
    }
  }
}

/* A CUDA context with an unrecoverable error: waiters for its events are notified, and its gates harm no other context. */
static void a_context_breaks(void) {
  void (*break_driver)(unsigned) = NULL;
  void *symbol = strict_symbol("strict_break");
  closed_t from, to;
  memcpy(&break_driver, &symbol, sizeof symbol);
  if (!break_driver || !backends[1].context) return;
  from = closed_between(backends[1].context, backends[0].context);
  to = closed_between(backends[0].context, backends[1].context);
  break_driver(BROKEN);
  CHECK_STATUS(gevt_sync(from.second), BROKEN);
  CHECK_STATUS(gevt_sync(from.first), BROKEN);
  CHECK_STATUS(gevt_sync(to.second), BROKEN);
  CHECK_STATUS(gevt_stream_wait(to.stream, from.held, GEVT_WAIT_DEFAULT), BROKEN);
  CHECK_STATUS(gevt_stream_wait(from.stream, from.first, GEVT_WAIT_DEFAULT), BROKEN);
  CHECK_STATUS(gevt_stream_sync(from.stream), BROKEN);
  CHECK_OK(gevt_stream_sync(from.stream));
  CHECK_OK(gevt_signal(to.held, GEVT_SUCCESS));
  CHECK_OK(gevt_sync(to.first));
  CHECK_OK(gevt_destroy(from.held));
  CHECK_STATUS(gevt_query(from.second), BROKEN);
  end_handles(&from);
  end_handles(&to);
  CHECK_OK(gevt_destroy(from.second));
  CHECK_OK(gevt_destroy(to.second));
  CHECK_OK(gevt_destroy(to.held));
}

static void leave_closed(const backend_t *from, const backend_t *to) {
  (void)closed_between(from->context, to->context);
}

/* The driver is torn down with closed gates in its queues. */
static void the_process_exits(void) {
  CHECK_EQUAL(child_run_self(subject_name(), "child"), EXIT_CODE);
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  backends_open();
  if (argc > 2) {
    for_each_pair(leave_closed);
    exit(check_failures() ? FAILED_CODE : EXIT_CODE);
  }
  RUN(contexts_end);
  RUN(threads_end);
  RUN(the_process_exits);
  RUN(a_context_breaks);
  backends_close();
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
