/* Two processes exchange events at full speed until one is killed, at a random moment. The other process learns of it at once. It keeps
   completed records, takes no pending record for completed, and holds no resources of the killed process.
   usage: ipc_kill [host|cuda] [ROUNDS]     100 rounds, unless another number is given; GEVT_TEST_SEED repeats a run */
#include "child.h"
#include "held.h"
#include "objects.h"

#include <sys/mman.h>

/* The main thread and gevt's permanent threads: a worker per core, and the watchers of the pool, of shared events and of processes. */
#define THREADS (4 + (int)sysconf(_SC_NPROCESSORS_ONLN))

/* An event of this process's that others may import. */
static gevt_event_t event_exported(gevt_ipc_handle_t *handle) {
  gevt_event_t event = event_with(GEVT_EVENT_DISABLE_TIMING | GEVT_EVENT_INTERPROCESS);
  CHECK_OK(gevt_ipc_export(handle, event));
  return event;
}

/* What each process says to the other besides events: how many records it has issued, and how many of them its stream has reached.
   A wait that saw `issued` before it began, and succeeds, must find that many `reached`. */
typedef struct side {
  uint64_t issued, reached;
  char apart[112];
} side_t;

/* The survivor puts its own event there, and one that both record; the peer answers with its own. */
typedef struct board {
  side_t survivor, peer;
  gevt_ipc_handle_t of_survivor, of_both;
} board_t;

static board_t *board;

static uint64_t load(uint64_t *from) {
  return __atomic_load_n(from, __ATOMIC_SEQ_CST);
}

static void store(uint64_t *to, uint64_t value) {
  __atomic_store_n(to, value, __ATOMIC_SEQ_CST);
}

/* A stream's work before each record: slow enough that a record is pending when the process is killed. */
static void reach(void *user) {
  side_t *side = (side_t *)user;
  volatile int spin = (int)(side->reached % 7) * 300;
  while (spin > 0) spin--;
  store(&side->reached, side->reached + 1);
}

static gevt_status_t issue(side_t *side, gevt_event_t event, gevt_stream_t stream) {
  gevt_status_t status = gevt_stream_launch(stream, reach, side);
  if (status == GEVT_SUCCESS) status = gevt_record(event, stream);
  store(&side->issued, side->issued + 1);
  return status;
}

/* Waits for the other side's last record. On CUDA with a timeout, since there a process's death is not reported. */
static gevt_status_t await_record(gevt_event_t event, uint64_t turn, long long timeout_on_cuda) {
  if (!subject_is_host()) return gevt_sync_timeout(event, (uint64_t)timeout_on_cuda);
  return event_await(event, (int)(turn % WAYS_TO_WAIT));
}

/* The memory that both processes have mapped. */
static void board_map(int file) {
  board = (board_t *)mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  CHECK(board != MAP_FAILED);
}

/* In the peer: plays until it is killed. The survivor is alive, so every call must succeed. */
static void play(int channel) {
  gevt_ipc_handle_t handle;
  gevt_event_t of_survivor = NULL, of_both = NULL, own;
  gevt_stream_t stream;
  uint64_t turn;
  subject_open();
  board_map(atoi(getenv("TEST_BOARD")));
  close(atoi(getenv("TEST_BOARD")));
  CHECK_OK(gevt_ipc_import(&of_survivor, NULL, &board->of_survivor));
  CHECK_OK(gevt_ipc_import(&of_both, NULL, &board->of_both));
  own = event_exported(&handle);
  stream = stream_new();
  if (check_failures() || send(channel, &handle, sizeof handle, MSG_NOSIGNAL) != (ssize_t)sizeof handle) _exit(20);
  for (turn = 1;; turn++) {
    uint64_t issued;
    if (issue(&board->peer, own, stream) != GEVT_SUCCESS) _exit(21);
    if (turn % 8 == 0 && gevt_record(of_both, stream) != GEVT_SUCCESS) _exit(22);
    while (load(&board->survivor.issued) < turn) sched_yield();
    issued = load(&board->survivor.issued);
    if (await_record(of_survivor, turn, HANG_LIMIT) != GEVT_SUCCESS) _exit(23);
    if (load(&board->survivor.reached) < issued) _exit(24);
  }
}

/* One round, in the survivor. */
typedef struct game {
  pid_t peer;
  gevt_event_t mine, theirs, both;
  int killed, callbacks, called;
} game_t;

/* What a wait for the peer's record came to: done if it says so, and otherwise the peer is gone. */
static void judge(gevt_status_t status, uint64_t issued) {
  if (status == GEVT_SUCCESS) {
    if (!CHECK(load(&board->peer.reached) >= issued)) printf("    a wrong SUCCESS\n");
  } else if (subject_is_host()) {
    CHECK_STATUS(status, GEVT_ERROR_CONTEXT_IS_DESTROYED);
  }
}

