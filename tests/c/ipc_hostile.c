/* A peer that writes anything at all into the memory that it shares, at any time. It may spoil the answers about that event, and
   nothing else: no crash, no wait beyond its timeout, no other event. Host only: CUDA's memory is the driver's.
   usage: ipc_hostile [host|cuda] */
#include "held.h"
#include "peer.h"

/* What the hostile peer writes. */
typedef enum manner { ZEROS, ONES, RANDOM, SMALL, FLIPS, FORWARDS, MANNERS } manner_t;

enum { PEER_SCRIBBLE = PEER_OWN, PEER_SCRIBBLE_ON };

static uint64_t random_state = 0x2545f4914f6cdd1du;

static uint64_t random_next(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

static uint64_t word_in(manner_t manner, uint64_t old) {
  switch (manner) {
  case ZEROS:
    return 0;
  case ONES:
    return UINT64_MAX;
  case RANDOM:
    return random_next();
  case SMALL:
    return random_next() % 8;
  case FLIPS:
    return old ^ (uint64_t)1 << random_next() % 64;
  default:
    return old + 1;
  }
}

/* Writes over every anonymous file that this process has mapped: what gevt shares is among them. Gives how many words. */
static long long scribble(manner_t manner, int rounds) {
  char line[512];
  struct {
    volatile uint64_t *begin, *end;
  } found[64];
  int count = 0, i, round;
  long long words = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  if (!maps) return -1;
  while (count < 64 && fgets(line, sizeof line, maps)) {
    unsigned long begin, end;
    char access[8];
    if (!strstr(line, "/memfd:") || sscanf(line, "%lx-%lx %7s", &begin, &end, access) != 3 || access[1] != 'w')
      continue;
    found[count].begin = (volatile uint64_t *)begin;
    found[count++].end = (volatile uint64_t *)end;
  }
  fclose(maps);
  for (round = 0; round < rounds; round++) {
    for (i = 0; i < count; i++) {
      volatile uint64_t *word;
      for (word = found[i].begin; word < found[i].end; word++, words++) {
        /* Sometimes half a word, as other processes need not write whole ones. */
        if (manner == RANDOM && random_next() % 16 == 0)
          *(volatile uint16_t *)word = (uint16_t)random_next();
        else
          *word = word_in(manner, *word);
      }
    }
  }
  return words;
}

static void *scribble_for_ever(void *user) {
  int round;
  (void)user;
  for (round = 0;; round++) scribble((manner_t)(round / 16 % MANNERS), 4);
  return NULL;
}

static void hostile_orders(const peer_letter_t *letter, peer_answer_t *answer) {
  if (letter->order == PEER_SCRIBBLE)
    answer->value = scribble((manner_t)letter->value, 1);
  else
    thread_start(scribble_for_ever, NULL);
}

/* The answer to this process's record does not depend on signals of other processes. */
static int is_an_answer_to_record(gevt_status_t status) {
  return status == GEVT_SUCCESS || status == GEVT_ERROR_CONTEXT_IS_DESTROYED || status == GEVT_ERROR_UNKNOWN;
}

static int called;

static void note_call(void *user, gevt_status_t status) {
  (void)status;
  count_up(user);
}

/* Every call on the event once; each comes back within its timeout. The failure of a spoiled event may be any number. */
static void use_spoilt(gevt_event_t event, gevt_stream_t stream, int record) {
  long long began = now_ns();
  size_t index;
  gevt_event_info_t info;
  memset(&info, 0, sizeof info);
  info.size = sizeof info;
  check_ignore(gevt_query(event));
  check_ignore(gevt_sync_timeout(event, 0));
  check_ignore(gevt_sync_timeout(event, MILLISECOND));
  check_ignore(gevt_sync_all(&event, 1, MILLISECOND));
  check_ignore(gevt_sync_any(&index, &event, 1, MILLISECOND));
  CHECK_OK(gevt_get_info(&info, event));
  CHECK(info.state == GEVT_STATE_UNRECORDED || info.state == GEVT_STATE_PENDING || info.state == GEVT_STATE_COMPLETE ||
        info.state == GEVT_STATE_FAILED);
  check_ignore(gevt_on_complete(event, note_call, &called));
  if (record) {
    CHECK(is_an_answer_to_record(gevt_record(event, stream)));
    check_ignore(gevt_query(event));
  }
  CHECK(now_ns() - began < HANG_LIMIT);
}

/* Events that the hostile peer has no part in, beside the one that it spoils: neighbours in memory, as they are made in one go. */
typedef struct others {
  gevt_event_t events[3];
  gevt_ipc_handle_t handle;
  gevt_stream_t stream;
  peer_t friendly;
} others_t;

static others_t others_make(void) {
  others_t others;
  others.events[0] = event_exported(&others.handle);
  others.events[1] = event_new();
  others.stream = stream_new();
  others.friendly = peer_start();
  CHECK_OK(peer_import(&others.friendly, 0, &others.handle));
  others.events[2] = event_imported(&others.friendly, 1);
  return others;
}

static void others_work(others_t *others) {
  gate_t gate = GATE_CLOSED;
  int i;
  gate_close(&gate, others->stream);
  for (i = 0; i < 2; i++) CHECK_OK(gevt_record(others->events[i], others->stream));
  CHECK_OK(peer_ask(&others->friendly, PEER_BLOCK, 0, 0));
  CHECK_OK(peer_ask(&others->friendly, PEER_RECORD, 1, 0));
  for (i = 0; i < 3; i++) CHECK_NOT_READY(gevt_query(others->events[i]));
  CHECK_STATUS(peer_ask(&others->friendly, PEER_QUERY, 0, 0), GEVT_ERROR_NOT_READY);
  CHECK_STATUS(gevt_sync_timeout(others->events[2], MILLISECOND), GEVT_ERROR_TIMEOUT);
  gate_open(&gate);
  CHECK_OK(peer_ask(&others->friendly, PEER_UNBLOCK, 0, 0));
  for (i = 0; i < 3; i++) CHECK_OK(gevt_sync(others->events[i]));
  for (i = 0; i < 3; i++) CHECK_OK(gevt_query(others->events[i]));
  CHECK_OK(peer_ask(&others->friendly, PEER_SYNC, 0, 0));
  CHECK_OK(gevt_stream_sync(others->stream));
}

static void others_finish(others_t *others) {
  int i;
  for (i = 0; i < 3; i++) CHECK_OK(gevt_destroy(others->events[i]));
  stream_finish(others->stream);
  CHECK_EQUAL(peer_end(&others->friendly), 0);
}

/* Once overwritten, in each manner, at rest and while it is pending; whichever side made the event. */
static void overwritten_once(void) {
  others_t others = others_make();
  int manner, side, pending;
  for (manner = 0; manner < MANNERS; manner++) {
    for (side = 0; side < 2; side++) {
      for (pending = 0; pending < 2; pending++) {
        peer_t peer = peer_start();
        gevt_ipc_handle_t handle;
        gevt_event_t event = side ? event_imported(&peer, 0) : event_exported(&handle);
        gevt_stream_t stream = stream_new(), waiting = stream_new();
        gate_t gate = GATE_CLOSED;
        if (!side) CHECK_OK(peer_import(&peer, 0, &handle));
        if (pending) gate_close(&gate, stream);
        CHECK_OK(gevt_record(event, stream));
        CHECK_OK(gevt_stream_wait(waiting, event, GEVT_WAIT_DEFAULT));
        CHECK_OK(peer_ask(&peer, PEER_SCRIBBLE, 0, (uint64_t)manner));
        CHECK(peer.answer.value >= 512);
        use_spoilt(event, stream, pending);
        gate_open(&gate);
        use_spoilt(event, stream, !pending);
        others_work(&others);
        /* Its own streams are its own. */
        CHECK_OK(gevt_stream_sync(stream));
        peer_kill(&peer);
        use_spoilt(event, stream, 1);
        CHECK_OK(gevt_destroy(event));
        stream_finish(stream);
        check_ignore(gevt_stream_sync(waiting));
        CHECK_OK(gevt_stream_destroy(waiting));
      }
    }
  }
  others_finish(&others);
}

typedef struct user {
  gevt_event_t event;
  long long until;
  long long slowest;
  int rounds;
} user_t;

static void *user_body(void *argument) {
  user_t *user = (user_t *)argument;
  gevt_stream_t stream;
  CHECK_OK(gevt_context_set_current(subject_context));
  stream = stream_new();
  /* Once at least, however late the thread comes to run. */
  do {
    long long began = now_ns();
    int counter = 0;
    CHECK_OK(gevt_stream_launch(stream, count_up, &counter));
    use_spoilt(user->event, stream, 1);
    CHECK_OK(gevt_stream_sync(stream));
    if (now_ns() - began > user->slowest) user->slowest = now_ns() - began;
    user->rounds++;
  } while (now_ns() < user->until && !check_failures());
  CHECK_OK(gevt_stream_destroy(stream));
  return NULL;
}

/* Overwritten constantly, while two threads make every call and other threads work normally. */
static void overwritten_all_the_time(void) {
  int side;
  for (side = 0; side < 2; side++) {
    others_t others = others_make();
    peer_t peer = peer_start();
    gevt_ipc_handle_t handle;
    gevt_event_t event = side ? event_imported(&peer, 0) : event_exported(&handle), unharmed;
    gevt_stream_t waiting = stream_new();
    user_t users[2];
    pthread_t threads[2];
    int i, rounds = 0;
    if (!side) CHECK_OK(peer_import(&peer, 0, &handle));
    CHECK_OK(peer_ask(&peer, PEER_SCRIBBLE_ON, 0, 0));
    for (i = 0; i < 2; i++) {
      users[i].event = event;
      users[i].until = now_ns() + (subject_tool() ? 300 : 1500) * MILLISECOND;
      users[i].slowest = users[i].rounds = 0;
      threads[i] = thread_start(user_body, &users[i]);
    }
    do {
      others_work(&others);
      check_ignore(gevt_stream_wait(waiting, event, GEVT_WAIT_DEFAULT));
      rounds++;
    } while (now_ns() < users[0].until && !check_failures());
    for (i = 0; i < 2; i++) thread_join(threads[i]);
    printf("    %d and %d rounds of calls, the slowest %.1f ms; %d beside them\n", users[0].rounds, users[1].rounds,
           (double)(users[0].slowest > users[1].slowest ? users[0].slowest : users[1].slowest) / 1e6, rounds);
    CHECK(users[0].rounds > 0 && users[1].rounds > 0 && rounds > 0);
    peer_kill(&peer);
    /* With the peer gone, a record of this process's makes it an event again, or it stays spoilt: it does not hang. */
    use_spoilt(event, waiting, 0);
    CHECK_OK(gevt_destroy(event));
    unharmed = event_new();
    CHECK_OK(gevt_record(unharmed, others.stream));
    CHECK_OK(gevt_sync(unharmed));
    CHECK_OK(gevt_destroy(unharmed));
    others_work(&others);
    others_finish(&others);
    CHECK_OK(gevt_stream_destroy(waiting));
  }
}

/* A corrupted event's page is not reused: later events, also in its slot, are intact. */
static void later_events_are_whole(void) {
  enum { EVENTS = 2000 };
  static gevt_event_t events[EVENTS];
  gevt_ipc_handle_t handle;
  peer_t peer = peer_start();
  gevt_event_t event = event_exported(&handle);
  gevt_stream_t stream = stream_new();
  int round, i;
  CHECK_OK(peer_import(&peer, 0, &handle));
  CHECK_OK(peer_ask(&peer, PEER_SCRIBBLE_ON, 0, 0));
  CHECK_OK(gevt_destroy(event));
  for (round = 0; round < 20; round++) {
    for (i = 0; i < EVENTS; i++) {
      events[i] = event_exported(&handle);
      CHECK_OK(gevt_query(events[i]));
      CHECK_OK(gevt_record(events[i], stream));
    }
    for (i = 0; i < EVENTS; i++) CHECK_OK(gevt_sync(events[i]));
    for (i = 0; i < EVENTS; i++) CHECK_OK(gevt_query(events[i]));
    for (i = 0; i < EVENTS; i++) CHECK_OK(gevt_destroy(events[i]));
    if (check_failures()) break;
  }
  peer_kill(&peer);
  stream_finish(stream);
}

int main(int argc, char **argv) {
  peer_own = hostile_orders;
  peer_serve(argc, argv);
  subject_choose(argc, argv);
  if (!subject_is_host()) {
    return subject_skip("%s on cuda: the memory that CUDA shares is the driver's", subject_program);
  }
  subject_open();
  RUN(overwritten_once);
  RUN(overwritten_all_the_time);
  RUN(later_events_are_whole);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
