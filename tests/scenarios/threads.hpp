// What the system does to threads: cancels them, sends them faults, and gives them no core.
#pragma once

#include "arguments.hpp"

#ifndef _WIN32
#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>

// cancel [TASK]: the calling thread or a task's ends at its next cancellation point. The step itself is not one.
static long long cancel(arguments &a) {
  int before;
  if (a.more()) return pthread_cancel(objects.of(a.word(), kind::task).work->thread);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  pthread_cancel(pthread_self());
  pthread_setcancelstate(before, nullptr);
  return 0;
}

static char *guarded;
static const size_t page_size = (size_t)sysconf(_SC_PAGESIZE);

// As a garbage collector's write barrier: lets the write through.
static void unguard(int, siginfo_t *info, void *) {
  if (info->si_addr != guarded || mprotect(guarded, page_size, PROT_READ | PROT_WRITE) != 0) _exit(98);
}

// guarded_write: a fault reaches the program's handler. Its other signals are left to other threads.
static std::string guarded_write() {
  struct sigaction action = {}, before;
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP})
    if (sigismember(&mask, fault)) return "a fault is blocked";
  for (const int other : {SIGINT, SIGTERM, SIGALRM, SIGUSR1, SIGCHLD})
    if (!sigismember(&mask, other)) return "a signal of the program's is not blocked";
  guarded = static_cast<char *>(mmap(nullptr, page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  action.sa_sigaction = unguard;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, &before);
  *static_cast<volatile char *>(guarded) = 1;
  sigaction(SIGSEGV, &before, nullptr);
  munmap(guarded, page_size);
  return "handled";
}

// yield_to_all NAME [back]: the threads of that name get a core only when nothing else wants it. `back` undoes that.
static void yield_to_all(const std::string &whose, arguments &a) {
  const int policy = a.more() && a.word() == "back" ? SCHED_OTHER : SCHED_IDLE;
  const std::string wanted = whose + "\n";
  DIR *tasks = opendir("/proc/self/task");
  if (!tasks) throw mistake("no /proc/self/task");
  while (const dirent *entry = readdir(tasks)) {
    char path[300], name[32] = "";
    const sched_param none = {};
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
    FILE *file = fopen(path, "r");
    // It fails for a thread that has ended meanwhile.
    if (file && fgets(name, sizeof name, file) && name == wanted)
      sched_setscheduler(atoi(entry->d_name), policy, &none);
    if (file) fclose(file);
  }
  closedir(tasks);
}
#endif
