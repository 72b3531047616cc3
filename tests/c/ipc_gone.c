/* A process of two ends while they share events, in either order and in every way. Whoever waits for it hears of that, and what
   was done stays done. CUDA leaves its waiters alone with a peer that is gone, so that there each wait has a timeout.
   usage: ipc_gone [host|cuda] [CASE [ROUNDS]]    without a case: all of them in this process; with a number: one that often,
   each time in a process of its own */
#include "peer.h"

#include "cases.h"
#include "median.h"

static void note_status(void *user, gevt_status_t status) {
  __atomic_store_n((int *)user, (int)status, __ATOMIC_SEQ_CST);
}

/* Until the callback was called; what it was given. */
static int status_await(int *status) {
  long long deadline = now_ns() + HANG_LIMIT;
  while (__atomic_load_n(status, __ATOMIC_SEQ_CST) == -1 && now_ns() < deadline) sleep_ns(MILLISECOND / 10);
  return __atomic_load_n(status, __ATOMIC_SEQ_CST);
}

/* The event's last record was to be done by a process that is gone. */
static void is_lost(gevt_event_t event) {
  gevt_status_t status;
  if (!subject_is_host()) {
    status = gevt_sync_timeout(event, 50 * MILLISECOND);
    CHECK(status != GEVT_SUCCESS);
    CHECK(gevt_query(event) != GEVT_SUCCESS);
  } else {
    size_t index = 7;
    gevt_event_t both[2];
    CHECK_FAILS(gevt_sync(event), GEVT_ERROR_CONTEXT_IS_DESTROYED, GEVT_DETAIL_IPC_PEER_GONE);
    CHECK_FAILS(gevt_sync_timeout(event, HANG_LIMIT), GEVT_ERROR_CONTEXT_IS_DESTROYED, GEVT_DETAIL_IPC_PEER_GONE);
    CHECK_FAILS(gevt_sync_all(&event, 1, HANG_LIMIT), GEVT_ERROR_CONTEXT_IS_DESTROYED, GEVT_DETAIL_IPC_PEER_GONE);
    CHECK_FAILS(gevt_sync_any(&index, &event, 1, HANG_LIMIT), GEVT_ERROR_CONTEXT_IS_DESTROYED,
                GEVT_DETAIL_IPC_PEER_GONE);
    CHECK_FAILS(gevt_query(event), GEVT_ERROR_CONTEXT_IS_DESTROYED, GEVT_DETAIL_IPC_PEER_GONE);
    CHECK_EQUAL(event_info(event).state, GEVT_STATE_FAILED);
    /* It ends no wait for all while another event is pending. */
    both[0] = event;
    both[1] = event_with(GEVT_EVENT_HOST_SIGNALED);
    CHECK_FAILS(gevt_sync_all(both, 2, MILLISECOND), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
    CHECK_OK(gevt_signal(both[1], GEVT_SUCCESS));
    CHECK_FAILS(gevt_sync_all(both, 2, HANG_LIMIT), GEVT_ERROR_CONTEXT_IS_DESTROYED, GEVT_DETAIL_IPC_PEER_GONE);
    CHECK_OK(gevt_destroy(both[1]));
  }
}

/* The event works like a new one after any end of its last record. */
static void is_healthy(gevt_event_t event) {
  gevt_stream_t stream = stream_new();
  gate_t gate = GATE_CLOSED;
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(event, stream));
  CHECK_NOT_READY(gevt_query(event));
  gate_open(&gate);
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_query(event));
  CHECK_EQUAL(event_info(event).state, GEVT_STATE_COMPLETE);
  stream_finish(stream);
}

