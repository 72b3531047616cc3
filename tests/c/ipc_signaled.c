/* Host-signaled events between processes: importers learn of the signal, of its failure and of the end of the exporting
   process.
   usage: ipc_signaled [host|cuda]     on cuda: streams of CUDA wait for one of the host's */
#include "backends.h"
#include "peer.h"

#include <limits.h>

enum { FLAGS = SHARED_FLAGS | GEVT_EVENT_HOST_SIGNALED, FAILURE = 719, SIGNAL = PEER_OWN, RESET };

static void signal_or_reset(const peer_letter_t *letter, peer_answer_t *answer) {
  gevt_event_t event = peer_self.events[letter->event];
  answer->status = letter->order == RESET ? gevt_reset(event) : gevt_signal(event, (gevt_status_t)letter->value);
}

static gevt_event_t imported(peer_t *peer) {
  gevt_event_t event = NULL;
  CHECK_OK(peer_ask(peer, PEER_CREATE, 0, FLAGS));
  CHECK_OK(peer_ask(peer, PEER_EXPORT, 0, 0));
  peer->handle = peer->answer.handle;
  CHECK_OK(gevt_ipc_import(&event, backends[0].context, &peer->handle));
  return event;
}

static void round_of(peer_t *peer, gevt_event_t event, gevt_status_t status, gevt_status_t expected) {
  gevt_stream_t stream = stream_new();
  gevt_event_t behind = event_new();
  CHECK_NOT_READY(gevt_query(event));
  CHECK_OK(gevt_stream_wait(stream, event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(behind, stream));
  CHECK_NOT_READY(gevt_query(behind));
  CHECK_OK(peer_ask(peer, SIGNAL, 0, (uint64_t)status));
  CHECK_STATUS(gevt_sync(event), expected);
  CHECK_STATUS(gevt_sync(behind), expected);
  CHECK_FAILS(peer_ask(peer, SIGNAL, 0, 0), GEVT_ERROR_ILLEGAL_STATE, gevt_last_detail());
  CHECK_OK(peer_ask(peer, RESET, 0, 0));
  CHECK_STATUS(gevt_sync(behind), expected);
  CHECK_STATUS(gevt_stream_sync(stream), expected);
  CHECK_OK(gevt_destroy(behind));
  stream_finish(stream);
}

static void importers_hear_of_signals(void) {
  peer_t peer = peer_start();
  gevt_event_t event = imported(&peer);
  round_of(&peer, event, GEVT_SUCCESS, GEVT_SUCCESS);
  round_of(&peer, event, FAILURE, FAILURE);
  round_of(&peer, event, 4096, 4096);
  round_of(&peer, event, INT_MAX, INT_MAX);
  round_of(&peer, event, -1, -1);
  round_of(&peer, event, INT_MIN, INT_MIN);
  round_of(&peer, event, GEVT_SUCCESS, GEVT_SUCCESS);
  CHECK_OK(gevt_destroy(event));
  peer_finish(&peer);
}

static void importers_neither_signal_nor_record(void) {
  peer_t peer = peer_start();
  gevt_event_t event = imported(&peer);
  gevt_stream_t stream = stream_new();
  CHECK_FAILS(gevt_signal(event, GEVT_SUCCESS), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_HOST_SIGNALED);
  CHECK_FAILS(gevt_reset(event), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_HOST_SIGNALED);
  CHECK_FAILS(gevt_record(event, stream), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_HOST_SIGNALED);
  CHECK_NOT_READY(gevt_query(event));
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
  peer_finish(&peer);
}

static void importers_hear_of_the_end(void) {
  peer_t peer = peer_start();
  gevt_event_t event = imported(&peer);
  CHECK_OK(peer_ask(&peer, PEER_DESTROY, 0, 0));
  CHECK_STATUS(gevt_sync(event), GEVT_ERROR_CONTEXT_IS_DESTROYED);
  CHECK_OK(gevt_destroy(event));
  event = imported(&peer);
  peer_kill(&peer);
  CHECK_STATUS(gevt_sync(event), GEVT_ERROR_CONTEXT_IS_DESTROYED);
  CHECK_OK(gevt_destroy(event));
}

/* Streams of all backends wait for another process's signal, its failure, and its end. */
static void streams_of(const backend_t *backend) {
  enum { SUCCESS_COMES, FAILURE_COMES, IT_ENDS, WAYS };
  int way;
  for (way = 0; way < WAYS; way++) {
    const gevt_status_t expected = way == SUCCESS_COMES   ? GEVT_SUCCESS
                                   : way == FAILURE_COMES ? FAILURE
                                                          : GEVT_ERROR_CONTEXT_IS_DESTROYED;
    peer_t peer = peer_start();
    gevt_event_t event = imported(&peer), behind = event_with(GEVT_EVENT_DISABLE_TIMING);
    gevt_stream_t stream = on(backend);
    CHECK_OK(gevt_stream_wait(stream, event, GEVT_WAIT_DEFAULT));
    CHECK_OK(gevt_record(behind, stream));
    CHECK_NOT_READY(gevt_query(behind));
    if (way == IT_ENDS) {
      peer_kill(&peer);
    } else {
      CHECK_OK(peer_ask(&peer, SIGNAL, 0, (uint64_t)expected));
    }
    CHECK_STATUS(gevt_sync(behind), expected);
    CHECK_STATUS(gevt_stream_sync(stream), expected);
    CHECK_OK(gevt_destroy(behind));
    CHECK_OK(gevt_destroy(event));
    stream_finish(stream);
    if (way != IT_ENDS) peer_finish(&peer);
  }
}

static void streams_of_all_backends_hear(void) {
  int i;
  for (i = 0; i < BACKENDS; i++) {
    int before = check_failures();
    if (!backends[i].context) continue;
    streams_of(&backends[i]);
    if (check_failures() != before) printf("    on %s\n", backends[i].name);
  }
}

static void it_is_its_own_processs_too(void) {
  gevt_event_t event = event_with(FLAGS);
  gevt_ipc_handle_t handle;
  CHECK_NOT_READY(gevt_query(event));
  CHECK_OK(gevt_signal(event, FAILURE));
  CHECK_OK(gevt_ipc_export(&handle, event));
  CHECK_STATUS(gevt_query(event), FAILURE);
  CHECK_OK(gevt_reset(event));
  CHECK_FAILS(gevt_sync_timeout(event, MILLISECOND), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
  CHECK_OK(gevt_signal(event, GEVT_SUCCESS));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_destroy(event));
}

/* Every status arrives, also at the process that gives it. */
static void its_own_process_hears_every_status(void) {
  static const gevt_status_t statuses[] = {FAILURE, 4095, 4096, INT_MAX, -1, INT_MIN, GEVT_SUCCESS};
  gevt_event_t event = event_with(FLAGS);
  size_t i;
  for (i = 0; i < sizeof statuses / sizeof *statuses; i++) {
    CHECK_OK(gevt_signal(event, statuses[i]));
    CHECK_STATUS(gevt_query(event), statuses[i]);
    CHECK_STATUS(gevt_sync(event), statuses[i]);
    CHECK_OK(gevt_reset(event));
  }
  CHECK_OK(gevt_destroy(event));
}

static void note_failure(void *user, gevt_status_t status) {
  int *counts = (int *)user;
  if (status != GEVT_SUCCESS) count_up(&counts[1]);
  count_up(&counts[0]);
}

/* More signals than an event can have pending records fail. A wait for one that succeeded does not, however late it looks. */
static void failures_do_not_spread(void) {
  enum { FAILED = 5000, ROUNDS = 300 };
  int counts[2] = {0, 0}, i;
  gevt_event_t event = event_with(FLAGS);
  for (i = 0; i < FAILED; i++) {
    CHECK_OK(gevt_signal(event, FAILURE));
    CHECK_OK(gevt_reset(event));
  }
  for (i = 0; i < ROUNDS; i++) {
    CHECK_OK(gevt_on_complete(event, note_failure, counts));
    CHECK_OK(gevt_signal(event, GEVT_SUCCESS));
    CHECK_OK(gevt_reset(event));
  }
  CHECK(count_await(&counts[0], ROUNDS));
  CHECK_EQUAL(counts[1], 0);
  CHECK_OK(gevt_signal(event, GEVT_SUCCESS));
  CHECK_OK(gevt_destroy(event));
}

int main(int argc, char **argv) {
  peer_own = signal_or_reset;
  peer_serve(argc, argv);
  subject_begin(argc, argv);
  backends_open();
  RUN_ON_HOST(it_is_its_own_processs_too);
  RUN_ON_HOST(its_own_process_hears_every_status);
  RUN_ON_HOST(failures_do_not_spread);
  RUN_ON_HOST(importers_hear_of_signals);
  RUN_ON_HOST(importers_neither_signal_nor_record);
  RUN_ON_HOST(importers_hear_of_the_end);
  RUN(streams_of_all_backends_hear);
  backends_close();
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
