/* Signals in gevt's own threads: the program's are left to the program's threads, and faults reach its handlers.
   usage: signals [host|cuda] */
#include "objects.h"

#include <signal.h>
#include <sys/mman.h>

static char *guarded;
static size_t page_size;
static int faults, asynchronous_blocked, faults_blocked;

/* As a garbage collector's write barrier: lets the write through. */
static void unguard(int signal_number, siginfo_t *info, void *context) {
  (void)signal_number;
  (void)context;
  if ((char *)info->si_addr < guarded || (char *)info->si_addr >= guarded + page_size) _exit(98);
  count_up(&faults);
  if (mprotect(guarded, page_size, PROT_READ | PROT_WRITE) != 0) _exit(97);
}

static void write_guarded(void *user) {
  const int open[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP},
            blocked[] = {SIGINT, SIGTERM, SIGALRM, SIGUSR1, SIGCHLD};
  sigset_t mask;
  int faulting = 0;
  size_t i;
  (void)user;
  pthread_sigmask(SIG_BLOCK, NULL, &mask);
  for (i = 0; i < sizeof open / sizeof *open; i++) faulting += sigismember(&mask, open[i]);
  for (i = 0; i < sizeof blocked / sizeof *blocked; i++) asynchronous_blocked += sigismember(&mask, blocked[i]);
  __atomic_store_n(&faults_blocked, faulting, __ATOMIC_SEQ_CST);
  if (faulting == 0) *(volatile char *)guarded = 1;
}

static void on_complete(void *user, gevt_status_t status) {
  (void)status;
  write_guarded(user);
}

static void guard(void) {
  CHECK_EQUAL(mprotect(guarded, page_size, PROT_READ), 0);
  faults = asynchronous_blocked = faults_blocked = 0;
}

static void check_guard(void) {
  CHECK_EQUAL(faults_blocked, 0);
  CHECK_EQUAL(asynchronous_blocked, 5);
  CHECK_EQUAL(count_of(&faults), 1);
}

static void a_write_barrier_works_in_a_host_function(void) {
  gevt_stream_t stream = stream_new();
  guard();
  CHECK_OK(gevt_stream_launch(stream, write_guarded, NULL));
  stream_finish(stream);
  check_guard();
}

static void and_in_a_callback(void) {
  gevt_stream_t stream = stream_new();
  gevt_event_t event = event_new();
  guard();
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_on_complete(event, on_complete, NULL));
  while (count_of(&faults) == 0 && count_of(&faults_blocked) == 0) sleep_ns(MILLISECOND / 10);
  check_guard();
}

int main(int argc, char **argv) {
  struct sigaction action;
  subject_begin(argc, argv);
  page_size = (size_t)sysconf(_SC_PAGESIZE);
  guarded = (char *)mmap(NULL, page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (!CHECK(guarded != MAP_FAILED)) return subject_end();
  memset(&action, 0, sizeof action);
  action.sa_sigaction = unguard;
  action.sa_flags = SA_SIGINFO;
  CHECK_EQUAL(sigaction(SIGSEGV, &action, NULL), 0);
  RUN_ON_HOST(a_write_barrier_works_in_a_host_function);
  RUN(and_in_a_callback);
  return subject_end();
}