static void importer_outlives_exporter(void) {
  peer_t peer = peer_start();
  gevt_event_t done = event_imported(&peer, 0), pending = event_imported(&peer, 1), fresh = event_imported(&peer, 2);
  CHECK_OK(peer_ask(&peer, PEER_RECORD, 0, 0));
  CHECK_OK(peer_ask(&peer, PEER_BLOCK, 0, 1));
  CHECK_OK(peer_ask(&peer, PEER_RECORD, 1, 1));
  CHECK_NOT_READY(gevt_query(pending));
  CHECK_EQUAL(peer_exit(&peer, 3), 3);
  CHECK_OK(gevt_sync_timeout(done, HANG_LIMIT));
  CHECK_OK(gevt_query(done));
  CHECK_OK(gevt_query(fresh));
  is_lost(pending);
  is_healthy(done);
  is_healthy(fresh);
  if (subject_is_host()) is_healthy(pending);
  CHECK_OK(gevt_destroy(done));
  CHECK_OK(gevt_destroy(pending));
  CHECK_OK(gevt_destroy(fresh));
}

static void exporter_outlives_importer(void) {
  gevt_event_t event;
  peer_t peer = peer_sharing(&event);
  gevt_stream_t stream = stream_new();
  gate_t gate = GATE_CLOSED;
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(peer_ask(&peer, PEER_WAIT, 0, 0));
  CHECK_STATUS(peer_ask(&peer, PEER_QUERY, 0, 0), GEVT_ERROR_NOT_READY);
  CHECK_EQUAL(peer_exit(&peer, 3), 3);
  CHECK_NOT_READY(gevt_query(event));
  gate_open(&gate);
  CHECK_OK(gevt_sync(event));
  is_healthy(event);
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
}

/* The exporter's own event, with a record of an importer's that will never be done. */
static void exporter_outlives_recorder(void) {
  gevt_event_t event;
  peer_t peer = peer_sharing(&event);
  CHECK_OK(peer_ask(&peer, PEER_BLOCK, 0, 0));
  CHECK_OK(peer_ask(&peer, PEER_RECORD, 0, 0));
  CHECK_NOT_READY(gevt_query(event));
  CHECK_EQUAL(peer_exit(&peer, 3), 3);
  is_lost(event);
  if (subject_is_host()) is_healthy(event);
  CHECK_OK(gevt_destroy(event));
}

typedef struct waiter {
  gevt_event_t event;
  int form, tid;
  gevt_status_t status;
  gevt_detail_t detail;
  long long heard;
} waiter_t;

static void *waiter_body(void *user) {
  waiter_t *waiter = (waiter_t *)user;
  thread_publish(&waiter->tid);
  waiter->status = event_await(waiter->event, waiter->form);
  waiter->heard = now_ns();
  waiter->detail = gevt_last_detail();
  return NULL;
}

/* The control: a thread that waits for the process itself, as its parent, and leaves it to be waited for. */
typedef struct watch {
  pid_t process;
  int tid;
  long long heard;
} watch_t;

static void *watch_body(void *user) {
  watch_t *watch = (watch_t *)user;
  siginfo_t ended;
  thread_publish(&watch->tid);
  CHECK_EQUAL(waitid(P_PID, (id_t)watch->process, &ended, WEXITED | WNOWAIT), 0);
  watch->heard = now_ns();
  return NULL;
}

/* Rounds whose times are judged. Tools that watch add their own time, and one round shows them the memory. */
enum { MOST_ROUNDS = 9 };

static int rounds_to_judge(void) {
  return subject_tool() ? 1 : MOST_ROUNDS;
}

/* Returns whether the median caller of gevt learns of the end within 100 ms of the control. */
static int is_in_time(long long *times, int count, long long *controls, int rounds) {
  long long median = median_of(times, count), control = median_of(controls, rounds);
  printf("    heard within %.1f ms (median), %.1f ms at the most; the parent within %.1f ms\n", (double)median / 1e6,
         (double)times[count - 1] / 1e6, (double)control / 1e6);
  return subject_tool() || median <= control + 100 * MILLISECOND;
}

/* A busy machine is late now and then. A poller that looks too seldom has a late median each time. */
static void check_in_time(int (*rounds)(void)) {
  int tries = 0, in_time = 0;
  while (!in_time && tries++ < 20) in_time = rounds();
  CHECK(in_time);
}

