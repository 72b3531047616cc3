/* Child processes of tests: how one ended, with a limit of ten seconds so that a child that hangs is a failure and is killed. */
#ifndef GEVT_TESTS_CHILD_H
#define GEVT_TESTS_CHILD_H

#include "gate.h"

#include <limits.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>

enum { CHILD_HUNG = 1000, CHILD_SIGNALLED = 2000 };

/* The exit code; CHILD_SIGNALLED + the signal; or CHILD_HUNG. */
static inline int child_end(pid_t child) {
  long long deadline = now_ns() + 10 * SECOND;
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

/* Runs this program anew, with the given arguments after its name. */
static inline int child_run_self(const char *first, const char *second) {
  /* The path behind the link: a tool that runs the program under its own control cannot start the link. */
  char program[PATH_MAX] = "";
  char *arguments[4];
  pid_t child;
  if (readlink("/proc/self/exe", program, sizeof program - 1) < 0) return -1;
  arguments[0] = program;
  arguments[1] = (char *)(uintptr_t)first;
  arguments[2] = (char *)(uintptr_t)second;
  arguments[3] = NULL;
  fflush(stdout);
  child = fork();
  if (child == 0) {
    execv(program, arguments);
    _exit(127);
  }
  return child < 0 ? -1 : child_end(child);
}

#endif
