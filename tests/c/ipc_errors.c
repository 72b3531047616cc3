/* Handles of events that import must refuse. A handle is 64 bytes that came from somewhere: any of them may be wrong.
   tests/scenarios/ipc.scn has the other errors. usage: ipc_errors [host] */
#include "peer.h"

/* Refused as no handle of an event; gives whether it was. */
static int import_refuses(const gevt_ipc_handle_t *handle) {
  gevt_event_t event;
  pattern_fill(&event, sizeof event);
  return CHECK_STATUS(gevt_ipc_import(&event, NULL, handle), GEVT_ERROR_MAP_FAILED) &&
         CHECK(pattern_intact(&event, sizeof event));
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
  peer_serve(argc, argv);
  subject_begin(argc, argv);
  RUN(import_refuses_a_damaged_handle);
  RUN(import_refuses_random_handles);
  RUN(import_refuses_another_user);
  RUN(descriptors_do_not_pass_on);
  return subject_end();
}
