/* Exits while detached threads are in their first calls of the CUDA runtime.

   usage: exit_race THREADS MICROSECONDS     how many threads, and how long after all of them have begun the program exits

   With EXIT_RACE_TRACE set, a crash prints which thread it is in, and where. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

int cudaHostAlloc(void **memory, size_t bytes, unsigned flags);
int cudaMemsetAsync(void *memory, int value, size_t bytes, void *stream);
int cudaStreamSynchronize(void *stream);

#define PER_THREAD_STREAM ((void *)2)

static int begun;

static void *first_calls(void *user) {
  void *memory = NULL;
  (void)user;
  __atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
  if (cudaHostAlloc(&memory, 1 << 16, 0) == 0 && memory) {
    cudaMemsetAsync(memory, 0, 1 << 16, PER_THREAD_STREAM);
    cudaStreamSynchronize(PER_THREAD_STREAM);
  }
  for (;;) pause();
  return NULL;
}

static void say(const char *text) {
  if (write(2, text, strlen(text)) < 0) _exit(9);
}

static void crashed(int signal_number, siginfo_t *info, void *user) {
  void *frames[40];
  char line[200];
  Dl_info where;
  void *at = NULL;
  int count;
#if defined(__x86_64__)
  at = (void *)((ucontext_t *)user)->uc_mcontext.gregs[REG_RIP];
#else
  (void)user;
#endif
  signal(signal_number, SIG_DFL);
  alarm(5);
  snprintf(line, sizeof line, "crash: signal %d, %s thread, address %p, at %p ", signal_number,
           syscall(SYS_gettid) == getpid() ? "the exiting" : "a detached", info->si_addr, at);
  say(line);
  if (at && dladdr(at, &where) && where.dli_fname) {
    snprintf(line, sizeof line, "%s+0x%lx", where.dli_fname, (unsigned long)((char *)at - (char *)where.dli_fbase));
    say(line);
  } else {
    say("nothing that is mapped");
  }
  say("\n");
  count = backtrace(frames, 40);
  backtrace_symbols_fd(frames, count, 2);
  raise(signal_number);
}

int main(int argc, char **argv) {
  int i, threads = argc > 1 ? atoi(argv[1]) : 8, microseconds = argc > 2 ? atoi(argv[2]) : 0;
  if (getenv("EXIT_RACE_TRACE")) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = crashed;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGABRT, &action, NULL);
  }
  for (i = 0; i < threads; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, first_calls, NULL) != 0) return 9;
    pthread_detach(thread);
  }
  while (__atomic_load_n(&begun, __ATOMIC_SEQ_CST) < threads) sched_yield();
  if (microseconds) usleep((useconds_t)microseconds);
  exit(0);
}