/* All forms of waiting for a process that is killed, and not yet waited for by its parent, hear of it in time. */
static int waiters_hear(void) {
  enum { WAITERS = 4 };
  long long times[MOST_ROUNDS * WAITERS], controls[MOST_ROUNDS];
  int rounds = rounds_to_judge(), round, i;
  for (round = 0; round < rounds; round++) {
    peer_t peer = peer_start();
    gevt_event_t event = event_imported(&peer, 0), behind = event_new();
    gevt_stream_t stream = stream_new();
    waiter_t waiters[WAITERS];
    watch_t watch = {peer.process, 0, 0};
    pthread_t threads[WAITERS], watching = thread_start(watch_body, &watch);
    long long killed;
    int told = -1;
    CHECK_OK(peer_ask(&peer, PEER_BLOCK, 0, 0));
    CHECK_OK(peer_ask(&peer, PEER_RECORD, 0, 0));
    CHECK_OK(gevt_on_complete(event, note_status, &told));
    CHECK_OK(gevt_stream_wait(stream, event, GEVT_WAIT_DEFAULT));
    CHECK_OK(gevt_record(behind, stream));
    for (i = 0; i < WAITERS; i++) {
      waiters[i].event = event;
      waiters[i].form = i;
      waiters[i].tid = 0;
      threads[i] = thread_start(waiter_body, &waiters[i]);
    }
    for (i = 0; i < WAITERS; i++) CHECK(thread_await_parked(&waiters[i].tid));
    CHECK(thread_await_parked(&watch.tid));
    CHECK_NOT_READY(gevt_query(behind));
    killed = now_ns();
    kill(peer.process, SIGKILL);
    for (i = 0; i < WAITERS; i++) {
      thread_join(threads[i]);
      CHECK_EQUAL(waiters[i].status, GEVT_ERROR_CONTEXT_IS_DESTROYED);
      CHECK_EQUAL(waiters[i].detail, GEVT_DETAIL_IPC_PEER_GONE);
      times[round * WAITERS + i] = waiters[i].heard - killed;
    }
    thread_join(watching);
    controls[round] = watch.heard - killed;
    CHECK_EQUAL(status_await(&told), GEVT_ERROR_CONTEXT_IS_DESTROYED);
    /* A stream that waited does not hang. */
    check_ignore(gevt_stream_sync(stream));
    check_ignore(gevt_sync(behind));
    CHECK_EQUAL(peer_end(&peer), CHILD_SIGNALLED + SIGKILL);
    CHECK_OK(gevt_destroy(event));
    CHECK_OK(gevt_destroy(behind));
    CHECK_OK(gevt_stream_destroy(stream));
  }
  return is_in_time(times, rounds * WAITERS, controls, rounds);
}

static void waiters_hear_in_time(void) {
  check_in_time(waiters_hear);
}

static void *helper_body(void *user) {
  waiter_t *waiter = (waiter_t *)user;
  thread_publish(&waiter->tid);
  waiter->status = gevt_sync_helping(waiter->event, HANG_LIMIT);
  waiter->detail = gevt_last_detail();
  return NULL;
}

/* So does a thread that runs host functions while it waits. */
static void helpers_hear(void) {
  int rounds = subject_tool() ? 3 : 20, round;
  for (round = 0; round < rounds && !check_failures(); round++) {
    peer_t peer = peer_start();
    gevt_event_t event = event_imported(&peer, 0);
    waiter_t helper;
    pthread_t thread;
    memset(&helper, 0, sizeof helper);
    helper.event = event;
    CHECK_OK(peer_ask(&peer, PEER_BLOCK, 0, 0));
    CHECK_OK(peer_ask(&peer, PEER_RECORD, 0, 0));
    thread = thread_start(helper_body, &helper);
    CHECK(thread_await_parked(&helper.tid));
    peer_kill(&peer);
    thread_join(thread);
    CHECK_EQUAL(helper.status, GEVT_ERROR_CONTEXT_IS_DESTROYED);
    CHECK_EQUAL(helper.detail, GEVT_DETAIL_IPC_PEER_GONE);
    CHECK_OK(gevt_destroy(event));
  }
}

