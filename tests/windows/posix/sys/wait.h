/* Child processes, by their handles. */
#ifndef GEVT_TESTS_WINDOWS_WAIT_H
#define GEVT_TESTS_WINDOWS_WAIT_H

#include <process.h>
#include <stdint.h>
#include <sys/types.h>
#include <windows.h>

#define WNOHANG 1
#define SIGKILL 9
#define WIFEXITED(status) 1
#define WEXITSTATUS(status) (status)
#define WTERMSIG(status) 0

static inline pid_t waitpid(pid_t child, int *status, int options) {
  HANDLE process = (HANDLE)(intptr_t)child;
  DWORD code;
  if (WaitForSingleObject(process, options & WNOHANG ? 0 : INFINITE) != WAIT_OBJECT_0) return 0;
  GetExitCodeProcess(process, &code);
  *status = (int)code;
  CloseHandle(process);
  return child;
}

static inline int kill(pid_t child, int signal) {
  return TerminateProcess((HANDLE)(intptr_t)child, (UINT)signal) ? 0 : -1;
}

/* Starts a program; the arguments are put between quotation marks. */
static inline pid_t child_spawn(const char *program, char **arguments) {
  char quoted[8][512];
  const char *given[9];
  int i;
  for (i = 0; i < 8 && arguments[i]; i++) {
    snprintf(quoted[i], sizeof quoted[i], "\"%s\"", arguments[i]);
    given[i] = quoted[i];
  }
  given[i] = NULL;
  return (pid_t)_spawnv(_P_NOWAIT, program, given);
}

#endif
