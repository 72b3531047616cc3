/* The one system call of the tests. */
#ifndef GEVT_TESTS_WINDOWS_SYSCALL_H
#define GEVT_TESTS_WINDOWS_SYSCALL_H

#include <windows.h>

#define SYS_gettid 0

static inline long syscall(int number) {
  return number == SYS_gettid ? (long)GetCurrentThreadId() : -1;
}

#endif
