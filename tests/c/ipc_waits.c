/* Waiting for the records of another process: waiters are woken, and wait for the record that they saw, even if the event is
   recorded again.
   usage: ipc_waits [host|cuda] */
#include "peer.h"

#include "median.h"

/* The four forms of waiting begin before the record is done, and all of them hear of it. */
typedef struct waiter {
  gevt_event_t event;
  int form;
  int tid;
} waiter_t;

static void *waiter_body(void *user) {
  waiter_t *waiter = (waiter_t *)user;
  CHECK_OK(gevt_context_set_current(subject_context));
  thread_publish(&waiter->tid);
  CHECK_OK(event_await(waiter->event, waiter->form));
  return NULL;
}

static void waiting_threads_are_woken(void) {
  peer_t peer = peer_start();
  gevt_event_t event = event_imported(&peer, 0);
  waiter_t waiters[4];
  pthread_t threads[4];
  int called = 0, i;
  CHECK_OK(peer_ask(&peer, PEER_BLOCK, 0, 0));
  CHECK_OK(peer_ask(&peer, PEER_RECORD, 0, 0));
  CHECK_OK(gevt_on_complete(event, count_call, &called));
  for (i = 0; i < 4; i++) {
    waiters[i].event = event;
    waiters[i].form = i;
    waiters[i].tid = 0;
    threads[i] = thread_start(waiter_body, &waiters[i]);
  }
  for (i = 0; subject_is_host() && i < 4; i++) CHECK(thread_await_parked(&waiters[i].tid));
  CHECK_OK(peer_ask(&peer, PEER_UNBLOCK, 0, 0));
  for (i = 0; i < 4; i++) thread_join(threads[i]);
  CHECK(count_await(&called, 1));
  CHECK_OK(gevt_destroy(event));
  peer_finish(&peer);
}

/* A thread that sleeps until an event completes, or a stream that waits for it. */
typedef struct sleeper {
  gevt_event_t event;
  gevt_stream_t stream;
  int tid;
} sleeper_t;

static void *sleeper_body(void *user) {
  sleeper_t *sleeper = (sleeper_t *)user;
  CHECK_OK(gevt_context_set_current(subject_context));
  thread_publish(&sleeper->tid);
  CHECK_OK(sleeper->stream ? gevt_stream_sync(sleeper->stream) : gevt_sync(sleeper->event));
  return NULL;
}

/* How long such a thread of this process takes to hear of a record, as busy as the machine is. */
static long long wake_here(gevt_stream_t stream, int by_stream) {
  gate_t gate = GATE_CLOSED;
  sleeper_t sleeper = {event_new(), by_stream ? stream_new() : NULL, 0};
  pthread_t thread;
  long long began;
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(sleeper.event, stream));
  if (by_stream) CHECK_OK(gevt_stream_wait(sleeper.stream, sleeper.event, GEVT_WAIT_DEFAULT));
  thread = thread_start(sleeper_body, &sleeper);
  if (subject_is_host()) CHECK(thread_await_parked(&sleeper.tid));
  sleep_ns(3 * MILLISECOND);
  began = now_ns();
  gate_open(&gate);
  thread_join(thread);
  began = now_ns() - began;
  if (by_stream) stream_finish(sleeper.stream);
  CHECK_OK(gevt_stream_sync(stream));
  CHECK_OK(gevt_destroy(sleeper.event));
  return began;
}

/* A sleeping process is woken by the record, and does not find it by polling: it takes hardly longer than a thread of this process
   that is woken by a record. On a busy machine both take long, and a tool that watches takes its own time. */
static int wakes_quickly(peer_t *peer, gevt_event_t event, gevt_stream_t stream, int by_stream) {
  enum { ROUNDS = 15 };
  long long times[ROUNDS], controls[ROUNDS], median, control;
  int rounds = subject_tool() ? 1 : ROUNDS, i;
  for (i = 0; i < rounds; i++) {
    gate_t gate = GATE_CLOSED;
    gate_close(&gate, stream);
    CHECK_OK(gevt_record(event, stream));
    if (by_stream) CHECK_OK(peer_ask(peer, PEER_WAIT, 0, 0));
    peer_tell(peer, by_stream ? PEER_STREAM_SYNC : PEER_SYNC, 0, 0);
    sleep_ns(3 * MILLISECOND);
    times[i] = now_ns();
    gate_open(&gate);
    CHECK_OK(peer_hear(peer));
    times[i] = now_ns() - times[i];
    CHECK_OK(gevt_stream_sync(stream));
    controls[i] = wake_here(stream, by_stream);
  }
  median = median_of(times, rounds);
  control = median_of(controls, rounds);
  printf("    %s: %.2f ms (median); in this process %.2f ms\n", by_stream ? "a stream" : "a thread",
         (double)median / 1e6, (double)control / 1e6);
  return subject_tool() || median < 2 * MILLISECOND + 10 * control;
}

