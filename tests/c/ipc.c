/* Events between two processes that are both well: what one records, the other sees, waits for and records anew.
   usage: ipc [host|cuda] */
#include "peer.h"

static void importer_sees_the_exporters_records(void) {
  gevt_event_t event;
  peer_t peer = peer_sharing(&event);
  gevt_stream_t stream = stream_new();
  int round;
  CHECK_OK(peer_ask(&peer, PEER_QUERY, 0, 0));
  CHECK_OK(peer_ask(&peer, PEER_SYNC, 0, 0));
  for (round = 0; round < 3; round++) {
    gate_t gate = GATE_CLOSED;
    gate_close(&gate, stream);
    CHECK_OK(gevt_record(event, stream));
    CHECK_STATUS(peer_ask(&peer, PEER_QUERY, 0, 0), GEVT_ERROR_NOT_READY);
    CHECK_STATUS(peer_ask(&peer, PEER_SYNC_TIMEOUT, 0, 10 * MILLISECOND), GEVT_ERROR_TIMEOUT);
    peer_tell(&peer, PEER_SYNC, 0, 0);
    CHECK_NOT_READY(gevt_query(event));
    gate_open(&gate);
    CHECK_OK(peer_hear(&peer));
    CHECK_OK(peer_ask(&peer, PEER_QUERY, 0, 0));
    CHECK_OK(gevt_query(event));
    CHECK_OK(gevt_stream_sync(stream));
  }
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
  peer_finish(&peer);
}

/* All forms of waiting, for the record of the process that imported. */
static void exporter_sees_the_importers_records(void) {
  peer_t peer = peer_start();
  gevt_ipc_handle_t handle;
  gevt_event_t event = event_exported(&handle), mine = event_with(GEVT_EVENT_DISABLE_TIMING);
  gevt_event_t both[2];
  gevt_stream_t stream = stream_new();
  size_t index = 7;
  int called = 0;
  both[0] = event;
  both[1] = mine;
  CHECK_OK(peer_import(&peer, 0, &handle));
  CHECK_OK(peer_ask(&peer, PEER_BLOCK, 0, 0));
  CHECK_OK(peer_ask(&peer, PEER_RECORD, 0, 0));
  CHECK_OK(gevt_record(mine, stream));
  CHECK_OK(gevt_sync(mine));
  CHECK_NOT_READY(gevt_query(event));
  CHECK_STATUS(gevt_sync_timeout(event, 0), GEVT_ERROR_TIMEOUT);
  CHECK_STATUS(gevt_sync_timeout(event, 10 * MILLISECOND), GEVT_ERROR_TIMEOUT);
  CHECK_STATUS(gevt_sync_all(both, 2, 10 * MILLISECOND), GEVT_ERROR_TIMEOUT);
  CHECK_STATUS(gevt_sync_any(&index, both, 1, 10 * MILLISECOND), GEVT_ERROR_TIMEOUT);
  CHECK_OK(gevt_sync_any(&index, both, 2, GEVT_TIMEOUT_INFINITE));
  CHECK_EQUAL(index, 1);
  CHECK_OK(gevt_on_complete(event, count_call, &called));
  CHECK_EQUAL(count_of(&called), 0);
  CHECK_OK(peer_ask(&peer, PEER_UNBLOCK, 0, 0));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_query(event));
  CHECK_OK(gevt_sync_timeout(event, 0));
  CHECK_OK(gevt_sync_all(both, 2, GEVT_TIMEOUT_INFINITE));
  CHECK_OK(gevt_sync_any(&index, both, 1, GEVT_TIMEOUT_INFINITE));
  CHECK_EQUAL(index, 0);
  CHECK(count_await(&called, 1));
  /* And the exporter's next record takes its place. */
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(peer_ask(&peer, PEER_SYNC, 0, 0));
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_destroy(mine));
  stream_finish(stream);
  peer_finish(&peer);
}

