/* The caller's stream captures: gevt's records and waits join them, and its queries do not end them. */
#include "owned.h"

static owned_context_t owned;

static void capture_begin(owned_stream_t stream) {
  DRIVER_PREPARE(driver.capture_begin(stream.native, DRIVER_CAPTURE_GLOBAL));
}

/* A capture that something spoiled has no graph. */
static void *capture_end(owned_stream_t stream) {
  void *graph = NULL, *executable = NULL;
  CHECK_EQUAL(driver.capture_end(stream.native, &graph), 0);
  CHECK(graph != NULL);
  if (!graph) return NULL;
  /* The driver instantiates in the context that is current. */
  CHECK_EQUAL(driver.context_set_current(owned.native), 0);
  CHECK_EQUAL(driver.graph_instantiate(&executable, graph, 0), 0);
  CHECK_EQUAL(driver.context_set_current(NULL), 0);
  CHECK_EQUAL(driver.graph_destroy(graph), 0);
  return executable;
}

static void graph_run(void *executable, owned_stream_t stream) {
  if (!executable) return;
  CHECK_EQUAL(driver.graph_launch(executable, stream.native), 0);
  CHECK_OK(gevt_stream_sync(stream.stream));
}

static void graph_finish(void *executable) {
  if (executable) CHECK_EQUAL(driver.executable_destroy(executable), 0);
}

static void is_captured(gevt_event_t event) {
  size_t index = 99;
  gevt_event_t unrecorded = event_new();
  float ms;
  CHECK_FAILS(gevt_elapsed(&ms, event, unrecorded), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_NOT_RECORDED);
  CHECK_FAILS(gevt_elapsed(&ms, unrecorded, event), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_NOT_RECORDED);
  CHECK_OK(gevt_destroy(unrecorded));
  CHECK_FAILS(gevt_query(event), GEVT_ERROR_CAPTURED_EVENT, GEVT_DETAIL_CAPTURED);
  CHECK_FAILS(gevt_sync(event), GEVT_ERROR_CAPTURED_EVENT, GEVT_DETAIL_CAPTURED);
  CHECK_FAILS(gevt_sync_timeout(event, 0), GEVT_ERROR_CAPTURED_EVENT, GEVT_DETAIL_CAPTURED);
  CHECK_FAILS(gevt_sync_all(&event, 1, GEVT_TIMEOUT_INFINITE), GEVT_ERROR_CAPTURED_EVENT, GEVT_DETAIL_CAPTURED);
  CHECK_FAILS(gevt_sync_any(&index, &event, 1, GEVT_TIMEOUT_INFINITE), GEVT_ERROR_CAPTURED_EVENT, GEVT_DETAIL_CAPTURED);
  CHECK_FAILS(gevt_elapsed(&ms, event, event), GEVT_ERROR_CAPTURED_EVENT, GEVT_DETAIL_CAPTURED);
  CHECK_EQUAL(event_info(event).state, GEVT_STATE_CAPTURED);
}

/* Asking does not end the capture, and an event that is recorded outside it afterwards is an ordinary one again. */
static void questions_do_not_end_it(void) {
  owned_stream_t stream = owned_stream_make(owned);
  gevt_event_t event = event_in(owned), finished = event_in(owned);
  void *executable;
  int counter = 0;
  CHECK_OK(gevt_record(finished, stream.stream));
  CHECK_OK(gevt_sync(finished));
  capture_begin(stream);
  CHECK_OK(gevt_record(event, stream.stream));
  is_captured(event);
  CHECK_OK(gevt_query(finished));
  CHECK_OK(gevt_sync(finished));
  CHECK_OK(gevt_stream_launch(stream.stream, count_up, &counter));
  executable = capture_end(stream);
  is_captured(event);
  CHECK_EQUAL(count_of(&counter), 0);
  graph_run(executable, stream);
  CHECK_EQUAL(count_of(&counter), 1);
  CHECK_OK(gevt_record(event, stream.stream));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_query(event));
  graph_finish(executable);
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_destroy(finished));
  owned_stream_finish(stream);
}

/* Waits for a captured stream are refused with a timeout as without one, and a refused one leaves the capture as it is. */
static void captured_streams_are_not_waited_for(void) {
  owned_stream_t stream = owned_stream_make(owned);
  void *executable;
  int counter = 0;
  capture_begin(stream);
  CHECK_OK(gevt_stream_launch(stream.stream, count_up, &counter));
  CHECK_STATUS(gevt_stream_sync_timeout(stream.stream, SECOND), GEVT_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  executable = capture_end(stream);
  CHECK_EQUAL(count_of(&counter), 0);
  graph_run(executable, stream);
  CHECK_EQUAL(count_of(&counter), 1);
  graph_finish(executable);
  owned_stream_finish(stream);
}

/* A completion that gevt waits for on one of its threads does not end it either. */
static void completions_do_not_end_it(void) {
  owned_stream_t stream = owned_stream_make(owned), other = owned_stream_make(owned);
  gevt_event_t pending = event_in(owned), event = event_in(owned);
  gate_t gate = GATE_CLOSED;
  void *executable;
  int called = 0;
  gate_close(&gate, other.stream);
  CHECK_OK(gevt_record(pending, other.stream));
  CHECK_OK(gevt_on_complete(pending, count_call, &called));
  capture_begin(stream);
  CHECK_OK(gevt_record(event, stream.stream));
  /* Time for a good many looks. */
  sleep_ns(20 * MILLISECOND);
  gate_open(&gate);
  while (count_of(&called) == 0) sleep_ns(MILLISECOND);
  executable = capture_end(stream);
  graph_run(executable, stream);
  graph_finish(executable);
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_destroy(pending));
  owned_stream_finish(other);
  owned_stream_finish(stream);
}

