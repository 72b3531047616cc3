/* Which processes count as alive: not one that runs another program or leaves a child behind, but one that closes other events.
   usage: ipc_alive [host] */
#include "peer.h"

enum { PEER_FORK = PEER_OWN, PEER_EXEC };

static void fork_or_exec(const peer_letter_t *letter, peer_answer_t *answer) {
  if (letter->order == PEER_EXEC) execlp("sleep", "sleep", "300", (char *)NULL);
  answer->value = fork();
  while (answer->value == 0) pause();
}

/* A process that has called exec finishes no record, although it is alive. */
static void a_process_that_runs_another_program_is_gone(void) {
  peer_t peer = peer_start();
  gevt_event_t event = event_imported(&peer, 0);
  CHECK_OK(peer_ask(&peer, PEER_BLOCK, 0, 0));
  CHECK_OK(peer_ask(&peer, PEER_RECORD, 0, 0));
  CHECK_NOT_READY(gevt_query(event));
  peer_tell(&peer, PEER_EXEC, 0, 0);
  CHECK_FAILS(gevt_sync(event), GEVT_ERROR_CONTEXT_IS_DESTROYED, GEVT_DETAIL_IPC_PEER_GONE);
  CHECK_EQUAL(kill(peer.process, 0), 0);
  peer_kill(&peer);
  CHECK_OK(gevt_destroy(event));
}

/* Its child has all that it had open, and finishes no record either. */
static void a_child_that_stays_does_not_stand_in(void) {
  peer_t peer = peer_start();
  gevt_event_t event = event_imported(&peer, 0);
  pid_t child;
  CHECK_OK(peer_ask(&peer, PEER_BLOCK, 0, 0));
  CHECK_OK(peer_ask(&peer, PEER_RECORD, 0, 0));
  CHECK_OK(peer_ask(&peer, PEER_FORK, 0, 0));
  child = (pid_t)peer.answer.value;
  CHECK_NOT_READY(gevt_query(event));
  peer_kill(&peer);
  CHECK_FAILS(gevt_sync(event), GEVT_ERROR_CONTEXT_IS_DESTROYED, GEVT_DETAIL_IPC_PEER_GONE);
  if (CHECK(child > 0)) CHECK_EQUAL(kill(child, SIGKILL), 0);
  CHECK_OK(gevt_destroy(event));
}

/* An importer that closes one of several events, or opens one again, is still there for the others. */
static void imports_come_and_go_beside_a_pending_record(void) {
  gevt_event_t event, other;
  gevt_ipc_handle_t handle;
  peer_t peer = peer_sharing(&event);
  int i;
  other = event_exported(&handle);
  CHECK_OK(peer_ask(&peer, PEER_BLOCK, 0, 0));
  CHECK_OK(peer_ask(&peer, PEER_RECORD, 0, 0));
  for (i = 0; i < 3; i++) {
    CHECK_OK(peer_import(&peer, 1, &handle));
    CHECK_OK(peer_ask(&peer, PEER_DESTROY, 1, 0));
    CHECK_NOT_READY(gevt_query(event));
  }
  CHECK_OK(peer_ask(&peer, PEER_UNBLOCK, 0, 0));
  CHECK_OK(gevt_sync(event));
  /* The last one goes, and the next is the first again. */
  CHECK_OK(peer_ask(&peer, PEER_DESTROY, 0, 0));
  CHECK_OK(peer_import(&peer, 1, &handle));
  CHECK_OK(peer_ask(&peer, PEER_BLOCK, 0, 0));
  CHECK_OK(peer_ask(&peer, PEER_RECORD, 1, 0));
  CHECK_NOT_READY(gevt_query(other));
  CHECK_OK(peer_ask(&peer, PEER_UNBLOCK, 0, 0));
  CHECK_OK(gevt_sync(other));
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_destroy(other));
  CHECK_EQUAL(peer_end(&peer), 0);
}

int main(int argc, char **argv) {
  peer_own = fork_or_exec;
  peer_serve(argc, argv);
  subject_begin(argc, argv);
  RUN_ON_HOST(a_process_that_runs_another_program_is_gone);
  RUN_ON_HOST(a_child_that_stays_does_not_stand_in);
  RUN_ON_HOST(imports_come_and_go_beside_a_pending_record);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
