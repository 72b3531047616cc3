/* What export and import refuse, and that they leave their outputs alone then. A handle is 64 bytes that came from somewhere: any
   of them may be wrong. usage: ipc_errors [host|cuda] */
#include "peer.h"

static void export_refuses(void) {
  gevt_ipc_handle_t handle;
  gevt_event_t plain = event_new(), untimed = event_with(GEVT_EVENT_DISABLE_TIMING), shared = event_with(SHARED_FLAGS);
  pattern_fill(&handle, sizeof handle);
  CHECK_FAILS(gevt_ipc_export(&handle, plain), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_NOT_EXPORTABLE);
  CHECK_FAILS(gevt_ipc_export(&handle, untimed), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_NOT_EXPORTABLE);
  CHECK_FAILS(gevt_ipc_export(&handle, NULL), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_ipc_export(NULL, shared), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_ipc_export(&handle, event_stale()), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  CHECK(pattern_intact(&handle, sizeof handle));
  /* A refusal binds nothing. */
  CHECK(event_info(plain).context == NULL);
  CHECK(event_info(shared).context == NULL);
  CHECK_EQUAL(sizeof handle, 64);
  CHECK_OK(gevt_destroy(plain));
  CHECK_OK(gevt_destroy(untimed));
  CHECK_OK(gevt_destroy(shared));
}

/* Refused as no handle of an event; gives whether it was. */
static int import_refuses(const gevt_ipc_handle_t *handle) {
  gevt_event_t event;
  pattern_fill(&event, sizeof event);
  return CHECK_STATUS(gevt_ipc_import(&event, NULL, handle), GEVT_ERROR_MAP_FAILED) &&
         CHECK(pattern_intact(&event, sizeof event));
}

static void import_refuses_what_is_no_handle(void) {
  gevt_ipc_handle_t handle;
  gevt_event_t event = NULL;
  memset(&handle, 0x5a, sizeof handle);
  CHECK(import_refuses(&handle));
  CHECK_FAILS(gevt_ipc_import(&event, NULL, &handle), GEVT_ERROR_MAP_FAILED, GEVT_DETAIL_IPC_BAD_HANDLE);
  CHECK_FAILS(gevt_ipc_import(NULL, NULL, &handle), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_ipc_import(&event, NULL, NULL), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  memset(&handle, 0, sizeof handle);
  CHECK(import_refuses(&handle));
  memset(&handle, 0xff, sizeof handle);
  CHECK(import_refuses(&handle));
  CHECK(event == NULL);
  CHECK_EQUAL(gevt_live_events(), 0);
}

static void import_refuses_this_process(void) {
  gevt_ipc_handle_t handle;
  gevt_event_t event = event_exported(&handle), imported;
  pattern_fill(&imported, sizeof imported);
  CHECK_FAILS(gevt_ipc_import(&imported, NULL, &handle), GEVT_ERROR_INVALID_CONTEXT, GEVT_DETAIL_IPC_SAME_PROCESS);
  CHECK(pattern_intact(&imported, sizeof imported));
  CHECK_OK(gevt_destroy(event));
  CHECK_FAILS(gevt_ipc_import(&imported, NULL, &handle), GEVT_ERROR_INVALID_CONTEXT, GEVT_DETAIL_IPC_SAME_PROCESS);
}

/* A handle with any one bit wrong, or truncated. */
static void import_refuses_a_damaged_handle(void) {
  peer_t peer = peer_start();
  gevt_event_t event = event_imported(&peer, 0);
  gevt_ipc_handle_t good = peer.handle, bad;
  int bit, length;
  for (bit = 0; bit < 512; bit++) {
    bad = good;
    ((unsigned char *)&bad)[bit / 8] ^= (unsigned char)(1u << bit % 8);
    if (!import_refuses(&bad)) printf("    bit %d\n", bit);
  }
  for (length = 0; length < 64; length++) {
    memset(&bad, 0, sizeof bad);
    memcpy(&bad, &good, (size_t)length);
    /* A good handle may end in zeros. */
    if (memcmp(&bad, &good, sizeof bad) != 0 && !import_refuses(&bad)) printf("    length %d\n", length);
  }
  CHECK_EQUAL(gevt_live_events(), 1);
  CHECK_OK(gevt_destroy(event));
  peer_finish(&peer);
}

static uint64_t random_state = 0x9e3779b97f4a7c15u;

static uint64_t random_next(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

/* Pieces of a good handle among random bytes, to reach the checks after the first one. */
static void import_refuses_random_handles(void) {
  peer_t peer = peer_start();
  gevt_event_t event = event_imported(&peer, 0);
  gevt_ipc_handle_t good = peer.handle, bad;
  int round, i;
  for (round = 0; round < 20000; round++) {
    uint64_t keep = random_next() | random_next();
    bad = good;
    for (i = 0; i < 64; i++) {
      if (!(keep >> i & 1)) ((unsigned char *)&bad)[i] = (unsigned char)random_next();
    }
    if (memcmp(&bad, &good, sizeof bad) != 0 && !import_refuses(&bad)) break;
  }
  CHECK_EQUAL(gevt_live_events(), 1);
  CHECK_OK(gevt_query(event));
  CHECK_OK(gevt_destroy(event));
  peer_finish(&peer);
}

/* The process that made the event has ended, and another one may have its number. */
static void import_refuses_what_is_gone(void) {
  peer_t peer = peer_start();
  gevt_event_t event = event_imported(&peer, 0), imported = NULL;
  CHECK_EQUAL(peer_exit(&peer, 5), 5);
  CHECK_FAILS(gevt_ipc_import(&imported, NULL, &peer.handle), GEVT_ERROR_MAP_FAILED, GEVT_DETAIL_IPC_PEER_GONE);
  CHECK(imported == NULL);
  /* Events imported before still work. */
  CHECK_OK(gevt_query(event));
  CHECK_OK(gevt_record(event, NULL));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_destroy(event));
}

/* A process of another user may not take part, whichever of the two made the event. */
static void import_refuses_another_user(void) {
  enum { NOBODY = 65534 };
  peer_t peer;
  gevt_ipc_handle_t handle;
  gevt_event_t event, imported = NULL;
  if (geteuid() != 0) {
    printf("SKIPPED: case import_refuses_another_user: it takes root to become somebody else\n");
    return;
  }
  peer = peer_start();
  event = event_exported(&handle);
  CHECK_OK(peer_ask(&peer, PEER_USER, 0, NOBODY));
  CHECK_STATUS(peer_import(&peer, 0, &handle), GEVT_ERROR_MAP_FAILED);
  CHECK_EQUAL(peer.answer.detail, GEVT_DETAIL_IPC_FOREIGN_USER);
  CHECK_OK(peer_ask(&peer, PEER_CREATE, 1, SHARED_FLAGS));
  CHECK_OK(peer_ask(&peer, PEER_EXPORT, 1, 0));
  CHECK_FAILS(gevt_ipc_import(&imported, NULL, &peer.answer.handle), GEVT_ERROR_MAP_FAILED,
              GEVT_DETAIL_IPC_FOREIGN_USER);
  CHECK_OK(gevt_destroy(event));
  peer_finish(&peer);
}

/* Imported events have no times, and cannot be exported again. */
static void imported_events_refuse(void) {
  peer_t peer = peer_start();
  gevt_event_t event = event_imported(&peer, 0), timed = event_new();
  gevt_ipc_handle_t again;
  float ms = 0;
  int64_t ns = 0;
  CHECK_OK(gevt_record(timed, NULL));
  CHECK_OK(gevt_sync(timed));
  pattern_fill(&again, sizeof again);
  pattern_fill(&ms, sizeof ms);
  pattern_fill(&ns, sizeof ns);
  CHECK_OK(gevt_record(event, NULL));
  CHECK_OK(gevt_sync(event));
  CHECK_FAILS(gevt_elapsed(&ms, timed, event), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_IMPORTED_NO_TIMING);
  CHECK_FAILS(gevt_elapsed(&ms, event, timed), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_IMPORTED_NO_TIMING);
  CHECK_FAILS(gevt_elapsed_ns(&ns, event, event), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_IMPORTED_NO_TIMING);
  CHECK_STATUS(gevt_ipc_export(&again, event), GEVT_ERROR_INVALID_HANDLE);
  CHECK(pattern_intact(&again, sizeof again) && pattern_intact(&ms, sizeof ms) && pattern_intact(&ns, sizeof ns));
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_destroy(timed));
  peer_finish(&peer);
}

/* An imported event is the given context's, and recorded on no other's streams. */
static void contexts_count(void) {
  peer_t peer = peer_start();
  gevt_context_t other = NULL;
  gevt_event_t event = event_imported(&peer, 0), there = NULL;
  gevt_stream_t stream, beside = stream_new();
  int32_t count = 0;
  CHECK_OK(gevt_device_count(&count, subject_backend));
  if (count < 2) {
    printf("SKIPPED: the rest of case contexts_count: one device\n");
  } else {
    CHECK_OK(gevt_context_open(&other, subject_backend, 1));
    stream = stream_in(other, GEVT_STREAM_NON_BLOCKING);
    CHECK_FAILS(gevt_record(event, stream), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_CONTEXT_MISMATCH);
    CHECK_OK(gevt_ipc_import(&there, other, &peer.handle));
    CHECK(event_info(there).context != event_info(event).context);
    CHECK_FAILS(gevt_record(there, beside), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_CONTEXT_MISMATCH);
    CHECK_OK(gevt_record(there, stream));
    CHECK_OK(gevt_sync(event));
    CHECK_OK(gevt_stream_wait(beside, there, GEVT_WAIT_DEFAULT));
    CHECK_OK(gevt_destroy(there));
    stream_finish(stream);
    CHECK_OK(gevt_context_close(other));
    CHECK_FAILS(gevt_ipc_import(&there, other, &peer.handle), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  }
  CHECK_EQUAL(event_info(event).imported, 1);
  CHECK_OK(gevt_destroy(event));
  stream_finish(beside);
  peer_finish(&peer);
}

/* A program that this process runs inherits no descriptor from gevt. */
static void descriptors_do_not_pass_on(void) {
  gevt_ipc_handle_t handle;
  peer_t peer = peer_start();
  gevt_event_t mine = event_exported(&handle), theirs = event_imported(&peer, 0);
  CHECK_EQUAL(system("ls -l /proc/self/fd | grep -q memfd") >> 8, 1);
  CHECK_OK(gevt_destroy(mine));
  CHECK_OK(gevt_destroy(theirs));
  peer_finish(&peer);
}

int main(int argc, char **argv) {
  setenv("GEVT_HOST_DEVICES", "2", 0);
  peer_serve(argc, argv);
  subject_begin(argc, argv);
  RUN(export_refuses);
  RUN(import_refuses_what_is_no_handle);
  RUN(import_refuses_this_process);
  RUN_ON_HOST(import_refuses_a_damaged_handle);
  RUN_ON_HOST(import_refuses_random_handles);
  RUN_ON_HOST(import_refuses_what_is_gone);
  RUN_ON_HOST(import_refuses_another_user);
  RUN(imported_events_refuse);
  RUN(contexts_count);
  RUN_ON_HOST(descriptors_do_not_pass_on);
  return subject_end();
}
