/* CUDA streams that wait for a host event when the process exits. The driver would wait for them in its exit handlers,
   so all of them must continue. Runs over the strict driver, which counts the streams that continued.
   usage: exit_gates cuda [CASE] */
#include "child.h"
#include "objects.h"

enum { EXIT_CODE = 3, FAILED_CODE = 99, GATES = 3 };

static gevt_event_t event;
static int is_child;

static int words(const char *counter) {
  int (*count)(void) = NULL;
  void *symbol = strict_symbol(counter);
  memcpy(&count, &symbol, sizeof symbol);
  return count ? count() : -1;
}

/* Registered before gevt's handlers, and so run after them, like the driver's. */
static void await_streams(void) {
  long long deadline = now_ns() + HANG_LIMIT;
  if (!is_child) return;
  while (words("strict_words_passed") < GATES) {
    if (now_ns() > deadline) _exit(FAILED_CODE);
    sleep_ns(MILLISECOND);
  }
  if (check_failures() != 0) _exit(FAILED_CODE);
}

__attribute__((constructor)) static void register_await(void) {
  if (atexit(await_streams) != 0) abort();
}

static void run_child(void) {
  gevt_context_t host = NULL;
  gevt_stream_t source, streams[GATES];
  gevt_event_t recorded = event_new();
  int i;
  CHECK_OK(gevt_context_open(&host, GEVT_BACKEND_HOST, 0));
  source = stream_in(host, GEVT_STREAM_NON_BLOCKING);
  event = event_with(GEVT_EVENT_HOST_SIGNALED);
  CHECK_OK(gevt_stream_wait(source, event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(recorded, source));
  for (i = 0; i < GATES; i++) {
    streams[i] = stream_new();
    CHECK_OK(gevt_stream_wait(streams[i], i == 0 ? event : recorded, GEVT_WAIT_DEFAULT));
  }
  CHECK_EQUAL(words("strict_words_passed"), 0);
  /* What stands below the strict driver begins no function once it exits. */
  while (words("strict_words_begun") < GATES) sleep_ns(MILLISECOND);
  is_child = 1;
  exit(check_failures() ? FAILED_CODE : EXIT_CODE);
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  if (!subject_is_cuda() || words("strict_words_passed") < 0)
    return subject_skip("it counts waits of the strict driver's own, over CUDA without a GPU");
  if (argc > 2) run_child();
  subject_case("gates_at_exit");
  CHECK_EQUAL(child_run_self("cuda", "child"), EXIT_CODE);
  return subject_end();
}
