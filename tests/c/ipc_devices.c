/* Imported events and the streams of another device. The plain CUDA driver crashes where a stream waits for an event that was
   imported on another device. tests/scenarios/ipc.scn has what the host can show. usage: ipc_devices cuda */
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
  /* Streams that share a hardware queue hold each other up. */
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  peer_serve(argc, argv);
  subject_begin(argc, argv);
  CHECK_OK(gevt_device_count(&count, subject_backend));
  if (count < 2) {
    return subject_skip("%s: one device", subject_program);
  }
  CHECK_OK(gevt_context_open(&second, subject_backend, 1));
  driver_load();
  driver_load_objects();
  driver_load_captures();
  RUN(external);
  RUN(wrapped);
  RUN(the_events_context_ends);
  CHECK_OK(gevt_context_close(second));
  return subject_end();
}
