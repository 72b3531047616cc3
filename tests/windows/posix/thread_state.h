/* The states of this process's threads. */
#ifndef GEVT_TESTS_WINDOWS_THREAD_STATE_H
#define GEVT_TESTS_WINDOWS_THREAD_STATE_H

#include <tlhelp32.h>
#include <windows.h>

static inline long long thread_time(HANDLE thread) {
  FILETIME begun, ended, kernel, user;
  if (!GetThreadTimes(thread, &begun, &ended, &kernel, &user)) return -1;
  return (long long)(((unsigned long long)(kernel.dwHighDateTime + user.dwHighDateTime) << 32) + kernel.dwLowDateTime +
                     user.dwLowDateTime);
}

/* Returns 1 if the thread has used no time for a while, so it sleeps; -1 if the thread does not exist. */
static inline int thread_asleep(int id) {
  HANDLE thread = OpenThread(THREAD_QUERY_INFORMATION, FALSE, (DWORD)id);
  long long before;
  int asleep;
  if (!thread) return -1;
  before = thread_time(thread);
  Sleep(50);
  asleep = thread_time(thread) == before;
  CloseHandle(thread);
  return asleep;
}

/* Waits until the process has used no time for a tenth of a second; 0 if that never comes. */
static inline int process_await_idle(void) {
  long long deadline = now_ns() + HANG_LIMIT;
  FILETIME begun, ended, kernel, user;
  unsigned long long before, now = 0;
  do {
    before = now;
    Sleep(100);
    if (!GetProcessTimes(GetCurrentProcess(), &begun, &ended, &kernel, &user)) return 0;
    now = (((unsigned long long)kernel.dwHighDateTime + user.dwHighDateTime) << 32) + kernel.dwLowDateTime +
          user.dwLowDateTime;
    if (now == before) return 1;
  } while (now_ns() < deadline);
  return 0;
}

/* The number of threads of this process. */
static inline int thread_count(void) {
  HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
  THREADENTRY32 entry;
  int count = 0;
  entry.dwSize = sizeof entry;
  if (all == INVALID_HANDLE_VALUE || !Thread32First(all, &entry)) return -1;
  do {
    count += entry.th32OwnerProcessID == GetCurrentProcessId();
  } while (Thread32Next(all, &entry));
  CloseHandle(all);
  return count;
}

#endif
