/* Many shared events, many processes that share one, and every order of export, import and destroy.
   usage: ipc_limits [host|cuda] */
#include "held.h"
#include "peer.h"

#include <sys/resource.h>

enum { EXPORTS = 20000, SAMPLES = PEER_EVENTS - 1 };

static uint64_t random_state = 0x9e3779b97f4a7c15u;

static uint64_t random_below(uint64_t bound) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state % bound;
}

static void shuffle(gevt_event_t *events, int count) {
  int i;
  for (i = count - 1; i > 0; i--) {
    int other = (int)random_below((uint64_t)i + 1);
    gevt_event_t event = events[i];
    events[i] = events[other];
    events[other] = event;
  }
}

/* 20,000 at once, with the few hundred descriptors that every process may have. All are distinct events. */
static void many_exports(void) {
  static gevt_event_t events[EXPORTS];
  static gevt_ipc_handle_t handles[EXPORTS];
  struct rlimit before, few;
  gevt_stream_t stream = stream_new();
  gate_t gate = GATE_CLOSED;
  peer_t peer = peer_start();
  int descriptors = held_descriptors(), mappings = held_mappings(), i;
  CHECK_EQUAL(getrlimit(RLIMIT_NOFILE, &before), 0);
  few = before;
  few.rlim_cur = 256;
  if (subject_is_host()) CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &few), 0);
  for (i = 0; i < EXPORTS && check_failures() < 10; i++) events[i] = event_exported(&handles[i]);
  CHECK_EQUAL(gevt_live_events(), EXPORTS);
  /* Many events; every second one is pending. */
  gate_close(&gate, stream);
  for (i = 0; i < SAMPLES; i++) {
    int at = i * (EXPORTS / SAMPLES);
    CHECK_OK(peer_import(&peer, i, &handles[at]));
    if (i % 2) CHECK_OK(gevt_record(events[at], stream));
  }
  for (i = 0; i < SAMPLES; i++) {
    CHECK_STATUS(peer_ask(&peer, PEER_QUERY, i, 0), i % 2 ? GEVT_ERROR_NOT_READY : GEVT_SUCCESS);
  }
  shuffle(events, EXPORTS);
  for (i = 0; i < EXPORTS; i++) CHECK_OK(gevt_destroy(events[i]));
  CHECK_EQUAL(gevt_live_events(), 0);
  for (i = 0; i < SAMPLES; i++) {
    CHECK_STATUS(peer_ask(&peer, PEER_QUERY, i, 0), i % 2 ? GEVT_ERROR_NOT_READY : GEVT_SUCCESS);
  }
  gate_open(&gate);
  for (i = 0; i < SAMPLES; i++) CHECK_OK(peer_ask(&peer, PEER_SYNC, i, 0));
  for (i = 0; i < SAMPLES; i++) CHECK_OK(peer_ask(&peer, PEER_DESTROY, i, 0));
  stream_finish(stream);
  CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &before), 0);
  CHECK_EQUAL(peer_end(&peer), 0);
  printf("    descriptors: %d before, %d after; mappings: %d, %d\n", descriptors, held_descriptors(), mappings,
         held_mappings());
}

/* Exported and destroyed over and over: what is held stays bounded. And no old handle is that of a new event. */
static void exports_come_and_go(void) {
  enum { ROUNDS = 5, OLD = 8, NEW = 2000 };
  static gevt_event_t events[NEW];
  gevt_ipc_handle_t old[OLD], handle;
  gevt_stream_t stream = stream_new();
  peer_t peer = peer_start();
  int round, i, descriptors = 0, mappings = 0;
  for (round = 0; round < ROUNDS; round++) {
    gate_t gate = GATE_CLOSED;
    for (i = 0; i < OLD; i++) CHECK_OK(gevt_destroy(event_exported(&old[i])));
    for (i = 0; i < 10000; i++) CHECK_OK(gevt_destroy(event_exported(&handle)));
    gate_close(&gate, stream);
    for (i = 0; i < NEW; i++) {
      events[i] = event_exported(&handle);
      CHECK_OK(gevt_record(events[i], stream));
    }
    for (i = 0; i < OLD; i++) {
      gevt_status_t status = peer_import(&peer, i, &old[i]);
      CHECK(status == GEVT_SUCCESS || status == GEVT_ERROR_MAP_FAILED);
      if (status == GEVT_SUCCESS) {
        CHECK_OK(peer_ask(&peer, PEER_QUERY, i, 0));
        CHECK_OK(peer_ask(&peer, PEER_DESTROY, i, 0));
      }
    }
    for (i = 0; i < NEW; i++) CHECK_NOT_READY(gevt_query(events[i]));
    gate_open(&gate);
    CHECK_OK(gevt_stream_sync(stream));
    for (i = 0; i < NEW; i++) CHECK_OK(gevt_query(events[i]));
    shuffle(events, NEW);
    for (i = 0; i < NEW; i++) CHECK_OK(gevt_destroy(events[i]));
    if (round == 1) {
      descriptors = held_descriptors();
      mappings = held_mappings();
    }
  }
  printf("    descriptors: %d, then %d; mappings: %d, then %d\n", descriptors, held_descriptors(), mappings,
         held_mappings());
  CHECK(held_descriptors() <= descriptors);
  CHECK(held_mappings() <= mappings);
  stream_finish(stream);
  CHECK_EQUAL(peer_end(&peer), 0);
}