/* How often the two exchanged events, and the longest that it took from the kill until everything was over. */
static uint64_t turns;
static long long slowest;

static void *exchange(void *user) {
  game_t *game = (game_t *)user;
  gevt_stream_t stream;
  uint64_t turn;
  CHECK_OK(gevt_context_set_current(subject_context));
  stream = stream_new();
  for (turn = 1; !count_of(&game->killed) && !check_failures(); turn++) {
    uint64_t issued;
    CHECK_OK(issue(&board->survivor, game->mine, stream));
    if (turn % 8 == 4) CHECK_OK(gevt_record(game->both, stream));
    while (load(&board->peer.issued) < turn && !count_of(&game->killed)) sched_yield();
    issued = load(&board->peer.issued);
    judge(await_record(game->theirs, turn, 100 * MILLISECOND), issued);
  }
  turns += turn;
  CHECK_OK(gevt_sync(game->mine));
  stream_finish(stream);
  return NULL;
}

typedef struct promise {
  game_t *game;
  uint64_t issued;
} promise_t;

static void keep_promise(void *user, gevt_status_t status) {
  promise_t *promise = (promise_t *)user;
  judge(status, promise->issued);
  count_up(&promise->game->called);
  free(promise);
}

/* Waits of a stream's and callbacks, beside the thread that exchanges. */
static void *follow(void *user) {
  game_t *game = (game_t *)user;
  gevt_stream_t stream;
  gevt_event_t behind;
  CHECK_OK(gevt_context_set_current(subject_context));
  stream = stream_new();
  behind = event_with(GEVT_EVENT_DISABLE_TIMING);
  while (!count_of(&game->killed) && !check_failures()) {
    uint64_t issued = load(&board->peer.issued);
    promise_t *promise;
    gevt_status_t status = gevt_stream_wait(stream, game->theirs, GEVT_WAIT_DEFAULT);
    if (status == GEVT_SUCCESS) status = gevt_record(behind, stream);
    if (status == GEVT_SUCCESS) status = gevt_sync(behind);
    judge(status, issued);
    /* Each takes memory until the event completes. */
    if (game->callbacks >= 1000) continue;
    promise = (promise_t *)malloc(sizeof *promise);
    promise->game = game;
    promise->issued = load(&board->peer.issued);
    status = gevt_on_complete(game->theirs, keep_promise, promise);
    if (status == GEVT_SUCCESS)
      game->callbacks++;
    else
      free(promise);
    status = gevt_query(game->theirs);
    if (status != GEVT_ERROR_NOT_READY) judge(status, 0);
  }
  CHECK_OK(gevt_destroy(behind));
  check_ignore(gevt_stream_sync(stream));
  CHECK_OK(gevt_stream_destroy(stream));
  return NULL;
}

/* After so many turns of the peer's, and a moment. */
typedef struct death {
  game_t *game;
  uint64_t turns;
  long long delay, at;
} death_t;

static void *die(void *user) {
  death_t *death = (death_t *)user;
  long long deadline = now_ns() + HANG_LIMIT;
  while (load(&board->peer.issued) < death->turns && CHECK(now_ns() < deadline)) sched_yield();
  sleep_ns(death->delay);
  death->at = now_ns();
  kill(death->game->peer, SIGKILL);
  count_up(&death->game->killed);
  return NULL;
}