/* An event opened twice in one process is two events of it. */
static void imported_twice(void) {
  peer_t peer = peer_start();
  gevt_ipc_handle_t handle;
  gevt_event_t event = event_exported(&handle);
  CHECK_OK(peer_import(&peer, 0, &handle));
  CHECK_OK(peer_import(&peer, 1, &handle));
  CHECK_OK(peer_ask(&peer, PEER_BLOCK, 0, 0));
  CHECK_OK(peer_ask(&peer, PEER_RECORD, 0, 0));
  CHECK_STATUS(peer_ask(&peer, PEER_QUERY, 1, 0), GEVT_ERROR_NOT_READY);
  CHECK_OK(peer_ask(&peer, PEER_DESTROY, 0, 0));
  CHECK_STATUS(peer_ask(&peer, PEER_QUERY, 1, 0), GEVT_ERROR_NOT_READY);
  CHECK_NOT_READY(gevt_query(event));
  CHECK_OK(peer_ask(&peer, PEER_UNBLOCK, 0, 0));
  CHECK_OK(peer_ask(&peer, PEER_SYNC, 1, 0));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_destroy(event));
  peer_finish(&peer);
}

/* The exporter's event is destroyed while its record is pending; the importer's event stays valid. */
static void exporter_destroys_first(void) {
  peer_t peer = peer_start();
  gevt_ipc_handle_t handle;
  gevt_event_t event = event_exported(&handle);
  gevt_stream_t stream = stream_new();
  gate_t gate = GATE_CLOSED;
  CHECK_OK(peer_import(&peer, 0, &handle));
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_destroy(event));
  CHECK_STATUS(peer_ask(&peer, PEER_QUERY, 0, 0), GEVT_ERROR_NOT_READY);
  peer_tell(&peer, PEER_SYNC, 0, 0);
  gate_open(&gate);
  CHECK_OK(peer_hear(&peer));
  CHECK_OK(peer_ask(&peer, PEER_QUERY, 0, 0));
  CHECK_OK(peer_ask(&peer, PEER_RECORD, 0, 0));
  CHECK_OK(peer_ask(&peer, PEER_SYNC, 0, 0));
  CHECK_OK(peer_ask(&peer, PEER_DESTROY, 0, 0));
  /* Its handle is still valid: the event lives as long as the process that made it. */
  event = event_exported(&handle);
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(peer_import(&peer, 1, &handle));
  CHECK_OK(peer_ask(&peer, PEER_QUERY, 1, 0));
  stream_finish(stream);
  peer_finish(&peer);
}

/* A shared event's memory is not reused for another event: importers of the first would see the second one's records.
   CUDA's driver does reuse it: there an importer of a destroyed event sees a later one. */
static void destroyed_events_are_no_others(void) {
  enum { EVENTS = 20 };
  peer_t peer = peer_start();
  gevt_ipc_handle_t handle;
  gevt_event_t later[3 * EVENTS];
  gevt_stream_t stream = stream_new();
  gate_t gate = GATE_CLOSED;
  int i;
  for (i = 0; i < EVENTS; i++) {
    gevt_event_t event = event_exported(&handle);
    CHECK_OK(peer_import(&peer, i, &handle));
    CHECK_OK(gevt_record(event, stream));
    CHECK_OK(gevt_sync(event));
    CHECK_OK(gevt_destroy(event));
  }
  gate_close(&gate, stream);
  for (i = 0; i < 3 * EVENTS; i++) {
    later[i] = i % 3 == 0 ? event_exported(&handle) : event_with(i % 3 == 1 ? SHARED_FLAGS : GEVT_EVENT_DISABLE_TIMING);
    CHECK_OK(gevt_record(later[i], stream));
  }
  for (i = 0; i < EVENTS; i++) CHECK_OK(peer_ask(&peer, PEER_QUERY, i, 0));
  for (i = 0; i < 3 * EVENTS; i++) CHECK_NOT_READY(gevt_query(later[i]));
  /* Nor do the importers' records reach them. */
  for (i = 0; i < EVENTS; i++) CHECK_OK(peer_ask(&peer, PEER_RECORD, i, 0));
  for (i = 0; i < EVENTS; i++) CHECK_OK(peer_ask(&peer, PEER_SYNC, i, 0));
  for (i = 0; i < 3 * EVENTS; i++) CHECK_NOT_READY(gevt_query(later[i]));
  gate_open(&gate);
  for (i = 0; i < 3 * EVENTS; i++) CHECK_OK(gevt_sync(later[i]));
  for (i = 0; i < 3 * EVENTS; i++) CHECK_OK(gevt_destroy(later[i]));
  stream_finish(stream);
  peer_finish(&peer);
}