/* A process that imports and destroys for ever holds nothing of it. */
static void imports_come_and_go(void) {
  peer_t peer = peer_start();
  gevt_event_t first = event_imported(&peer, 0), imported[100];
  int descriptors = held_descriptors(), mappings = held_mappings(), round, i;
  for (round = 0; round < 50; round++) {
    for (i = 0; i < 100; i++) CHECK_OK(gevt_ipc_import(&imported[i], NULL, &peer.handle));
    shuffle(imported, 100);
    for (i = 0; i < 100; i++) CHECK_OK(gevt_destroy(imported[i]));
  }
  CHECK_EQUAL(held_descriptors(), descriptors);
  CHECK(held_mappings() <= mappings);
  CHECK_OK(gevt_destroy(first));
  CHECK_EQUAL(peer_end(&peer), 0);
}

/* Many importers of one event, each of them a process that waits for it: TEST_IMPORTERS says how many, a thousand at most. On CUDA a process
   takes much of a device, and a tool that watches a process much of a machine. */
static void many_importers(void) {
  enum { MOST = 1000, FEW = 250 };
  static peer_t peers[MOST];
  const char *wanted = getenv("TEST_IMPORTERS");
  const int many = wanted && atoi(wanted) > 0 && atoi(wanted) <= MOST ? atoi(wanted) : FEW;
  const int count = subject_is_host() ? (subject_tool() ? 100 : many) : 4;
  gevt_ipc_handle_t handle;
  gevt_event_t event = event_exported(&handle);
  gevt_stream_t stream = stream_new();
  gate_t gate = GATE_CLOSED;
  struct rlimit most;
  int i, round;
  CHECK_EQUAL(getrlimit(RLIMIT_NOFILE, &most), 0);
  most.rlim_cur = most.rlim_max < 4096 ? most.rlim_max : 4096;
  CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &most), 0);
  for (i = 0; i < count; i++) {
    peers[i] = peer_start();
    CHECK_OK(peer_import(&peers[i], 0, &handle));
    if (check_failures()) break;
  }
  for (round = 0; round < 2; round++) {
    const gate_t closed = GATE_CLOSED;
    gate = closed;
    gate_close(&gate, stream);
    CHECK_OK(gevt_record(event, stream));
    for (i = 0; i < count && !check_failures(); i++) {
      CHECK_STATUS(peer_ask(&peers[i], PEER_QUERY, 0, 0), GEVT_ERROR_NOT_READY);
      if (round) CHECK_OK(peer_ask(&peers[i], PEER_WAIT, 0, 1));
      peer_tell(&peers[i], round ? PEER_STREAM_SYNC : PEER_SYNC, 0, 1);
    }
    gate_open(&gate);
    for (i = 0; i < count && !check_failures(); i++) CHECK_OK(peer_hear(&peers[i]));
    CHECK_OK(gevt_stream_sync(stream));
  }
  for (i = 0; i < count && !check_failures(); i++) CHECK_OK(peer_ask(&peers[i], PEER_QUERY, 0, 0));
  for (i = 0; i < count; i++) {
    if (peers[i].process) CHECK_EQUAL(peer_end(&peers[i]), 0);
  }
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
}

/* Exports, imports, records and destroys in random order, by this process and two others, against what has to come of them. */
enum { PEERS = 2, SLOTS = 24 };