static void round_once(void) {
  game_t game;
  death_t death;
  pthread_t dying = pthread_self(), threads[2];
  gevt_ipc_handle_t theirs;
  /* Now and then while the peer only begins. */
  int early = rand() % 4 == 0, channel, began, i;
  memset(&game, 0, sizeof game);
  memset(board, 0, sizeof *board);
  game.mine = event_exported(&board->of_survivor);
  game.both = event_exported(&board->of_both);
  game.peer = child_start_peer(&channel);
  if (!CHECK(game.peer > 0)) return;
  death.game = &game;
  death.turns = early ? 0 : 2 + (uint64_t)rand() % 20;
  death.delay = rand() % (early ? 5 * MILLISECOND : MILLISECOND);
  if (early && !subject_is_host()) death.delay *= 20;
  if (early) dying = thread_start(die, &death);
  /* It may be killed before it answers. */
  began = recv(channel, &theirs, sizeof theirs, 0) == (ssize_t)sizeof theirs;
  if (began) {
    gevt_status_t status = gevt_ipc_import(&game.theirs, NULL, &theirs);
    CHECK(status == GEVT_SUCCESS || (early && status == GEVT_ERROR_MAP_FAILED));
    began = status == GEVT_SUCCESS;
  }
  CHECK(began || early);
  if (began) {
    threads[0] = thread_start(exchange, &game);
    if (subject_is_host()) threads[1] = thread_start(follow, &game);
  }
  if (!early) dying = thread_start(die, &death);
  thread_join(dying);
  for (i = 0; began && i < (subject_is_host() ? 2 : 1); i++) thread_join(threads[i]);
  /* The event that the peer recorded too: done, or lost with it; and the next record is like any other. */
  if (began) {
    gevt_status_t status = await_record(game.both, 0, 100 * MILLISECOND);
    CHECK(status == GEVT_SUCCESS || !subject_is_host() || status == GEVT_ERROR_CONTEXT_IS_DESTROYED);
    if (subject_is_host()) {
      CHECK(count_await(&game.called, game.callbacks));
      CHECK_OK(gevt_record(game.both, NULL));
      CHECK_OK(gevt_sync(game.both));
      CHECK_OK(gevt_record(game.theirs, NULL));
      CHECK_OK(gevt_sync(game.theirs));
    }
    CHECK_OK(gevt_destroy(game.theirs));
  }
  if (now_ns() - death.at > slowest) slowest = now_ns() - death.at;
  CHECK(now_ns() - death.at < HANG_LIMIT);
  close(channel);
  CHECK_EQUAL(child_end(game.peer), CHILD_SIGNALLED + SIGKILL);
  CHECK_OK(gevt_destroy(game.mine));
  CHECK_OK(gevt_destroy(game.both));
  CHECK_EQUAL(gevt_live_events(), 0);
}

/* The shared memory of events outlives them until enough other events were exported to fill two gevt files. Its size depends on the number
   of records that were pending at once. Afterwards its size is that of as many never-recorded events, and anything beyond that belongs to
   a leaked event. */
static void let_go(void) {
  int i;
  for (i = 0; i < 2 * 256; i++) {
    gevt_ipc_handle_t handle;
    CHECK_OK(gevt_destroy(event_exported(&handle)));
  }
}

int main(int argc, char **argv) {
  const char *given = getenv("GEVT_TEST_SEED");
  unsigned seed = given ? (unsigned)strtoul(given, NULL, 10) : (unsigned)now_ns();
  int rounds = argc > 2 ? atoi(argv[2]) : 100, round, file, descriptors = 0, mappings = 0, i;
  int files = held_files();
  long memory = 0;
  char number[16];
  if (argc > 3 && strcmp(argv[2], "--peer") == 0) {
    subject_choose_backend(argc, argv);
    play(atoi(argv[3]));
  }
  subject_begin(argc, argv);
  srand(seed);
  subject_case("killed_at_any_point");
  printf("GEVT_TEST_SEED=%u\n", seed);
  /* Peers inherit it. */
  file = memfd_create("board", 0);
  snprintf(number, sizeof number, "%d", file);
  setenv("TEST_BOARD", number, 1);
  CHECK(file >= 0 && ftruncate(file, sizeof *board) == 0);
  board_map(file);
  for (round = 0; round < rounds && !check_failures(); round++) {
    round_once();
    if (check_failures()) printf("round %d of %d FAILED\n", round + 1, rounds);
    /* After the first rounds all permanent objects exist. */
    if (round == rounds / 4) {
      let_go();
      descriptors = held_descriptors();
      mappings = held_mappings();
      memory = held_memory();
    }
  }
  /* Extra threads end when the load is over. */
  for (i = 0; i < 3000 && thread_count() > THREADS; i++) sleep_ns(100 * MILLISECOND);
  let_go();
  printf("%d rounds, %llu turns: over %.1f ms after the kill at the most\n", round, (unsigned long long)turns,
         (double)slowest / 1e6);
  printf("descriptors %d, then %d; mappings %d, then %d; memory %ld KiB, then %ld; threads %d\n", descriptors,
         held_descriptors(), mappings, held_mappings(), memory, held_memory(), thread_count());
  CHECK(held_descriptors() <= descriptors);
  /* The driver's mappings are not checked. */
  if (subject_is_host()) CHECK(held_mappings() <= mappings);
  /* A page that is left behind in each round would be more. A tool that watches keeps memory back that was freed. */
  CHECK(subject_tool() || held_memory() <= memory + (subject_is_host() ? 280 : 4096));
  CHECK(!subject_is_host() || thread_count() <= THREADS);
  /* Three rounds in four have two at least. */
  CHECK(turns > (uint64_t)rounds);
  CHECK(held_files() <= files);
  return subject_end();
}
