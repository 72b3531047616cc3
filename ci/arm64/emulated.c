/* Preloaded into arm64 programs under qemu-user, where two things are otherwise than on a machine:
   - A program that executes itself anew has to name the emulator, whose path is TEST_EMULATOR.
   - qemu makes up what a process reads of itself in /proc/self/stat, and other processes read the truth. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int execv(const char *path, char *const *arguments) {
  const char *emulator = getenv("TEST_EMULATOR"), *preloaded = getenv("LD_PRELOAD");
  char **longer, *setting = NULL;
  size_t count = 0;
  while (arguments[count]) count++;
  longer = calloc(count + 3, sizeof *longer);
  if (!emulator || !longer) {
    errno = ENOENT;
    return -1;
  }
  longer[0] = (char *)emulator;
  longer[1] = (char *)path;
  if (count) memcpy(longer + 2, arguments + 1, count * sizeof *longer);
  /* The emulator itself cannot load what its program can. */
  if (preloaded && asprintf(&setting, "LD_PRELOAD=%s", preloaded) > 0) {
    setenv("QEMU_SET_ENV", setting, 1);
    unsetenv("LD_PRELOAD");
  }
  return execve(emulator, longer, environ);
}

int open64(const char *path, int flags, ...) {
  int (*next)(const char *, int, ...);
  char own[64], real[64];
  mode_t mode;
  va_list arguments;
  va_start(arguments, flags);
  mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  *(void **)&next = dlsym(RTLD_NEXT, "open64");
  snprintf(own, sizeof own, "/proc/%d/stat", getpid());
  if (strcmp(path, own) != 0 && strcmp(path, "/proc/self/stat") != 0) return next(path, flags, mode);
  /* The first thread has the process's number, start and stack. */
  snprintf(real, sizeof real, "/proc/self/task/%d/stat", getpid());
  return next(real, flags);
}