typedef struct slot {
  gevt_event_t event;
  gevt_ipc_handle_t handle;
  int imported[PEERS];
  int pending; /* behind this process's gate */
} slot_t;

static void check_slot(peer_t *peers, slot_t *slot, int at) {
  gevt_status_t expected = slot->pending ? GEVT_ERROR_NOT_READY : GEVT_SUCCESS;
  int i;
  if (slot->event) CHECK_STATUS(gevt_query(slot->event), expected);
  for (i = 0; i < PEERS; i++) {
    if (slot->imported[i]) CHECK_STATUS(peer_ask(&peers[i], PEER_QUERY, at, 0), expected);
  }
}

static void any_order(void) {
  static slot_t slots[SLOTS];
  peer_t peers[PEERS];
  gevt_stream_t stream = stream_new();
  gate_t gate = GATE_CLOSED;
  int step, i, j, closed = 0;
  for (i = 0; i < PEERS; i++) peers[i] = peer_start();
  for (step = 0; step < 6000 && check_failures() < 5; step++) {
    int at = (int)random_below(SLOTS), who = (int)random_below(PEERS);
    slot_t *slot = &slots[at];
    switch (random_below(10)) {
    case 0:
    case 1:
      if (!slot->event && !slot->imported[0] && !slot->imported[1]) {
        slot->event = event_exported(&slot->handle);
        slot->pending = 0;
      }
      break;
    case 2:
    case 3:
      if (slot->event && !slot->imported[who]) {
        CHECK_OK(peer_import(&peers[who], at, &slot->handle));
        slot->imported[who] = 1;
      }
      break;
    case 4:
      /* CUDA's driver gives the memory of a destroyed event to others, which its importers then see. */
      if (slot->event && (subject_is_host() || (!slot->imported[0] && !slot->imported[1]))) {
        CHECK_OK(gevt_destroy(slot->event));
        slot->event = NULL;
      }
      break;
    case 5:
      if (slot->imported[who]) {
        CHECK_OK(peer_ask(&peers[who], PEER_DESTROY, at, 0));
        slot->imported[who] = 0;
      }
      break;
    case 6:
    case 7:
      if (slot->event) {
        CHECK_OK(gevt_record(slot->event, stream));
        if (closed)
          slot->pending = 1;
        else
          CHECK_OK(gevt_sync(slot->event));
      }
      break;
    case 8:
      /* CUDA's driver lets a record of one process end only after an earlier one of the other. */
      if (slot->imported[who] && (subject_is_host() || !slot->pending)) {
        CHECK_OK(peer_ask(&peers[who], PEER_RECORD, at, 0));
        CHECK_OK(peer_ask(&peers[who], PEER_SYNC, at, 0));
        slot->pending = 0;
      }
      break;
    default:
      if (random_below(8)) break;
      if (closed) {
        gate_open(&gate);
        CHECK_OK(gevt_stream_sync(stream));
        for (i = 0; i < SLOTS; i++) slots[i].pending = 0;
      } else {
        const gate_t fresh = GATE_CLOSED;
        gate = fresh;
        gate_close(&gate, stream);
      }
      closed = !closed;
    }
    check_slot(peers, slot, at);
  }
  for (i = 0; i < SLOTS; i++) check_slot(peers, &slots[i], i);
  gate_open(&gate);
  stream_finish(stream);
  for (i = 0; i < SLOTS; i++) {
    if (slots[i].event) CHECK_OK(gevt_destroy(slots[i].event));
    for (j = 0; j < PEERS; j++) {
      if (slots[i].imported[j]) CHECK_OK(peer_ask(&peers[j], PEER_DESTROY, i, 0));
    }
  }
  for (j = 0; j < PEERS; j++) {
    CHECK_OK(peer_ask(&peers[j], PEER_LIVE, 0, 0));
    CHECK_EQUAL(peers[j].answer.value, 0);
    CHECK_EQUAL(peer_end(&peers[j]), 0);
  }
  CHECK_EQUAL(gevt_live_events(), 0);
}

int main(int argc, char **argv) {
  peer_serve(argc, argv);
  subject_begin(argc, argv);
  RUN(any_order);
  RUN_ON_HOST(many_exports);
  RUN_ON_HOST(exports_come_and_go);
  RUN(imports_come_and_go);
  RUN(many_importers);
  return subject_end();
}