static void importer_destroys_first(void) {
  gevt_event_t event;
  peer_t peer = peer_sharing(&event);
  gevt_stream_t stream = stream_new();
  CHECK_OK(peer_ask(&peer, PEER_BLOCK, 0, 0));
  CHECK_OK(peer_ask(&peer, PEER_RECORD, 0, 0));
  CHECK_OK(peer_ask(&peer, PEER_DESTROY, 0, 0));
  CHECK_EQUAL((peer_ask(&peer, PEER_LIVE, 0, 0), peer.answer.value), 0);
  CHECK_NOT_READY(gevt_query(event));
  CHECK_OK(peer_ask(&peer, PEER_UNBLOCK, 0, 0));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
  peer_finish(&peer);
}

/* The info of a shared event. */
static void info_tells(void) {
  peer_t peer = peer_start();
  gevt_ipc_handle_t handle;
  gevt_event_t event = event_with(SHARED_FLAGS);
  gevt_event_info_t info;
  CHECK(event_info(event).context == NULL);
  CHECK_OK(gevt_ipc_export(&handle, event));
  info = event_info(event);
  /* The export has bound it. */
  CHECK(info.context != NULL);
  CHECK_EQUAL(info.backend, subject_backend);
  CHECK_EQUAL(info.imported, 0);
  CHECK_EQUAL(info.flags, SHARED_FLAGS);
  /* Another process may have recorded it, so it is not reported as unrecorded. */
  CHECK_EQUAL(info.state, GEVT_STATE_COMPLETE);
  CHECK_OK(peer_import(&peer, 0, &handle));
  CHECK_OK(peer_ask(&peer, PEER_INFO, 0, 0));
  CHECK_EQUAL(peer.answer.info.imported, 1);
  CHECK_EQUAL(peer.answer.info.backend, subject_backend);
  CHECK_EQUAL(peer.answer.info.flags & SHARED_FLAGS, SHARED_FLAGS);
  CHECK_OK(peer_ask(&peer, PEER_BLOCK, 0, 0));
  CHECK_OK(peer_ask(&peer, PEER_RECORD, 0, 0));
  CHECK_OK(peer_ask(&peer, PEER_INFO, 0, 0));
  CHECK_EQUAL(peer.answer.info.state, GEVT_STATE_PENDING);
  CHECK_EQUAL(event_info(event).state, GEVT_STATE_PENDING);
  CHECK_OK(peer_ask(&peer, PEER_UNBLOCK, 0, 0));
  CHECK_OK(gevt_sync(event));
  CHECK_EQUAL(event_info(event).state, GEVT_STATE_COMPLETE);
  CHECK_OK(peer_ask(&peer, PEER_INFO, 0, 0));
  CHECK_EQUAL(peer.answer.info.state, GEVT_STATE_COMPLETE);
  CHECK_OK(gevt_destroy(event));
  peer_finish(&peer);
}

/* An export may come after records, and more than once. */
static void exported_late_and_twice(void) {
  peer_t peer = peer_start();
  gevt_ipc_handle_t first, second;
  gevt_event_t event = event_with(SHARED_FLAGS);
  gevt_stream_t stream = stream_new();
  gate_t gate = GATE_CLOSED;
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_ipc_export(&first, event));
  CHECK_OK(gevt_ipc_export(&second, event));
  CHECK_OK(peer_import(&peer, 0, &first));
  CHECK_OK(peer_import(&peer, 1, &second));
  CHECK_STATUS(peer_ask(&peer, PEER_QUERY, 0, 0), GEVT_ERROR_NOT_READY);
  CHECK_STATUS(peer_ask(&peer, PEER_QUERY, 1, 0), GEVT_ERROR_NOT_READY);
  gate_open(&gate);
  CHECK_OK(peer_ask(&peer, PEER_SYNC, 0, 0));
  CHECK_OK(peer_ask(&peer, PEER_SYNC, 1, 0));
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
  peer_finish(&peer);
}

int main(int argc, char **argv) {
  peer_serve(argc, argv);
  subject_begin(argc, argv);
  RUN(importer_sees_the_exporters_records);
  RUN(exporter_sees_the_importers_records);
  RUN(imported_twice);
  RUN(exporter_destroys_first);
  RUN_ON_HOST(destroyed_events_are_no_others);
  RUN(importer_destroys_first);
  RUN(info_tells);
  RUN(exported_late_and_twice);
  return subject_end();
}