/* A poller is late by milliseconds in most rounds, a busy machine in few. */
static void waking_is_quick(void) {
  gevt_event_t event;
  peer_t peer = peer_sharing(&event);
  gevt_stream_t stream = stream_new();
  int by_stream;
  for (by_stream = 0; by_stream < 2; by_stream++) {
    int tries = 0, is_quick = 0;
    while (!is_quick && tries++ < 30) is_quick = wakes_quickly(&peer, event, stream, by_stream);
    CHECK(is_quick);
  }
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
  peer_finish(&peer);
}

static void streams_wait_across(void) {
  peer_t peer = peer_start();
  gevt_ipc_handle_t handle;
  gevt_event_t theirs = event_imported(&peer, 0), mine = event_exported(&handle), behind = event_new();
  gevt_stream_t stream = stream_new();
  int ran = 0;
  CHECK_OK(peer_import(&peer, 1, &handle));
  /* Mine behind theirs, and then theirs behind mine. */
  CHECK_OK(peer_ask(&peer, PEER_BLOCK, 0, 0));
  CHECK_OK(peer_ask(&peer, PEER_RECORD, 0, 0));
  CHECK_OK(gevt_stream_wait(stream, theirs, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_stream_launch(stream, count_up, &ran));
  CHECK_OK(gevt_record(mine, stream));
  CHECK_OK(gevt_record(behind, stream));
  CHECK_OK(peer_ask(&peer, PEER_WAIT, 1, 1));
  CHECK_OK(peer_ask(&peer, PEER_CREATE, 2, SHARED_FLAGS));
  CHECK_OK(peer_ask(&peer, PEER_RECORD, 2, 1));
  sleep_ns(20 * MILLISECOND);
  CHECK_EQUAL(count_of(&ran), 0);
  CHECK_NOT_READY(gevt_query(mine));
  CHECK_NOT_READY(gevt_query(behind));
  CHECK_NOT_READY(gevt_stream_query(stream));
  CHECK_STATUS(peer_ask(&peer, PEER_STREAM_QUERY, 0, 1), GEVT_ERROR_NOT_READY);
  CHECK_STATUS(peer_ask(&peer, PEER_QUERY, 2, 0), GEVT_ERROR_NOT_READY);
  CHECK_OK(peer_ask(&peer, PEER_UNBLOCK, 0, 0));
  CHECK_OK(peer_ask(&peer, PEER_SYNC, 2, 0));
  CHECK_EQUAL(count_of(&ran), 1);
  CHECK_OK(gevt_sync(behind));
  CHECK_OK(peer_ask(&peer, PEER_STREAM_SYNC, 0, 1));
  CHECK_OK(gevt_destroy(theirs));
  CHECK_OK(gevt_destroy(mine));
  CHECK_OK(gevt_destroy(behind));
  stream_finish(stream);
  peer_finish(&peer);
}

/* A wait keeps the record that it saw: the next one, which is still pending, does not hold it back. */
static void waits_keep_their_record(void) {
  gevt_event_t event;
  peer_t peer = peer_sharing(&event);
  gevt_stream_t first = stream_new(), second = stream_new();
  gate_t gate = GATE_CLOSED, later = GATE_CLOSED;
  gate_close(&gate, first);
  CHECK_OK(gevt_record(event, first));
  CHECK_OK(peer_ask(&peer, PEER_WAIT, 0, 0));
  gate_close_after(&gate, &later, second);
  CHECK_OK(gevt_record(event, second));
  CHECK_STATUS(peer_ask(&peer, PEER_STREAM_QUERY, 0, 0), GEVT_ERROR_NOT_READY);
  gate_open(&gate);
  CHECK_OK(peer_ask(&peer, PEER_STREAM_SYNC, 0, 0));
  CHECK_STATUS(peer_ask(&peer, PEER_QUERY, 0, 0), GEVT_ERROR_NOT_READY);
  CHECK_NOT_READY(gevt_query(event));
  gate_open(&later);
  CHECK_OK(peer_ask(&peer, PEER_SYNC, 0, 0));
  CHECK_OK(gevt_destroy(event));
  stream_finish(first);
  stream_finish(second);
  peer_finish(&peer);
}

/* And a record that is done does not make up for an earlier one that a stream waits for, however many there are since. */
static void waits_outlast_later_records(void) {
  gevt_event_t event;
  peer_t peer = peer_sharing(&event);
  gevt_stream_t blocked = stream_new(), idle = stream_new();
  gate_t gate = GATE_CLOSED;
  int i, ran = 0;
  gate_close(&gate, blocked);
  CHECK_OK(gevt_record(event, blocked));
  CHECK_OK(peer_ask(&peer, PEER_WAIT, 0, 0));
  for (i = 0; i < 20000; i++) {
    /* On an idle stream, and on one that reaches the record a moment later. */
    if (i % 2) CHECK_OK(gevt_stream_launch(idle, count_up, &ran));
    CHECK_OK(gevt_record(event, idle));
    if (i % 100 == 0) CHECK_OK(gevt_stream_sync(idle));
  }
  CHECK_OK(gevt_sync(event));
  CHECK_OK(peer_ask(&peer, PEER_QUERY, 0, 0));
  sleep_ns(20 * MILLISECOND);
  CHECK_STATUS(peer_ask(&peer, PEER_STREAM_QUERY, 0, 0), GEVT_ERROR_NOT_READY);
  gate_open(&gate);
  CHECK_OK(peer_ask(&peer, PEER_STREAM_SYNC, 0, 0));
  CHECK_OK(gevt_destroy(event));
  stream_finish(blocked);
  stream_finish(idle);
  peer_finish(&peer);
}

/* A stream that reaches its wait late finds the record completed, although the event is pending again. */
static void late_waits_are_over(void) {
  gevt_event_t event;
  peer_t peer = peer_sharing(&event);
  gevt_stream_t stream = stream_new();
  int i;
  for (i = 0; i < 3; i++) {
    gate_t gate = GATE_CLOSED, later = GATE_CLOSED;
    gate_close(&gate, stream);
    CHECK_OK(gevt_record(event, stream));
    CHECK_OK(peer_ask(&peer, PEER_BLOCK, 0, 0));
    CHECK_OK(peer_ask(&peer, PEER_WAIT, 0, 0));
    gate_open(&gate);
    CHECK_OK(gevt_sync(event));
    gate_close(&later, stream);
    CHECK_OK(gevt_record(event, stream));
    CHECK_OK(peer_ask(&peer, PEER_UNBLOCK, 0, 0));
    CHECK_OK(peer_ask(&peer, PEER_STREAM_SYNC, 0, 0));
    CHECK_NOT_READY(gevt_query(event));
    gate_open(&later);
    CHECK_OK(gevt_stream_sync(stream));
  }
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
  peer_finish(&peer);
}

/* Many records of one event are pending at once, of both processes, with waits between them. A stream of CUDA's takes no more than
   some thousand pieces of work, and then blocks. */
static void many_records_are_pending(void) {
  gevt_event_t event;
  peer_t peer = peer_sharing(&event);
  gevt_stream_t stream = stream_new();
  gate_t gate = GATE_CLOSED;
  const int count = subject_is_host() ? 220 : 3000, step = count / 30;
  int i;
  gate_close(&gate, stream);
  for (i = 0; i < count; i++) {
    CHECK_OK(gevt_record(event, stream));
    if (i % step == 0) {
      CHECK_OK(peer_ask(&peer, PEER_WAIT, 0, (uint64_t)(i / step % PEER_STREAMS)));
      CHECK_OK(peer_ask(&peer, PEER_RECORD, 0, (uint64_t)(i / step % PEER_STREAMS)));
    }
  }
  CHECK_NOT_READY(gevt_query(event));
  CHECK_STATUS(peer_ask(&peer, PEER_QUERY, 0, 0), GEVT_ERROR_NOT_READY);
  for (i = 0; i < PEER_STREAMS; i++) {
    CHECK_STATUS(peer_ask(&peer, PEER_STREAM_QUERY, 0, (uint64_t)i), GEVT_ERROR_NOT_READY);
  }
  gate_open(&gate);
  CHECK_OK(gevt_sync_timeout(event, HANG_LIMIT));
  CHECK_OK(peer_ask(&peer, PEER_SYNC, 0, 0));
  for (i = 0; i < PEER_STREAMS; i++) CHECK_OK(peer_ask(&peer, PEER_STREAM_SYNC, 0, (uint64_t)i));
  CHECK_OK(gevt_stream_sync(stream));
  CHECK_OK(gevt_query(event));
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
  peer_finish(&peer);
}

/* The number of pending records is limited. Further records are refused, and the earlier ones remain. */
static void too_many_records_are_refused(void) {
  gevt_event_t event;
  peer_t peer = peer_sharing(&event);
  gevt_stream_t stream = stream_new();
  gate_t gate = GATE_CLOSED;
  gevt_status_t status = GEVT_SUCCESS;
  int count = 0;
  gate_close(&gate, stream);
  while (status == GEVT_SUCCESS && count < 100000) {
    status = gevt_record(event, stream);
    count += status == GEVT_SUCCESS;
  }
  CHECK(subject_is_host() ? count == 255 : count >= 4000);
  if (status != GEVT_SUCCESS)
    CHECK_FAILS(gevt_record(event, stream), GEVT_ERROR_OUT_OF_MEMORY, GEVT_DETAIL_OUT_OF_MEMORY);
  CHECK_NOT_READY(gevt_query(event));
  CHECK_STATUS(peer_ask(&peer, PEER_QUERY, 0, 0), GEVT_ERROR_NOT_READY);
  peer_tell(&peer, PEER_SYNC, 0, 0);
  gate_open(&gate);
  CHECK_OK(peer_hear(&peer));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_stream_sync(stream));
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(peer_ask(&peer, PEER_SYNC, 0, 0));
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
  peer_finish(&peer);
}

int main(int argc, char **argv) {
  peer_serve(argc, argv);
  subject_begin(argc, argv);
  RUN(waiting_threads_are_woken);
  RUN(waking_is_quick);
  RUN(streams_wait_across);
  RUN(waits_keep_their_record);
  RUN_ON_HOST(waits_outlast_later_records);
  RUN(late_waits_are_over);
  RUN_ON_HOST(many_records_are_pending);
  RUN_ON_HOST(too_many_records_are_refused);
  return subject_end();
}