/* A thread that only asks hears of it as well. */
static int queries_hear(void) {
  long long times[MOST_ROUNDS], controls[MOST_ROUNDS];
  int rounds = rounds_to_judge(), round;
  for (round = 0; round < rounds; round++) {
    peer_t peer = peer_start();
    gevt_event_t event = event_imported(&peer, 0);
    watch_t watch = {peer.process, 0, 0};
    pthread_t watching = thread_start(watch_body, &watch);
    gevt_status_t status;
    long long killed;
    CHECK_OK(peer_ask(&peer, PEER_BLOCK, 0, 0));
    CHECK_OK(peer_ask(&peer, PEER_RECORD, 0, 0));
    CHECK_NOT_READY(gevt_query(event));
    CHECK(thread_await_parked(&watch.tid));
    killed = now_ns();
    kill(peer.process, SIGKILL);
    do {
      sleep_ns(MILLISECOND / 10);
      status = gevt_query(event);
      times[round] = now_ns() - killed;
    } while (status == GEVT_ERROR_NOT_READY && times[round] < HANG_LIMIT);
    thread_join(watching);
    controls[round] = watch.heard - killed;
    CHECK_STATUS(status, GEVT_ERROR_CONTEXT_IS_DESTROYED);
    CHECK_DETAIL(GEVT_DETAIL_IPC_PEER_GONE);
    CHECK_EQUAL(event_info(event).state, GEVT_STATE_FAILED);
    CHECK_EQUAL(peer_end(&peer), CHILD_SIGNALLED + SIGKILL);
    CHECK_OK(gevt_destroy(event));
  }
  return is_in_time(times, rounds, controls, rounds);
}

static void queries_hear_in_time(void) {
  check_in_time(queries_hear);
}

/* A third process learns it too, though neither of the other two is its child. */
static void a_third_process_hears(void) {
  peer_t recorder = peer_start(), bystander = peer_start();
  gevt_ipc_handle_t handle;
  gevt_event_t event = event_exported(&handle);
  CHECK_OK(peer_import(&recorder, 0, &handle));
  CHECK_OK(peer_import(&bystander, 0, &handle));
  CHECK_OK(peer_ask(&recorder, PEER_BLOCK, 0, 0));
  CHECK_OK(peer_ask(&recorder, PEER_RECORD, 0, 0));
  CHECK_STATUS(peer_ask(&bystander, PEER_QUERY, 0, 0), GEVT_ERROR_NOT_READY);
  peer_tell(&bystander, PEER_SYNC, 0, 0);
  peer_kill(&recorder);
  CHECK_STATUS(peer_hear(&bystander), GEVT_ERROR_CONTEXT_IS_DESTROYED);
  CHECK_EQUAL(bystander.answer.detail, GEVT_DETAIL_IPC_PEER_GONE);
  is_lost(event);
  /* Whoever records it anew heals it for all. */
  CHECK_OK(peer_ask(&bystander, PEER_RECORD, 0, 0));
  CHECK_OK(gevt_sync(event));
  is_healthy(event);
  CHECK_OK(peer_ask(&bystander, PEER_SYNC, 0, 0));
  CHECK_OK(gevt_destroy(event));
  CHECK_EQUAL(peer_end(&bystander), 0);
}

/* A stream continues after a wait for a process that has ended. Its later records fail until a sync of the stream has returned
   the failure. */
