/* A context that ends between gevt's check and the driver's call, while threads wait, and while callbacks are due; and handles
   that the driver issued again. Over the strict driver a context can be made to end at that very point; elsewhere it ends
   before the call. usage: reissued cuda [way call] */
#include "lost.h"

/* The owner's thread ends the context, and its addresses are reused. */
static void lose(void) {
  lost_end_context();
  lost_make_strangers();
}

static void lose_after_the_check(void) {
  if (!strict_after_id(lose)) lose();
}

static void query(void) {
  lose_after_the_check();
  LOST(gevt_query(lost.unasked));
}
static void query_wrapped(void) {
  lose_after_the_check();
  LOST(gevt_query(lost.wrapped));
}
static void sync_forever(void) {
  lose_after_the_check();
  LOST(gevt_sync(lost.unasked));
}
static void sync_timeout(void) {
  lose_after_the_check();
  LOST(gevt_sync_timeout(lost.unasked, SECOND));
}
static void sync_all(void) {
  lose_after_the_check();
  LOST(gevt_sync_all(&lost.unasked, 1, SECOND));
}
static void sync_any(void) {
  size_t index;
  lose_after_the_check();
  LOST(gevt_sync_any(&index, &lost.unasked, 1, SECOND));
}
static void stream_query(void) {
  lose_after_the_check();
  LOST(gevt_stream_query(lost.own));
}
static void stream_sync(void) {
  lose_after_the_check();
  LOST(gevt_stream_sync(lost.own));
}
static void elapsed(void) {
  int64_t ns;
  lose_after_the_check();
  LOST(gevt_elapsed_ns(&ns, lost.earlier, lost.finished));
}

/* A peer's event that is pending: it stays so when the context ends here. */
static gevt_event_t pending_of(peer_t *peer) {
  gevt_event_t event = NULL;
  CHECK_OK(peer_ask(peer, PEER_CREATE, 0, SHARED_FLAGS));
  CHECK_OK(peer_ask(peer, PEER_EXPORT, 0, 0));
  peer->handle = peer->answer.handle;
  CHECK_OK(gevt_ipc_import(&event, lost.context.context, &peer->handle));
  CHECK_OK(peer_ask(peer, PEER_BLOCK, 0, 0));
  CHECK_OK(peer_ask(peer, PEER_RECORD, 0, 0));
  CHECK_NOT_READY(gevt_query(event));
  return event;
}

static void pending_end(peer_t *peer, gevt_event_t event) {
  CHECK_OK(peer_ask(peer, PEER_UNBLOCK, 0, 0));
  CHECK_OK(peer_ask(peer, PEER_STREAM_SYNC, 0, 0));
  CHECK_OK(gevt_destroy(event));
  CHECK_EQUAL(peer_end(peer), 0);
}

static int called_lost;

static void note_lost(void *user, gevt_status_t status) {
  CHECK_STATUS(status, GEVT_ERROR_CONTEXT_IS_DESTROYED);
  count_up(user);
}

static void callback(void) {
  peer_t peer = peer_start();
  gevt_event_t event = pending_of(&peer);
  CHECK_OK(gevt_on_complete(event, note_lost, &called_lost));
  lose();
  CHECK(count_await(&called_lost, 1));
  LOST(gevt_query(event));
  pending_end(&peer, event);
}

/* The callback keeps what it needs, and releases it after the loss, on one of gevt's threads. */
static void callback_of_a_destroyed_event(void) {
  peer_t peer = peer_start();
  gevt_event_t event = pending_of(&peer);
  CHECK_OK(gevt_on_complete(event, note_lost, &called_lost));
  CHECK_OK(gevt_destroy(event));
  lose();
  CHECK(count_await(&called_lost, 1));
  CHECK_OK(peer_ask(&peer, PEER_UNBLOCK, 0, 0));
  CHECK_EQUAL(peer_end(&peer), 0);
}

typedef struct waiter {
  gevt_event_t event;
  int any, tid;
  gevt_status_t status;
} waiter_t;

static void *wait_with_timeout(void *user) {
  waiter_t *waiter = (waiter_t *)user;
  size_t index = 0;
  thread_publish(&waiter->tid);
  if (waiter->any)
    waiter->status = gevt_sync_any(&index, &waiter->event, 1, 600ull * SECOND);
  else
    waiter->status = gevt_sync_timeout(waiter->event, 600ull * SECOND);
  return NULL;
}

static void waits(int any) {
  peer_t peer = peer_start();
  waiter_t waiter = {NULL, 0, 0, -1};
  pthread_t thread;
  waiter.event = pending_of(&peer);
  waiter.any = any;
  thread = thread_start(wait_with_timeout, &waiter);
  CHECK(thread_await_parked(&waiter.tid));
  lose();
  thread_join(thread);
  CHECK_STATUS(waiter.status, GEVT_ERROR_CONTEXT_IS_DESTROYED);
  pending_end(&peer, waiter.event);
}
static void wait_timeout(void) {
  waits(0);
}
static void wait_any(void) {
  waits(1);
}

typedef struct reissued_case {
  const char *name;
  void (*body)(void);
} reissued_case_t;

#define REISSUED_CASE(body)                                                                                            \
  { #body, body }

static const reissued_case_t cases[] = {
    REISSUED_CASE(query),
    REISSUED_CASE(query_wrapped),
    REISSUED_CASE(sync_forever),
    REISSUED_CASE(sync_timeout),
    REISSUED_CASE(sync_all),
    REISSUED_CASE(sync_any),
    REISSUED_CASE(stream_query),
    REISSUED_CASE(stream_sync),
    REISSUED_CASE(elapsed),
    REISSUED_CASE(callback),
    REISSUED_CASE(callback_of_a_destroyed_event),
    REISSUED_CASE(wait_timeout),
    REISSUED_CASE(wait_any),
};
enum { CASES = sizeof cases / sizeof *cases };

static int reissued_run(const reissued_case_t *one, int way) {
  subject_case(one->name);
  lost_make(way);
  lost.raced = one - cases < 9;
  one->body();
  /* An answer from between the check and the loss is not remembered. */
  LOST(gevt_query(lost.unasked));
  LOST(gevt_query(lost.finished));
  lost_finish();
  return subject_end();
}

static pid_t case_start(int i) {
  return child_start_self("cuda", cases[i / LOST_WAYS].name, lost_ways[i % LOST_WAYS]);
}

static void case_ended(int i, int ended) {
  const char *name = cases[i / LOST_WAYS].name, *way = lost_ways[i % LOST_WAYS];
  printf("case %s, %s\n", name, way);
  if (CHECK_EQUAL(ended, 0)) return;
  printf("case %s, %s: FAILED%s\n", name, way, ended == CHILD_HUNG ? ": it hung" : "");
}

int main(int argc, char **argv) {
  int i;
  peer_serve(argc, argv);
  owned_begin(argc, argv);
  if (argc < 4) {
    child_run_cases(CASES * LOST_WAYS, case_start, case_ended);
    return subject_end();
  }
  for (i = 0; i < CASES; i++) {
    if (strcmp(cases[i].name, argv[2]) == 0) return reissued_run(&cases[i], lost_way(argv[3]));
  }
  return 2;
}
