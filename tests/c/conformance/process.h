/* A case's process: this program, run anew for the one case, and what it printed. */
#ifndef GEVT_TESTS_CONFORMANCE_PROCESS_H
#define GEVT_TESTS_CONFORMANCE_PROCESS_H

#include "../child.h"

#include <poll.h>

/* The option that makes the program answer one case. */
#define PROCESS_ANSWER "--answer"

typedef struct process {
  /* As child_end gives it. */
  int end;
  char output[8192];
} process_t;

/* Reads until the other end is closed, or until the time is up. */
static inline void process_read(process_t *process, int fd) {
  long long deadline = now_ns() + HANG_LIMIT;
  size_t length = 0;
  for (;;) {
    struct pollfd ready;
    ssize_t got;
    long long left = deadline - now_ns();
    ready.fd = fd;
    ready.events = POLLIN;
    if (left <= 0 || poll(&ready, 1, (int)(left / MILLISECOND) + 1) <= 0) break;
    if (length >= sizeof process->output - 1) break;
    got = read(fd, process->output + length, sizeof process->output - 1 - length);
    if (got <= 0) break;
    length += (size_t)got;
  }
  process->output[length] = 0;
}

static inline process_t process_run(const char *backend, const char *name) {
  static process_t process;
  char program[PATH_MAX], *arguments[5];
  int ends[2];
  pid_t child;
  memset(&process, 0, sizeof process);
  /* By its name, since under valgrind the link itself leads to valgrind. */
  if (!realpath("/proc/self/exe", program)) program[0] = 0;
  arguments[0] = (char *)(uintptr_t)subject_program;
  arguments[1] = (char *)(uintptr_t)backend;
  arguments[2] = (char *)(uintptr_t)PROCESS_ANSWER;
  arguments[3] = (char *)(uintptr_t)name;
  arguments[4] = NULL;
  fflush(stdout);
  if (pipe(ends) != 0 || (child = fork()) < 0) {
    printf("FAILED: no pipe, or no process\n");
    exit(1);
  }
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execv(program, arguments);
    _exit(127);
  }
  close(ends[1]);
  process_read(&process, ends[0]);
  process.end = child_end(child);
  close(ends[0]);
  return process;
}

#endif