static void streams_tell_what_they_missed(void) {
  peer_t peer = peer_start();
  gevt_event_t event = event_imported(&peer, 0), behind = event_new(), after = event_new();
  gevt_ipc_handle_t handle;
  gevt_event_t shared = event_exported(&handle);
  gevt_stream_t stream = stream_new(), other = stream_new();
  int ran = 0, told = -1;
  CHECK_OK(peer_ask(&peer, PEER_BLOCK, 0, 0));
  CHECK_OK(peer_ask(&peer, PEER_RECORD, 0, 0));
  CHECK_OK(gevt_stream_wait(stream, event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_stream_launch(stream, count_up, &ran));
  CHECK_OK(gevt_record(behind, stream));
  CHECK_OK(gevt_record(shared, stream));
  CHECK_OK(gevt_on_complete(behind, note_status, &told));
  /* A stream that waits for such a record fails as well. */
  CHECK_OK(gevt_stream_wait(other, behind, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(after, other));
  peer_kill(&peer);
  CHECK_FAILS(gevt_sync(after), GEVT_ERROR_CONTEXT_IS_DESTROYED, GEVT_DETAIL_IPC_PEER_GONE);
  CHECK_FAILS(gevt_stream_sync(other), GEVT_ERROR_CONTEXT_IS_DESTROYED, GEVT_DETAIL_IPC_PEER_GONE);
  CHECK_FAILS(gevt_sync(behind), GEVT_ERROR_CONTEXT_IS_DESTROYED, GEVT_DETAIL_IPC_PEER_GONE);
  CHECK_FAILS(gevt_query(behind), GEVT_ERROR_CONTEXT_IS_DESTROYED, GEVT_DETAIL_IPC_PEER_GONE);
  CHECK_FAILS(gevt_sync(shared), GEVT_ERROR_CONTEXT_IS_DESTROYED, GEVT_DETAIL_IPC_PEER_GONE);
  CHECK_EQUAL(event_info(behind).state, GEVT_STATE_FAILED);
  CHECK_EQUAL(status_await(&told), GEVT_ERROR_CONTEXT_IS_DESTROYED);
  CHECK(count_await(&ran, 1));
  CHECK_OK(gevt_record(after, stream));
  CHECK_FAILS(gevt_sync(after), GEVT_ERROR_CONTEXT_IS_DESTROYED, GEVT_DETAIL_IPC_PEER_GONE);
  CHECK_FAILS(gevt_stream_sync(stream), GEVT_ERROR_CONTEXT_IS_DESTROYED, GEVT_DETAIL_IPC_PEER_GONE);
  /* The failure is returned once, and the stream works again. Older records stay failed. */
  CHECK_OK(gevt_stream_sync(stream));
  CHECK_FAILS(gevt_query(behind), GEVT_ERROR_CONTEXT_IS_DESTROYED, GEVT_DETAIL_IPC_PEER_GONE);
  CHECK_OK(gevt_record(after, stream));
  CHECK_OK(gevt_sync(after));
  CHECK_OK(gevt_record(behind, stream));
  CHECK_OK(gevt_sync(behind));
  CHECK_OK(gevt_stream_sync(other));
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_destroy(behind));
  CHECK_OK(gevt_destroy(after));
  CHECK_OK(gevt_destroy(shared));
  stream_finish(stream);
  stream_finish(other);
}

static void refused_body(gevt_event_t event, gevt_stream_t stream, gevt_ipc_handle_t *handle) {
  gevt_event_t imported = NULL;
  CHECK_FAILS(gevt_query(event), GEVT_ERROR_NOT_INITIALIZED, GEVT_DETAIL_FORKED);
  CHECK_FAILS(gevt_sync(event), GEVT_ERROR_NOT_INITIALIZED, GEVT_DETAIL_FORKED);
  CHECK_FAILS(gevt_record(event, stream), GEVT_ERROR_NOT_INITIALIZED, GEVT_DETAIL_FORKED);
  CHECK_FAILS(gevt_stream_wait(stream, event, GEVT_WAIT_DEFAULT), GEVT_ERROR_NOT_INITIALIZED, GEVT_DETAIL_FORKED);
  CHECK_FAILS(gevt_ipc_export(handle, event), GEVT_ERROR_NOT_INITIALIZED, GEVT_DETAIL_FORKED);
  CHECK_FAILS(gevt_ipc_import(&imported, NULL, handle), GEVT_ERROR_NOT_INITIALIZED, GEVT_DETAIL_FORKED);
  CHECK_OK(gevt_destroy(event));
}

/* A child of a process that shares events is refused, and harms neither its parent nor the peer. */
static void fork_with_shared_events(void) {
  peer_t peer = peer_start();
  gevt_ipc_handle_t handle;
  gevt_event_t mine = event_exported(&handle), theirs = event_imported(&peer, 0);
  gevt_stream_t stream = stream_new();
  gate_t gate = GATE_CLOSED;
  pid_t child;
  CHECK_OK(peer_import(&peer, 1, &handle));
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(mine, stream));
  CHECK_OK(peer_ask(&peer, PEER_BLOCK, 0, 0));
  CHECK_OK(peer_ask(&peer, PEER_RECORD, 0, 0));
  fflush(stdout);
  child = fork();
  if (child == 0) {
    refused_body(mine, stream, &handle);
    refused_body(theirs, stream, &handle);
    fflush(stdout);
    _exit(check_failures() ? 1 : 0);
  }
  CHECK_EQUAL(child_end(child), 0);
  CHECK_EQUAL(system("exit 5") >> 8, 5);
  CHECK_NOT_READY(gevt_query(mine));
  CHECK_NOT_READY(gevt_query(theirs));
  CHECK_STATUS(peer_ask(&peer, PEER_QUERY, 1, 0), GEVT_ERROR_NOT_READY);
  gate_open(&gate);
  CHECK_OK(peer_ask(&peer, PEER_SYNC, 1, 0));
  CHECK_OK(peer_ask(&peer, PEER_UNBLOCK, 0, 0));
  CHECK_OK(gevt_sync(theirs));
  CHECK_OK(gevt_destroy(mine));
  CHECK_OK(gevt_destroy(theirs));
  stream_finish(stream);
  CHECK_EQUAL(peer_end(&peer), 0);
}

