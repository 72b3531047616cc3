/* Whether a process is idle: all its threads sleep in the kernel, and no time limit wakes them. */
#ifndef GEVT_TESTS_IDLE_H
#define GEVT_TESTS_IDLE_H

#include "gate.h"
#include "subject.h"

typedef enum thread_rest { THREAD_WORKS, THREAD_SLEEPS_FOR_A_TIME, THREAD_SLEEPS } thread_rest_t;

/* How a thread rests, by the kernel's word for the system call that it is in: the number and the arguments. A thread that has ended sleeps. */
static inline thread_rest_t thread_rest(const char *tid) {
  unsigned long long arguments[4] = {0};
  long call = -1;
  char path[300], line[300] = "";
  FILE *file;
  snprintf(path, sizeof path, "/proc/self/task/%s/syscall", tid);
  file = fopen(path, "r");
  if (!file) return THREAD_SLEEPS;
  if (!fgets(line, sizeof line, file)) line[0] = 0;
  fclose(file);
  if (!line[0]) return THREAD_SLEEPS;
  if (sscanf(line, "%ld %llx %llx %llx %llx", &call, &arguments[0], &arguments[1], &arguments[2], &arguments[3]) != 5) {
    return THREAD_WORKS;
  }
  switch (call) {
  case SYS_read:
    return THREAD_SLEEPS;
  case SYS_futex:
    return arguments[3] == 0 ? THREAD_SLEEPS : THREAD_SLEEPS_FOR_A_TIME;
  case SYS_ppoll:
    return arguments[2] == 0 ? THREAD_SLEEPS : THREAD_SLEEPS_FOR_A_TIME;
#ifdef SYS_poll
  case SYS_poll:
    return (int)arguments[2] == -1 ? THREAD_SLEEPS : THREAD_SLEEPS_FOR_A_TIME;
#endif
  /* futex_waitv, which not every header knows. */
  case 449:
    return arguments[3] == 0 ? THREAD_SLEEPS : THREAD_SLEEPS_FOR_A_TIME;
  }
  return THREAD_WORKS;
}

/* Waits until all threads but the calling one sleep, and no more than so many of them for a limited time; 0 if that never comes. A thread
   that sleeps without a limit costs nothing until another one wakes it. What was just done may spin for a moment before it parks. A tool
   that watches has threads of its own, which are not looked at. */
static inline int process_await_idle(const char *state, int most_for_a_time) {
  long long deadline = now_ns() + HANG_LIMIT;
  char self[32];
  int count[3];
  if (subject_tool()) return 1;
  snprintf(self, sizeof self, "%ld", (long)syscall(SYS_gettid));
  do {
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *entry;
    if (!CHECK(tasks != NULL)) return 0;
    memset(count, 0, sizeof count);
    while ((entry = readdir(tasks)) != NULL) {
      if (entry->d_name[0] != '.' && strcmp(entry->d_name, self) != 0) count[thread_rest(entry->d_name)]++;
    }
    closedir(tasks);
    if (count[THREAD_WORKS] == 0 && count[THREAD_SLEEPS_FOR_A_TIME] <= most_for_a_time) {
      printf("%s: %d threads sleep, %d of them for a time\n", state,
             count[THREAD_SLEEPS] + count[THREAD_SLEEPS_FOR_A_TIME], count[THREAD_SLEEPS_FOR_A_TIME]);
      return 1;
    }
    sleep_ns(MILLISECOND);
  } while (now_ns() < deadline);
  printf("%s: %d threads work, %d sleep for a time\n", state, count[THREAD_WORKS], count[THREAD_SLEEPS_FOR_A_TIME]);
  return 0;
}

#endif
