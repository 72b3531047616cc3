/* CUDA on Windows: gevt loads nvcuda.dll and calls it, over a stand-in (nvcuda.c) in a folder that the program adds.
   usage: nvcuda_calls cuda */
#include "objects.h"

static gevt_status_t seen_in_function;

/* The driver calls gevt's function, which calls this one. */
static void look(void *user) {
  gate_pass(user);
  seen_in_function = gevt_query(NULL);
}

static int functions_of_driver(void) {
  int (*functions)(void);
  void *symbol = dlsym(GetModuleHandleA("nvcuda.dll"), "nvcuda_functions");
  memcpy(&functions, &symbol, sizeof functions);
  return CHECK(functions != NULL) ? functions() : -1;
}

static void every_call_reaches_the_driver(void) {
  gate_t gate = GATE_CLOSED;
  gevt_stream_t stream = stream_new(), other = stream_new();
  gevt_event_t start = event_new(), end = event_new(), last = event_with(GEVT_EVENT_DISABLE_TIMING);
  float ms = -1;
  int called = 0, before = functions_of_driver();
  CHECK_OK(gevt_record(start, stream));
  CHECK_OK(gevt_stream_launch(stream, look, &gate));
  CHECK_OK(gevt_record(end, stream));
  CHECK_OK(gevt_stream_wait(other, end, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(last, other));
  CHECK_OK(gevt_on_complete(last, count_call, &called));
  CHECK_OK(gevt_sync(start));
  CHECK_NOT_READY(gevt_query(end));
  CHECK_STATUS(gevt_elapsed(&ms, start, end), GEVT_ERROR_NOT_READY);
  CHECK_STATUS(gevt_sync_timeout(end, MILLISECOND), GEVT_ERROR_TIMEOUT);
  CHECK_STATUS(gevt_stream_query(stream), GEVT_ERROR_NOT_READY);
  gate_open(&gate);
  CHECK_OK(gevt_sync(last));
  CHECK(gate_passed(&gate));
  CHECK_EQUAL(seen_in_function, GEVT_ERROR_INVALID_HANDLE);
  CHECK_OK(gevt_query(end));
  CHECK_OK(gevt_elapsed(&ms, start, end));
  CHECK(ms >= 1 && ms < 600000);
  CHECK_FAILS(gevt_elapsed(&ms, start, last), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_TIMING_DISABLED);
  CHECK(count_await(&called, 1));
  CHECK(functions_of_driver() > before);
  CHECK_OK(gevt_context_sync(subject_context));
  CHECK_OK(gevt_destroy(start));
  CHECK_OK(gevt_destroy(end));
  CHECK_OK(gevt_destroy(last));
  stream_finish(stream);
  stream_finish(other);
  CHECK_OK(gevt_context_close(subject_context));
  CHECK_EQUAL(gevt_live_events(), 0);
}

int main(int argc, char **argv) {
  subject_choose(argc, argv);
  CHECK(GetModuleHandleA("nvcuda.dll") == NULL);
  subject_open();
  CHECK(GetModuleHandleA("nvcuda.dll") != NULL);
  RUN(every_call_reaches_the_driver);
  return subject_end();
}