/* This process ends while threads, a callback and a stream of it wait for another one. */
static waiter_t left_waiters[4];

static void exit_while_waiting_for_a_peer(void) {
  static peer_t peer;
  static int told = -1;
  gevt_event_t event;
  gevt_stream_t stream = stream_new();
  int i;
  peer = peer_start();
  event = event_imported(&peer, 0);
  CHECK_OK(peer_ask(&peer, PEER_BLOCK, 0, 0));
  CHECK_OK(peer_ask(&peer, PEER_RECORD, 0, 0));
  CHECK_OK(gevt_on_complete(event, note_status, &told));
  CHECK_OK(gevt_stream_wait(stream, event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(event_new(), stream));
  for (i = 0; i < 4; i++) {
    left_waiters[i].event = event;
    left_waiters[i].form = i;
    thread_start(waiter_body, &left_waiters[i]);
  }
  for (i = 0; subject_is_host() && i < 4; i++) CHECK(thread_await_parked(&left_waiters[i].tid));
  kept_forget();
}

/* The last one leaves work behind. */
static const test_case_t table[] = {
    {"importer_outlives_exporter", importer_outlives_exporter, TOGETHER, 0},
    {"exporter_outlives_importer", exporter_outlives_importer, TOGETHER, 0},
    {"exporter_outlives_recorder", exporter_outlives_recorder, TOGETHER, 0},
    {"a_third_process_hears", a_third_process_hears, TOGETHER, 0},
    {"streams_tell_what_they_missed", streams_tell_what_they_missed, TOGETHER, 0},
    {"fork_with_shared_events", fork_with_shared_events, TOGETHER, 0},
    {"exit_while_waiting_for_a_peer", exit_while_waiting_for_a_peer, TOGETHER, 0},
};

static void begin(const test_case_t *chosen) {
  subject_open();
  if (chosen) return;
  RUN_ON_HOST(waiters_hear_in_time);
  RUN_ON_HOST(queries_hear_in_time);
  RUN_ON_HOST(helpers_hear);
}

static const char *reason_to_skip(const test_case_t *chosen) {
  int is_about_host = chosen->body == a_third_process_hears || chosen->body == streams_tell_what_they_missed;
  return is_about_host && !subject_is_host() ? "a process that waits is told on the host backend only" : NULL;
}

static const test_cases_t cases = {table, sizeof table / sizeof *table, begin, reason_to_skip, 0, NULL};

int main(int argc, char **argv) {
  peer_serve(argc, argv);
  subject_choose(argc, argv);
  return cases_main(&cases, argc, argv);
}
