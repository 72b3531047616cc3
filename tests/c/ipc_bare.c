/* Events between processes where something is missing that they build upon: descriptors, /proc, or system calls. Each call has its
   status, and who waits still hears of the end of a process.
   usage: ipc_bare [host|cuda] */
#include "held.h"
#include "idle.h"
#include "peer.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/syscall.h>

enum { FLAGS = GEVT_EVENT_DISABLE_TIMING | GEVT_EVENT_INTERPROCESS };
enum { PEER_FORBID = PEER_OWN, PEER_AWAIT_IDLE };

/* An event with a record of the peer's that is pending. */
static gevt_event_t event_pending(peer_t *peer) {
  gevt_event_t event = event_imported(peer, 0);
  CHECK_OK(peer_ask(peer, PEER_BLOCK, 0, 0));
  CHECK_OK(peer_ask(peer, PEER_RECORD, 0, 0));
  CHECK_NOT_READY(gevt_query(event));
  return event;
}

/* The peer is dead. All waiters learn of it, also its parent, which has not waited for the process yet. */
static void is_lost_at_once(gevt_event_t event) {
  CHECK_FAILS(gevt_sync_timeout(event, HANG_LIMIT), GEVT_ERROR_CONTEXT_IS_DESTROYED, GEVT_DETAIL_IPC_PEER_GONE);
}

static void without_descriptors(void) {
  peer_t peer = peer_start(), stranger = peer_start();
  gevt_event_t event = event_pending(&peer), other = event_with(FLAGS), imported = NULL;
  gevt_ipc_handle_t handle;
  struct rlimit limit, none;
  int i;
  CHECK_OK(peer_ask(&stranger, PEER_CREATE, 0, FLAGS));
  CHECK_OK(peer_ask(&stranger, PEER_EXPORT, 0, 0));
  CHECK_EQUAL(getrlimit(RLIMIT_NOFILE, &limit), 0);
  none = limit;
  none.rlim_cur = 0;
  CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &none), 0);
  CHECK_STATUS(gevt_sync_timeout(event, 60 * MILLISECOND), GEVT_ERROR_TIMEOUT);
  CHECK_STATUS(gevt_ipc_import(&imported, NULL, &stranger.answer.handle), GEVT_ERROR_OUT_OF_MEMORY);
  /* Events that fit into memory that is there already are exported all the same. */
  for (i = 0; i < 300; i++) {
    gevt_status_t status = gevt_ipc_export(&handle, other);
    if (status != GEVT_SUCCESS) {
      CHECK_STATUS(status, GEVT_ERROR_OUT_OF_MEMORY);
      break;
    }
    CHECK_OK(gevt_destroy(other));
    other = event_with(FLAGS);
  }
  CHECK(i < 300);
  kill(peer.process, SIGKILL);
  is_lost_at_once(event);
  CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &limit), 0);
  CHECK_OK(gevt_ipc_export(&handle, other));
  CHECK_EQUAL(peer_end(&peer), CHILD_SIGNALLED + SIGKILL);
  CHECK_EQUAL(peer_end(&stranger), 0);
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_destroy(other));
}

/* As a service that confines itself to a folder after it has begun. */
static void without_proc(void) {
  char folder[SCRATCH_SIZE];
  peer_t peer = peer_start();
  gevt_event_t event = event_pending(&peer);
  int root = open("/", O_PATH | O_CLOEXEC), confined;
  CHECK(root >= 0 && mkdtemp(scratch_path(folder, "ipc-bare")) != NULL);
  confined = chroot(folder) == 0;
  if (!confined) printf("SKIPPED: without_proc: this user cannot confine itself\n");
  CHECK_STATUS(gevt_sync_timeout(event, 60 * MILLISECOND), GEVT_ERROR_TIMEOUT);
  CHECK_NOT_READY(gevt_query(event));
  peer_kill(&peer);
  is_lost_at_once(event);
  if (confined) CHECK(fchdir(root) == 0 && chroot(".") == 0);
  close(root);
  CHECK_EQUAL(rmdir(folder), 0);
  CHECK_OK(gevt_destroy(event));
}

/* Makes the two system calls fail as if the kernel did not have them. */
static int forbid(int first, int second) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program;
  code[1].k = (unsigned)first;
  code[2].k = (unsigned)second;
  program.len = sizeof code / sizeof *code;
  program.filter = code;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

static void obey(const peer_letter_t *letter, peer_answer_t *answer) {
  switch (letter->order) {
  case PEER_FORBID:
    /* futex_waitv has one number everywhere; not every header knows it. */
    answer->value = forbid(SYS_memfd_create, 449);
    break;
  default:
    answer->value = process_await_idle("the peer", 0);
  }
}

/* The peer's kernel is an old one, or its sandbox allows less. */
static void without_system_calls(void) {
  peer_t peer = peer_start(), late = peer_start();
  gevt_stream_t stream = stream_new();
  gevt_ipc_handle_t handle;
  gevt_event_t event = event_exported(&handle);
  gate_t gate = GATE_CLOSED;
  CHECK_OK(peer_import(&peer, 0, &handle));
  CHECK_OK(peer_ask(&peer, PEER_FORBID, 0, 0));
  CHECK_OK(peer_ask(&late, PEER_FORBID, 0, 0));
  if (peer.answer.value != 0 || late.answer.value != 0) {
    printf("SKIPPED: without_system_calls: no system call can be forbidden here\n");
  } else {
    CHECK_OK(peer_ask(&late, PEER_CREATE, 0, FLAGS));
    CHECK_STATUS(peer_ask(&late, PEER_EXPORT, 0, 0), GEVT_ERROR_NOT_SUPPORTED);
    CHECK_STATUS(peer_ask(&late, PEER_RECORD, 0, 0), GEVT_ERROR_NOT_SUPPORTED);
    CHECK_STATUS(peer_import(&late, 1, &handle), GEVT_ERROR_NOT_SUPPORTED);
    gate_close(&gate, stream);
    CHECK_OK(gevt_record(event, stream));
    CHECK_OK(peer_ask(&peer, PEER_WAIT, 0, 0));
    CHECK_STATUS(peer_ask(&peer, PEER_STREAM_QUERY, 0, 0), GEVT_ERROR_NOT_READY);
    gate_open(&gate);
    CHECK_OK(peer_ask(&peer, PEER_STREAM_SYNC, 0, 0));
    /* When all waits have ended, no thread polls any more. */
    CHECK_OK(peer_ask(&peer, PEER_AWAIT_IDLE, 0, 0));
    CHECK_EQUAL(peer.answer.value, 1);
  }
  CHECK_EQUAL(peer_exit(&peer, 3), 3);
  CHECK_EQUAL(peer_exit(&late, 3), 3);
  stream_finish(stream);
  CHECK_OK(gevt_destroy(event));
}

int main(int argc, char **argv) {
  peer_own = obey;
  peer_serve(argc, argv);
  subject_begin(argc, argv);
  RUN(without_descriptors);
  RUN(without_proc);
  RUN(without_system_calls);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