/* A graph runs its functions as often as it is launched, whether or not they were captured under a trace. */
static void functions_run_again_under_a_trace(void) {
  owned_stream_t stream = owned_stream_make(owned);
  gevt_event_t before = event_in(owned), after = event_in(owned);
  void *executable;
  int counter = 0;
  int64_t ns;
  CHECK_OK(gevt_trace_start("/dev/null"));
  CHECK_OK(gevt_record(before, stream.stream));
  CHECK_OK(gevt_sync(before));
  capture_begin(stream);
  CHECK_OK(gevt_stream_launch(stream.stream, count_up, &counter));
  executable = capture_end(stream);
  graph_run(executable, stream);
  graph_run(executable, stream);
  CHECK_EQUAL(count_of(&counter), 2);
  CHECK_OK(gevt_record(after, stream.stream));
  CHECK_OK(gevt_sync(after));
  CHECK_OK(gevt_elapsed_ns(&ns, before, after));
  CHECK_OK(gevt_trace_stop());
  graph_run(executable, stream);
  CHECK_EQUAL(count_of(&counter), 3);
  graph_finish(executable);
  CHECK_OK(gevt_destroy(before));
  CHECK_OK(gevt_destroy(after));
  owned_stream_finish(stream);
}

/* The capture forks to another stream through a wait for one of its events, and joins again through another. */
static void fork_and_join(owned_stream_t stream, gevt_stream_t branch) {
  gevt_event_t fork_event = event_in(owned), join_event = event_in(owned), after = event_in(owned);
  void *executable;
  int counter = 0, round;
  capture_begin(stream);
  CHECK_OK(gevt_stream_launch(stream.stream, count_up, &counter));
  CHECK_OK(gevt_record(fork_event, stream.stream));
  CHECK_OK(gevt_stream_wait(branch, fork_event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_stream_launch(branch, count_up, &counter));
  CHECK_OK(gevt_record(join_event, branch));
  is_captured(fork_event);
  is_captured(join_event);
  CHECK_OK(gevt_stream_launch(stream.stream, count_up, &counter));
  CHECK_OK(gevt_stream_wait(stream.stream, join_event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_stream_launch(stream.stream, count_up, &counter));
  executable = capture_end(stream);
  CHECK_EQUAL(count_of(&counter), 0);
  for (round = 1; round <= 2; round++) {
    graph_run(executable, stream);
    CHECK_EQUAL(count_of(&counter), 4 * round);
  }
  /* The branch has left the capture with its end. */
  CHECK_OK(gevt_record(join_event, branch));
  CHECK_OK(gevt_sync(join_event));
  CHECK_OK(gevt_stream_wait(branch, join_event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(after, branch));
  CHECK_OK(gevt_sync(after));
  CHECK_OK(gevt_query(after));
  graph_finish(executable);
  CHECK_OK(gevt_destroy(fork_event));
  CHECK_OK(gevt_destroy(join_event));
  CHECK_OK(gevt_destroy(after));
}

static void forks_to_an_wrapped_stream(void) {
  owned_stream_t stream = owned_stream_make(owned), branch = owned_stream_make(owned);
  fork_and_join(stream, branch.stream);
  fork_and_join(stream, branch.stream);
  owned_stream_finish(branch);
  owned_stream_finish(stream);
}

static void forks_to_a_stream_of_gevt(void) {
  owned_stream_t stream = owned_stream_make(owned);
  gevt_stream_t branch = stream_in(owned.context, GEVT_STREAM_NON_BLOCKING);
  fork_and_join(stream, branch);
  fork_and_join(stream, branch);
  stream_finish(branch);
  owned_stream_finish(stream);
}

/* From a gevt stream that has joined, the capture continues to the next one. */
static void forks_in_a_chain(void) {
  enum { BRANCHES = 3 };
  owned_stream_t stream = owned_stream_make(owned);
  gevt_stream_t branches[BRANCHES];
  gevt_event_t events[BRANCHES + 1];
  void *executable;
  int counter = 0, i;
  for (i = 0; i <= BRANCHES; i++) events[i] = event_in(owned);
  for (i = 0; i < BRANCHES; i++) branches[i] = stream_in(owned.context, GEVT_STREAM_NON_BLOCKING);
  capture_begin(stream);
  CHECK_OK(gevt_record(events[0], stream.stream));
  for (i = 0; i < BRANCHES; i++) {
    CHECK_OK(gevt_stream_wait(branches[i], events[i], GEVT_WAIT_DEFAULT));
    CHECK_OK(gevt_stream_launch(branches[i], count_up, &counter));
    CHECK_OK(gevt_record(events[i + 1], branches[i]));
    is_captured(events[i + 1]);
  }
  CHECK_OK(gevt_stream_wait(stream.stream, events[BRANCHES], GEVT_WAIT_DEFAULT));
  executable = capture_end(stream);
  graph_run(executable, stream);
  CHECK_EQUAL(count_of(&counter), BRANCHES);
  graph_finish(executable);
  for (i = 0; i <= BRANCHES; i++) CHECK_OK(gevt_destroy(events[i]));
  for (i = 0; i < BRANCHES; i++) stream_finish(branches[i]);
  owned_stream_finish(stream);
}

/* External records and waits are nodes of the graph: each launch records and waits anew. */
static void external(void) {
  owned_stream_t stream = owned_stream_make(owned), other = owned_stream_make(owned);
  gevt_event_t start = event_in(owned), end = event_in(owned), awaited = event_in(owned);
  gate_t gate = GATE_CLOSED;
  void *executable;
  int counter = 0;
  float ms = -1;
  CHECK_OK(gevt_record(awaited, other.stream));
  CHECK_OK(gevt_sync(awaited));
  capture_begin(stream);
  CHECK_OK(gevt_record_with_flags(start, stream.stream, GEVT_RECORD_EXTERNAL));
  CHECK_OK(gevt_stream_wait(stream.stream, awaited, GEVT_WAIT_EXTERNAL));
  CHECK_OK(gevt_stream_launch(stream.stream, count_up, &counter));
  CHECK_OK(gevt_record_with_flags(end, stream.stream, GEVT_RECORD_EXTERNAL));
  executable = capture_end(stream);
  if (!executable) return;
  graph_run(executable, stream);
  CHECK_EQUAL(count_of(&counter), 1);
  CHECK_OK(gevt_query(start));
  CHECK_OK(gevt_query(end));
  CHECK_OK(gevt_elapsed(&ms, start, end));
  CHECK(ms >= 0);
  /* The second launch waits for a record that is pending. */
  gate_close(&gate, other.stream);
  CHECK_OK(gevt_record(awaited, other.stream));
  CHECK_EQUAL(driver.graph_launch(executable, stream.native), 0);
  CHECK_NOT_READY(gevt_stream_query(stream.stream));
  CHECK_EQUAL(count_of(&counter), 1);
  gate_open(&gate);
  CHECK_OK(gevt_stream_sync(stream.stream));
  CHECK(gate_passed(&gate));
  CHECK_EQUAL(count_of(&counter), 2);
  CHECK_OK(gevt_query(awaited));
  CHECK_OK(gevt_sync(end));
  CHECK_OK(gevt_query(end));
  CHECK_OK(gevt_elapsed(&ms, start, end));
  CHECK(ms >= 0);
  graph_finish(executable);
  CHECK_OK(gevt_destroy(start));
  CHECK_OK(gevt_destroy(end));
  CHECK_OK(gevt_destroy(awaited));
  owned_stream_finish(stream);
  owned_stream_finish(other);
}

/* Driver events that were destroyed after a gate are reused. One that is recorded in a graph, or exported, before its
   first record must not show an earlier event's past. */
static void external_without_a_past(void) {
  enum { MANY = 600 };
  owned_stream_t stream = owned_stream_make(owned), other = owned_stream_make(owned);
  gate_t gate = GATE_CLOSED;
  gevt_event_t event, given;
  void *executable, *native = NULL;
  int i;
  gate_close(&gate, other.stream);
  for (i = 0; i < MANY; i++) {
    event = event_in(owned);
    CHECK_OK(gevt_record(event, other.stream));
    CHECK_OK(gevt_destroy(event));
  }
  event = event_in(owned);
  given = event_in(owned);
  capture_begin(stream);
  CHECK_OK(gevt_record_with_flags(event, stream.stream, GEVT_RECORD_EXTERNAL));
  executable = capture_end(stream);
  CHECK_OK(gevt_query(event));
  CHECK_OK(gevt_native(&native, given));
  CHECK_OK(gevt_query(given));
  gate_open(&gate);
  CHECK_OK(gevt_stream_sync(other.stream));
  if (executable) graph_finish(executable);
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_destroy(given));
  owned_stream_finish(stream);
  owned_stream_finish(other);
}

int main(int argc, char **argv) {
  owned_begin(argc, argv);
  driver_load_captures();
  owned = owned_context_make();
  /* Captures in GLOBAL mode are the strictest: they reject unsafe calls on any thread. */
  RUN(questions_do_not_end_it);
  RUN(captured_streams_are_not_waited_for);
  RUN(completions_do_not_end_it);
  RUN(functions_run_again_under_a_trace);
  RUN(forks_to_an_wrapped_stream);
  RUN(forks_to_a_stream_of_gevt);
  RUN(forks_in_a_chain);
  RUN(external);
  RUN(external_without_a_past);
  owned_context_finish(owned);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
