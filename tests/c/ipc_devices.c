/* Imported events and the streams of another device. The plain CUDA driver crashes where a stream waits for an event that was
   imported on another device. usage: ipc_devices [host|cuda] */
#include "driver.h"
#include "peer.h"

static gevt_context_t second;

/* A stream of the second device that waits for an event which this process has imported on the first one. */
typedef struct bridge {
  gevt_event_t event, behind;
  gevt_stream_t stream;
} bridge_t;

static bridge_t bridge_make(peer_t *peer, int event) {
  bridge_t made;
  made.event = event_imported(peer, event);
  made.stream = stream_in(second, GEVT_STREAM_NON_BLOCKING);
  made.behind = event_with(GEVT_EVENT_DISABLE_TIMING);
  return made;
}

static void bridge_finish(bridge_t made) {
  CHECK_OK(gevt_destroy(made.event));
  CHECK_OK(gevt_destroy(made.behind));
  stream_finish(made.stream);
}

static void unrecorded_and_done(void) {
  peer_t peer = peer_start();
  bridge_t to = bridge_make(&peer, 0);
  CHECK_OK(gevt_stream_wait(to.stream, to.event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_stream_sync(to.stream));
  CHECK_OK(peer_ask(&peer, PEER_RECORD, 0, 0));
  CHECK_OK(gevt_sync(to.event));
  CHECK_OK(gevt_stream_wait(to.stream, to.event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_stream_sync(to.stream));
  bridge_finish(to);
  peer_finish(&peer);
}

/* Work after the wait does not run before the other process's work is done. */
static void pending_work_is_waited_for(void) {
  peer_t peer = peer_start();
  bridge_t to = bridge_make(&peer, 0);
  int ran = 0, round;
  for (round = 0; round < 3; round++) {
    CHECK_OK(peer_ask(&peer, PEER_BLOCK, 0, 0));
    CHECK_OK(peer_ask(&peer, PEER_RECORD, 0, 0));
    CHECK_OK(gevt_stream_wait(to.stream, to.event, GEVT_WAIT_DEFAULT));
    CHECK_OK(gevt_record(to.behind, to.stream));
    CHECK_OK(gevt_stream_launch(to.stream, count_up, &ran));
    CHECK_NOT_READY(gevt_query(to.event));
    CHECK_FAILS(gevt_sync_timeout(to.behind, 20 * MILLISECOND), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
    CHECK_EQUAL(count_of(&ran), round);
    CHECK_OK(peer_ask(&peer, PEER_UNBLOCK, 0, 0));
    CHECK_OK(gevt_sync(to.behind));
    CHECK_OK(gevt_query(to.event));
    CHECK_OK(gevt_stream_sync(to.stream));
    CHECK_EQUAL(count_of(&ran), round + 1);
    CHECK_OK(peer_ask(&peer, PEER_STREAM_SYNC, 0, 0));
  }
  bridge_finish(to);
  peer_finish(&peer);
}

/* The second wait is over while the first is not. */
static void waits_do_not_hold_each_other_up(void) {
  enum { MANY = 4 };
  peer_t peer = peer_start();
  bridge_t first = bridge_make(&peer, 0), others[MANY];
  int i;
  CHECK_OK(peer_ask(&peer, PEER_BLOCK, 0, 0));
  CHECK_OK(peer_ask(&peer, PEER_RECORD, 0, 0));
  CHECK_OK(gevt_stream_wait(first.stream, first.event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(first.behind, first.stream));
  for (i = 0; i < MANY; i++) {
    others[i] = bridge_make(&peer, i + 1);
    CHECK_OK(gevt_stream_wait(others[i].stream, others[i].event, GEVT_WAIT_DEFAULT));
    CHECK_OK(peer_ask(&peer, PEER_RECORD, i + 1, 1));
    CHECK_OK(gevt_stream_wait(others[i].stream, others[i].event, GEVT_WAIT_DEFAULT));
    CHECK_OK(gevt_record(others[i].behind, others[i].stream));
  }
  for (i = 0; i < MANY && CHECK_OK(gevt_sync_timeout(others[i].behind, HANG_LIMIT)); i++) {}
  CHECK_NOT_READY(gevt_query(first.behind));
  CHECK_OK(peer_ask(&peer, PEER_UNBLOCK, 0, 0));
  CHECK_OK(gevt_sync(first.behind));
  for (i = 0; i < MANY; i++) bridge_finish(others[i]);
  bridge_finish(first);
  peer_finish(&peer);
}

/* A wait means the record that it saw: later ones, and the end of the event, change nothing. */
static void a_wait_outlives_its_event(void) {
  peer_t peer = peer_start();
  bridge_t to = bridge_make(&peer, 0);
  CHECK_OK(peer_ask(&peer, PEER_BLOCK, 0, 0));
  CHECK_OK(peer_ask(&peer, PEER_RECORD, 0, 0));
  CHECK_OK(gevt_stream_wait(to.stream, to.event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(to.behind, to.stream));
  CHECK_OK(gevt_destroy(to.event));
  CHECK_NOT_READY(gevt_query(to.behind));
  CHECK_OK(peer_ask(&peer, PEER_UNBLOCK, 0, 0));
  CHECK_OK(gevt_sync(to.behind));
  CHECK_OK(gevt_destroy(to.behind));
  stream_finish(to.stream);
  peer_finish(&peer);
}

/* The importer's own record is waited for from the other device as well. */
static void own_record(void) {
  peer_t peer = peer_start();
  bridge_t to = bridge_make(&peer, 0);
  gevt_stream_t here = stream_new();
  gate_t gate = GATE_CLOSED;
  gate_close(&gate, here);
  CHECK_OK(gevt_record(to.event, here));
  CHECK_OK(gevt_stream_wait(to.stream, to.event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(to.behind, to.stream));
  CHECK_NOT_READY(gevt_query(to.behind));
  gate_open(&gate);
  CHECK_OK(gevt_sync(to.behind));
  CHECK(gate_passed(&gate));
  stream_finish(here);
  bridge_finish(to);
  peer_finish(&peer);
}

/* An exported event is this process's event: the other device's stream waits for it as for any other. */
static void exported(void) {
  gevt_ipc_handle_t handle;
  gevt_event_t event = event_exported(&handle), behind = event_with(GEVT_EVENT_DISABLE_TIMING);
  gevt_stream_t here = stream_new(), there = stream_in(second, GEVT_STREAM_NON_BLOCKING);
  gate_t gate = GATE_CLOSED;
  CHECK_OK(gevt_stream_wait(there, event, GEVT_WAIT_DEFAULT));
  gate_close(&gate, here);
  CHECK_OK(gevt_record(event, here));
  CHECK_OK(gevt_stream_wait(there, event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(behind, there));
  CHECK_NOT_READY(gevt_query(behind));
  gate_open(&gate);
  CHECK_OK(gevt_sync(behind));
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_destroy(behind));
  stream_finish(here);
  stream_finish(there);
  CHECK_EQUAL(gevt_live_events(), 0);
}

/* A graph on one device cannot wait for another process's event of another device. */
static void external(void) {
  peer_t peer = peer_start();
  gevt_event_t event = event_imported(&peer, 0);
  gevt_stream_t stream = NULL;
  void *context = NULL, *native = NULL, *graph = NULL;
  CHECK_EQUAL(driver.primary_retain(&context, 1), 0);
  CHECK_EQUAL(driver.context_set_current(context), 0);
  CHECK_EQUAL(driver.stream_create(&native, DRIVER_STREAM_NON_BLOCKING), 0);
  CHECK_EQUAL(driver.context_set_current(NULL), 0);
  CHECK_OK(gevt_stream_wrap(&stream, second, native));
  CHECK_FAILS(gevt_stream_wait(stream, event, GEVT_WAIT_EXTERNAL), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_NOT_CAPTURING);
  CHECK_EQUAL(driver.capture_begin(native, DRIVER_CAPTURE_RELAXED), 0);
  CHECK_FAILS(gevt_stream_wait(stream, event, GEVT_WAIT_EXTERNAL), GEVT_ERROR_NOT_SUPPORTED, GEVT_DETAIL_BACKEND);
  CHECK_EQUAL(driver.capture_end(native, &graph), 0);
  if (graph) CHECK_EQUAL(driver.graph_destroy(graph), 0);
  stream_finish(stream);
  CHECK_EQUAL(driver.stream_destroy(native), 0);
  CHECK_EQUAL(driver.primary_release(1), 0);
  CHECK_OK(gevt_destroy(event));
  peer_finish(&peer);
}

/* An event that the program itself has opened, and lends to gevt. */
static void wrapped(void) {
  peer_t peer = peer_start();
  int (*ipc_open)(void **event, gevt_ipc_handle_t handle);
  gevt_event_t event = NULL, behind = event_with(GEVT_EVENT_DISABLE_TIMING);
  gevt_stream_t stream = stream_in(second, GEVT_STREAM_NON_BLOCKING);
  void *context = NULL, *native = NULL;
  driver_symbol(&ipc_open, "cuIpcOpenEventHandle");
  CHECK_OK(peer_ask(&peer, PEER_CREATE, 0, SHARED_FLAGS));
  CHECK_OK(peer_ask(&peer, PEER_EXPORT, 0, 0));
  CHECK_EQUAL(driver.primary_retain(&context, 0), 0);
  CHECK_EQUAL(driver.context_set_current(context), 0);
  CHECK_EQUAL(ipc_open(&native, peer.answer.handle), 0);
  CHECK_EQUAL(driver.context_set_current(NULL), 0);
  CHECK_OK(gevt_wrap(&event, NULL, native, SHARED_FLAGS));
  CHECK_OK(peer_ask(&peer, PEER_BLOCK, 0, 0));
  CHECK_OK(peer_ask(&peer, PEER_RECORD, 0, 0));
  CHECK_OK(gevt_stream_wait(stream, event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(behind, stream));
  CHECK_NOT_READY(gevt_query(behind));
  CHECK_OK(peer_ask(&peer, PEER_UNBLOCK, 0, 0));
  CHECK_OK(gevt_sync(behind));
  CHECK_OK(gevt_destroy(event));
  CHECK_EQUAL(driver.event_destroy(native), 0);
  CHECK_EQUAL(driver.primary_release(0), 0);
  CHECK_OK(gevt_destroy(behind));
  stream_finish(stream);
  peer_finish(&peer);
}

/* The event's context ends: no call with it reaches the driver, and the other device continues. */
static void the_events_context_ends(void) {
  peer_t peer = peer_start();
  bridge_t to = bridge_make(&peer, 0);
  int round;
  CHECK_OK(gevt_stream_wait(to.stream, to.event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_stream_sync(to.stream));
  CHECK_EQUAL(driver.primary_reset(0), 0);
  for (round = 0; round < 2; round++) {
    CHECK_FAILS(gevt_stream_wait(to.stream, to.event, GEVT_WAIT_DEFAULT), GEVT_ERROR_CONTEXT_IS_DESTROYED,
                GEVT_DETAIL_CONTEXT_LOST);
  }
  CHECK_OK(gevt_stream_sync(to.stream));
  CHECK_OK(gevt_record(to.behind, to.stream));
  CHECK_OK(gevt_sync(to.behind));
  bridge_finish(to);
  peer_finish(&peer);
}

int main(int argc, char **argv) {
  int32_t count = 0;
  setenv("GEVT_HOST_DEVICES", "2", 0);
  /* Streams that share a hardware queue hold each other up. */
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  peer_serve(argc, argv);
  subject_begin(argc, argv);
  CHECK_OK(gevt_device_count(&count, subject_backend));
  if (count < 2) {
    return subject_skip("%s: one device", subject_program);
  }
  CHECK_OK(gevt_context_open(&second, subject_backend, 1));
  RUN(unrecorded_and_done);
  RUN(pending_work_is_waited_for);
  RUN(waits_do_not_hold_each_other_up);
  RUN(a_wait_outlives_its_event);
  RUN(own_record);
  RUN(exported);
  if (!subject_is_host()) {
    driver_load();
    driver_load_objects();
    driver_load_captures();
    RUN(external);
    RUN(wrapped);
    RUN(the_events_context_ends);
  }
  CHECK_OK(gevt_context_close(second));
  return subject_end();
}
