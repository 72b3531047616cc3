/* What the tests use of POSIX and mingw-w64 lacks. Included before everything else in a test program for Windows. */
#ifndef GEVT_TESTS_WINDOWS_POSIX_H
#define GEVT_TESTS_WINDOWS_POSIX_H

#define __USE_MINGW_ANSI_STDIO 1
/* windows.h has macros of these names. */
#define NOMINMAX
#define WIN32_LEAN_AND_MEAN

#include <process.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

/* Windows has no buffers of lines. */
#undef _IOLBF
#define _IOLBF _IONBF

/* Names of the tests' own. */
#undef near
#undef far
#define CONTEXT TEST_CONTEXT

static inline int setenv(const char *name, const char *value, int replace) {
  /* gevt reads the process's environment, and the program its C library's copy. */
  if (!replace && getenv(name)) return 0;
  SetEnvironmentVariableA(name, value);
  return _putenv_s(name, value);
}

/* A thread has no clock that other threads can read: the time that passes replaces the time that it runs. */
#undef pthread_getcpuclockid
static inline int pthread_getcpuclockid(pthread_t thread, clockid_t *clock) {
  (void)thread;
  *clock = CLOCK_MONOTONIC;
  return 0;
}

/* Only the program's own file is asked for. */
static inline long readlink(const char *link, char *path, size_t size) {
  (void)link;
  return (long)GetModuleFileNameA(NULL, path, (DWORD)size);
}

/* TEST_DRIVERS names a folder in which libraries of drivers are found, as if the program had added it. */
__attribute__((constructor)) static void add_drivers(void) {
  const char *folder = getenv("TEST_DRIVERS");
  char path[MAX_PATH];
  wchar_t wide[MAX_PATH];
  if (!folder || !*folder) return;
  if (!_fullpath(path, folder, sizeof path) || !MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, MAX_PATH) ||
      !AddDllDirectory(wide)) {
    printf("FAILED: %s cannot be added\n", folder);
    exit(1);
  }
}

/* No test has paths that differ in anything but the drive and the direction of the slashes. */
static inline char *realpath(const char *path, char *resolved) {
  return _fullpath(resolved, path, MAX_PATH);
}

enum { _SC_NPROCESSORS_ONLN };

static inline long sysconf(int name) {
  SYSTEM_INFO info;
  (void)name;
  GetSystemInfo(&info);
  return (long)info.dwNumberOfProcessors;
}

#endif
