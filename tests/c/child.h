/* Child processes of tests and how they ended. A child that takes longer than HANG_LIMIT is killed and counts as a
   failure. */
#ifndef GEVT_TESTS_CHILD_H
#define GEVT_TESTS_CHILD_H

#include "gate.h"
#include "subject.h"

#include <limits.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#ifndef _WIN32
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#endif

enum { CHILD_HUNG = 1000, CHILD_SIGNALLED = 2000 };

/* The exit code; CHILD_SIGNALLED + the signal; or CHILD_HUNG. */
static inline int child_end(pid_t child) {
  long long deadline = now_ns() + HANG_LIMIT;
  int status = 0;
  while (now_ns() < deadline) {
    pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return WIFEXITED(status) ? WEXITSTATUS(status) : CHILD_SIGNALLED + WTERMSIG(status);
    if (ended < 0) return -1;
    sleep_ns(MILLISECOND);
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return CHILD_HUNG;
}

/* Starts this program anew, with the given arguments after its name. */
static inline pid_t child_start_self(const char *first, const char *second) {
  /* The link's target: a tool that runs the program under its control cannot start the link. */
  char program[PATH_MAX] = "";
  char *arguments[4];
  pid_t child;
  if (readlink("/proc/self/exe", program, sizeof program - 1) < 0) return -1;
  arguments[0] = program;
  arguments[1] = (char *)(uintptr_t)first;
  arguments[2] = (char *)(uintptr_t)second;
  arguments[3] = NULL;
  fflush(stdout);
#ifdef _WIN32
  child = child_spawn(program, arguments);
#else
  child = fork();
  if (child == 0) {
    execv(program, arguments);
    _exit(127);
  }
#endif
  return child;
}

#ifndef _WIN32
/* Variables of the next peer, as NAME=VALUE, or NAME to take it away; one a line. NULL: none. */
static const char *child_variables;

static inline void child_set_variables(const char *variables) {
  char copy[1000], *line, *rest = copy;
  if (!variables) return;
  snprintf(copy, sizeof copy, "%s", variables);
  while ((line = strsep(&rest, "\n")) != NULL) {
    char *value = strchr(line, '=');
    if (value) *value++ = 0;
    if (value)
      setenv(line, value, 1);
    else
      unsetenv(line);
  }
  setenv("GEVT_TEST_VARIABLES", variables, 1);
}

/* Goes on in a child, whose clocks began so many seconds earlier; 0 if the user may not. The calling process ends as the child does. */
static inline int child_in_time_namespace(const char *seconds) {
  char offset[64];
  int length = snprintf(offset, sizeof offset, "boottime %s 0", seconds), file, written;
  pid_t child;
  /* CLONE_NEWTIME, which not every header knows. */
  if (unshare(0x80) != 0) return 0;
  file = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
  written = file >= 0 && write(file, offset, (size_t)length) == length;
  if (file >= 0) close(file);
  if (!written) return 0;
  child = fork();
  if (child == 0) return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;
  for (file = 3; file < 1024; file++) close(file);
  _exit(child < 0 ? 127 : child_end(child));
}

/* Starts this program anew as a peer: its arguments are the backend, --peer, and the descriptor of its end of the channel. It ends with this
   process. Returns -1 without a channel or a process. */
static inline pid_t child_start_peer(int *channel) {
  char program[PATH_MAX] = "", number[16];
  char backend[8], option[] = "--peer", *arguments[] = {program, backend, option, number, NULL};
  int ends[2];
  pid_t child;
  snprintf(backend, sizeof backend, "%s", subject_name());
  if (readlink("/proc/self/exe", program, sizeof program - 1) < 0 ||
      socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return -1;
  }
  snprintf(number, sizeof number, "%d", ends[1]);
  fflush(stdout);
  child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    child_set_variables(child_variables);
    if (getenv("GEVT_TEST_TIME_NAMESPACE")) child_in_time_namespace(getenv("GEVT_TEST_TIME_NAMESPACE"));
    if (getenv("GEVT_TEST_CLOSED_STREAMS")) close(0), close(1), close(2);
    /* Not execl: an emulator's tests replace execv. */
    if (fcntl(ends[1], F_SETFD, 0) == 0) execv(program, arguments);
    _exit(127);
  }
  close(ends[1]);
  *channel = ends[0];
  return child;
}
#endif

static inline int child_run_self(const char *first, const char *second) {
  pid_t child = child_start_self(first, second);
  return child < 0 ? -1 : child_end(child);
}

/* Runs one case of this program many times, each time in a new process, until one fails. Returns this program's exit code. */
static inline int child_rounds(const char *name, int rounds) {
  int round, ended;
  subject_case(name);
  for (round = 1; round <= rounds; round++) {
    ended = child_run_self(subject_name(), name);
    if (ended == SUBJECT_SKIPPED) return SUBJECT_SKIPPED;
    if (!CHECK_EQUAL(ended, 0)) {
      printf("%s: round %d of %d FAILED%s\n", name, round, rounds, ended == CHILD_HUNG ? ": it did not end" : "");
      break;
    }
  }
  CHECK(rounds > 0);
  return subject_end();
}

#endif
