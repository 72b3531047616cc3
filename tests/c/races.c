/* Threads against each other on one event: destroy, use, record and query in the same moment. */
#include "objects.h"

#include <sched.h>
#ifndef _WIN32
#include "driver.h"
#endif

enum { THREADS = 4 };

/* Every thread destroys every event: exactly one of them may succeed with each. */
enum { SHARED = 20000 };

typedef struct shared {
  gevt_event_t events[SHARED];
  int destroyed;
  int stale;
  int other;
  int ready;
} shared_t;

static void *destroy_shared_body(void *user) {
  shared_t *shared = (shared_t *)user;
  int i;
  count_up(&shared->ready);
  while (count_of(&shared->ready) < THREADS) sched_yield();
  for (i = 0; i < SHARED; i++) {
    gevt_status_t status = gevt_destroy(shared->events[i]);
    if (status == GEVT_SUCCESS)
      count_up(&shared->destroyed);
    else if (status == GEVT_ERROR_INVALID_HANDLE && gevt_last_detail() == GEVT_DETAIL_STALE_HANDLE)
      count_up(&shared->stale);
    else
      count_up(&shared->other);
  }
  return NULL;
}

static void one_destroy_wins(void) {
  static shared_t shared;
  int i;
  for (i = 0; i < SHARED; i++) shared.events[i] = event_new();
  run_threads(THREADS, destroy_shared_body, &shared);
  CHECK_EQUAL(shared.destroyed, SHARED);
  CHECK_EQUAL(shared.stale, SHARED * (THREADS - 1));
  CHECK_EQUAL(shared.other, 0);
}

/* One thread replaces events in a few places while the others use the handles that they find there. */
enum { PLACES = 8 };

typedef struct churn {
  gevt_event_t places[PLACES];
  gevt_stream_t stream;
  int stop;
  int wrong;
  int used;
} churn_t;

static int is_success_or_stale(gevt_status_t status) {
  return status == GEVT_SUCCESS || status == GEVT_ERROR_NOT_READY ||
         (status == GEVT_ERROR_INVALID_HANDLE && gevt_last_detail() == GEVT_DETAIL_STALE_HANDLE);
}

static void *churn_use_body(void *user) {
  churn_t *churn = (churn_t *)user;
  gevt_event_info_t info;
  size_t index;
  int i = 0;
  while (!count_of(&churn->stop)) {
    gevt_event_t event = __atomic_load_n(&churn->places[i % PLACES], __ATOMIC_SEQ_CST);
    int fine = is_success_or_stale(gevt_query(event));
    info.size = sizeof info;
    fine &= is_success_or_stale(gevt_record(event, churn->stream));
    fine &= is_success_or_stale(gevt_sync(event));
    fine &= is_success_or_stale(gevt_stream_wait(churn->stream, event, GEVT_WAIT_DEFAULT));
    fine &= is_success_or_stale(gevt_get_info(&info, event));
    fine &= is_success_or_stale(gevt_set_name(event, "in use"));
    fine &= is_success_or_stale(gevt_sync_any(&index, &event, 1, GEVT_TIMEOUT_INFINITE));
    fine &= is_success_or_stale(gevt_sync_all(&event, 1, GEVT_TIMEOUT_INFINITE));
    if (!fine) count_up(&churn->wrong);
    count_up(&churn->used);
    i++;
  }
  return NULL;
}

static void *churn_replace_body(void *user) {
  churn_t *churn = (churn_t *)user;
  int i;
  for (i = 0; i < 50000 || count_of(&churn->used) < 1000; i++) {
    gevt_event_t fresh = event_new();
    CHECK_OK(gevt_destroy(__atomic_exchange_n(&churn->places[i % PLACES], fresh, __ATOMIC_SEQ_CST)));
  }
  count_up(&churn->stop);
  return NULL;
}

static void use_against_destroy(void) {
  churn_t churn;
  pthread_t users[THREADS - 1], replacer;
  int i;
  memset(&churn, 0, sizeof churn);
  churn.stream = stream_new();
  for (i = 0; i < PLACES; i++) churn.places[i] = event_new();
  for (i = 0; i < THREADS - 1; i++) users[i] = thread_start(churn_use_body, &churn);
  replacer = thread_start(churn_replace_body, &churn);
  thread_join(replacer);
  for (i = 0; i < THREADS - 1; i++) thread_join(users[i]);
  CHECK_EQUAL(churn.wrong, 0);
  for (i = 0; i < PLACES; i++) CHECK_OK(gevt_destroy(churn.places[i]));
}

/* A query that races with a record may never remember the earlier record's completion for the later one. */
typedef struct race {
  gevt_event_t event;
  int stop;
  int queries;
} race_t;

static void *race_query_body(void *user) {
  race_t *race = (race_t *)user;
  while (!count_of(&race->stop)) {
    gevt_status_t status = gevt_query(race->event);
    CHECK(status == GEVT_SUCCESS || status == GEVT_ERROR_NOT_READY);
    count_up(&race->queries);
  }
  return NULL;
}

static void query_against_record(void) {
  gevt_stream_t stream = stream_new();
  pthread_t threads[2];
  race_t race;
  int i, early = 0;
  memset(&race, 0, sizeof race);
  race.event = event_new();
  for (i = 0; i < 2; i++) threads[i] = thread_start(race_query_body, &race);
  for (i = 0; i < 2000; i++) {
    gate_t gate = GATE_CLOSED;
    gate_close(&gate, stream);
    CHECK_OK(gevt_record(race.event, stream));
    /* The gate is closed: the event is pending, regardless of concurrent queries. */
    early += gevt_query(race.event) != GEVT_ERROR_NOT_READY;
    gate_open(&gate);
    CHECK_OK(gevt_sync(race.event));
    early += gevt_query(race.event) != GEVT_SUCCESS;
    gate_await_passage(&gate);
    CHECK_OK(gevt_stream_sync(stream));
  }
  CHECK(count_await(&race.queries, 100));
  count_up(&race.stop);
  for (i = 0; i < 2; i++) thread_join(threads[i]);
  CHECK_EQUAL(early, 0);
}

/* Two overlapping records of one event, one on an idle stream and one after a closed gate. In either order, a query
   must agree with a stream that waits for the event. */
typedef struct overlap {
  gevt_event_t event;
  gevt_event_t behind;
  gevt_stream_t idle;
  int turn;
  int taken;
  int stop;
} overlap_t;

/* Spins until the counter is reached, yielding in case the other thread has no core. */
static void overlap_await(int *counter, int least) {
  int polls = 0;
  while (count_of(counter) < least) {
    if (++polls % 100000 == 0) sched_yield();
  }
}

static void *overlap_body(void *user) {
  overlap_t *overlap = (overlap_t *)user;
  int turn = 0;
  for (;;) {
    overlap_await(&overlap->turn, turn + 1);
    if (count_of(&overlap->stop)) return NULL;
    turn++;
    CHECK_OK(gevt_record(overlap->event, overlap->idle));
    count_up(&overlap->taken);
  }
}

/* Returns whether a stream that is made to wait for the event now waits until the gate opens. Where it must not, it is given the
   time that a device takes. */
static int overlap_waits(overlap_t *overlap, gevt_stream_t probe, int expected) {
  CHECK_OK(gevt_stream_wait(probe, overlap->event, GEVT_WAIT_DEFAULT));
  if (expected) return gevt_stream_query(probe) == GEVT_ERROR_NOT_READY;
  CHECK_OK(gevt_record(overlap->behind, probe));
  return gevt_sync_timeout(overlap->behind, HANG_LIMIT) != GEVT_SUCCESS;
}

static void overlapping_records(void) {
  enum { PROBES = 16 };
  gevt_stream_t probes[PROBES];
  gate_t gate = GATE_CLOSED;
  gevt_stream_t gated = stream_new();
  overlap_t overlap;
  pthread_t thread;
  long long deadline = now_ns() + HANG_LIMIT;
  int enough = subject_is_host() ? 100 : PROBES / 2;
  int i, used = 0, differ = 0, pending = 0;
  memset(&overlap, 0, sizeof overlap);
  overlap.event = event_new();
  overlap.behind = event_with(GEVT_EVENT_DISABLE_TIMING);
  overlap.idle = stream_new();
  for (i = 0; i < PROBES; i++) probes[i] = stream_new();
  gate_close(&gate, gated);
  thread = thread_start(overlap_body, &overlap);
  /* Until each has often been the last, or, where each pending one takes a stream, until there are no more. Valgrind runs one thread at a
     time, so under a tool there are just some rounds. */
  for (i = 1;
       (subject_tool() ? i <= 100 : pending < enough || i - pending < enough) && used < PROBES && now_ns() < deadline;
       i++) {
    int is_pending, delay;
    count_up(&overlap.turn);
    /* The other thread sees its turn a little later: the two meet at changing places. */
    for (delay = i * 37 % 2000; delay > 0; delay--) count_of(&overlap.stop);
    CHECK_OK(gevt_record(overlap.event, gated));
    overlap_await(&overlap.taken, i);
    CHECK_OK(gevt_stream_sync(overlap.idle));
    is_pending = gevt_query(overlap.event) == GEVT_ERROR_NOT_READY;
    differ += overlap_waits(&overlap, probes[used], is_pending) != is_pending;
    if (!is_pending) continue;
    pending++;
    /* The stream waits until the gate opens: the next round needs another. A device that has something pending may not make
       many more, so that on CUDA there are only those that were made before. */
    if (subject_is_host()) {
      CHECK_OK(gevt_stream_destroy(probes[used]));
      probes[used] = stream_new();
    } else {
      used++;
    }
  }
  CHECK_EQUAL(differ, 0);
  CHECK(subject_tool() || (pending >= enough && (i - pending >= enough || used == PROBES)));
  printf("%d of %d overlapping records ended behind the gate\n", pending, i - 1);
  count_up(&overlap.stop);
  count_up(&overlap.turn);
  thread_join(thread);
  gate_open(&gate);
  CHECK_OK(gevt_stream_sync(gated));
  CHECK_OK(gevt_sync(overlap.event));
  CHECK_OK(gevt_query(overlap.event));
}

/* Threads that signal, reset, wait for and destroy the same event. */
enum { CROWD = 8, CROWD_ROUNDS = 200 };

typedef struct crowd {
  gevt_event_t event;
  pthread_barrier_t barrier;
  int signals, destroys;
} crowd_t;

static void *crowd_signals(void *user) {
  crowd_t *crowd = (crowd_t *)user;
  int round;
  for (round = 0; round < CROWD_ROUNDS; round++) {
    pthread_barrier_wait(&crowd->barrier);
    if (gevt_signal(crowd->event, GEVT_SUCCESS) == GEVT_SUCCESS) count_up(&crowd->signals);
    CHECK_OK(gevt_sync(crowd->event));
    pthread_barrier_wait(&crowd->barrier);
  }
  return NULL;
}

static void one_of_many_signals(void) {
  crowd_t crowd;
  pthread_t threads[CROWD];
  int i, round;
  crowd.event = event_with(GEVT_EVENT_HOST_SIGNALED);
  crowd.signals = 0;
  pthread_barrier_init(&crowd.barrier, NULL, CROWD + 1);
  for (i = 0; i < CROWD; i++) threads[i] = thread_start(crowd_signals, &crowd);
  for (round = 0; round < CROWD_ROUNDS; round++) {
    pthread_barrier_wait(&crowd.barrier);
    pthread_barrier_wait(&crowd.barrier);
    CHECK_EQUAL(count_of(&crowd.signals), round + 1);
    /* Nobody signals until the next round: the threads wait at the barrier. */
    CHECK_OK(gevt_reset(crowd.event));
  }
  for (i = 0; i < CROWD; i++) thread_join(threads[i]);
  pthread_barrier_destroy(&crowd.barrier);
}

static void *crowd_ends(void *user) {
  crowd_t *crowd = (crowd_t *)user;
  pthread_barrier_wait(&crowd->barrier);
  if (gevt_signal(crowd->event, GEVT_SUCCESS) == GEVT_SUCCESS) count_up(&crowd->signals);
  if (gevt_destroy(crowd->event) == GEVT_SUCCESS) count_up(&crowd->destroys);
  return NULL;
}

static void destroyed_while_it_is_signaled(void) {
  int round;
  for (round = 0; round < CROWD_ROUNDS; round++) {
    crowd_t crowd;
    called_t called = {0, 0};
    pthread_t threads[3];
    gevt_event_t behind = event_new();
    gevt_stream_t stream = stream_new();
    gevt_status_t status;
    int i;
    crowd.event = event_with(GEVT_EVENT_HOST_SIGNALED);
    crowd.signals = crowd.destroys = 0;
    CHECK_OK(gevt_on_complete(crowd.event, called_with, &called));
    CHECK_OK(gevt_stream_wait(stream, crowd.event, GEVT_WAIT_DEFAULT));
    CHECK_OK(gevt_record(behind, stream));
    pthread_barrier_init(&crowd.barrier, NULL, 3);
    for (i = 0; i < 3; i++) threads[i] = thread_start(crowd_ends, &crowd);
    for (i = 0; i < 3; i++) thread_join(threads[i]);
    pthread_barrier_destroy(&crowd.barrier);
    CHECK_EQUAL(crowd.destroys, 1);
    CHECK(count_await(&called.count, 1));
    status = crowd.signals ? GEVT_SUCCESS : GEVT_ERROR_CONTEXT_IS_DESTROYED;
    CHECK_EQUAL(called.status, status);
    CHECK_STATUS(gevt_sync(behind), status);
    CHECK_OK(gevt_destroy(behind));
    CHECK_STATUS(gevt_stream_sync(stream), status);
    CHECK_OK(gevt_stream_destroy(stream));
  }
}

/* A call that names a context does its work there, or finds that the handle is closed. A close on another thread comes before or after it,
   and ends the context if it has no other user. */
typedef struct closing {
  gevt_context_t context;
  pthread_barrier_t barrier;
  int way, over, wrong;
} closing_t;

enum { CLOSING_ROUNDS = 300, CLOSING_WAYS = 3 };

static gevt_status_t use_what_is_closed(closing_t *closing) {
  gevt_status_t status, used = GEVT_SUCCESS;
  if (closing->way == 0) {
    gevt_stream_t stream;
    status = gevt_stream_create(&stream, closing->context, GEVT_STREAM_NON_BLOCKING);
    if (status != GEVT_SUCCESS) return status;
    used = gevt_stream_query(stream);
    CHECK_OK(gevt_stream_destroy(stream));
  } else if (closing->way == 1) {
    gevt_event_t event;
    status = gevt_create_in(&event, closing->context, GEVT_EVENT_DEFAULT);
    if (status != GEVT_SUCCESS) return status;
    used = gevt_query(event);
    CHECK_OK(gevt_destroy(event));
  } else {
    return gevt_context_sync(closing->context);
  }
  return used;
}

static void *use_while_closed(void *user) {
  closing_t *closing = (closing_t *)user;
  for (;;) {
    gevt_status_t status;
    pthread_barrier_wait(&closing->barrier);
    if (closing->over) return NULL;
    status = use_what_is_closed(closing);
    if (status != GEVT_SUCCESS &&
        (status != GEVT_ERROR_INVALID_HANDLE || gevt_last_detail() != GEVT_DETAIL_STALE_HANDLE)) {
      if (!closing->wrong++) printf("way %d: %s\n", closing->way, gevt_last_message());
    }
    pthread_barrier_wait(&closing->barrier);
  }
}

static void closed_while_used(void) {
  closing_t closing = {0};
  pthread_t thread;
  int round, spin;
  CHECK_EQUAL(pthread_barrier_init(&closing.barrier, NULL, 2), 0);
  CHECK_EQUAL(pthread_create(&thread, NULL, use_while_closed, &closing), 0);
  for (round = 0; round < CLOSING_ROUNDS; round++) {
    closing.way = round % CLOSING_WAYS;
    CHECK_OK(gevt_context_open(&closing.context, subject_backend, 1));
    pthread_barrier_wait(&closing.barrier);
    for (spin = 0; spin < round % 200 * 16; spin++) __asm__ __volatile__("");
    CHECK_OK(gevt_context_close(closing.context));
    pthread_barrier_wait(&closing.barrier);
  }
  closing.over = 1;
  pthread_barrier_wait(&closing.barrier);
  CHECK_EQUAL(pthread_join(thread, NULL), 0);
  CHECK_EQUAL(closing.wrong, 0);
  pthread_barrier_destroy(&closing.barrier);
}

#ifndef _WIN32
/* One thread asks for the native events while another one records their events for the first time. */
enum { GIVEN = 300 };

typedef struct giving {
  gevt_event_t events[GIVEN];
  void *natives[GIVEN];
  int recording, asking;
} giving_t;

static void *ask_for_natives(void *user) {
  giving_t *giving = (giving_t *)user;
  int i;
  for (i = 0; i < GIVEN; i++) {
    count_up(&giving->asking);
    while (count_of(&giving->recording) <= i) sched_yield();
    CHECK_OK(gevt_native(&giving->natives[i], giving->events[i]));
  }
  return NULL;
}

/* The native event that is given is the one of the record, which is pending. */
static void natives_given_out_during_the_first_record(void) {
  static giving_t giving;
  gate_t gate = GATE_CLOSED;
  gevt_stream_t stream = stream_new();
  pthread_t asking;
  int i;
  driver_load();
  for (i = 0; i < GIVEN; i++) CHECK_OK(gevt_create_in(&giving.events[i], subject_context, GEVT_EVENT_DEFAULT));
  gate_close(&gate, stream);
  asking = thread_start(ask_for_natives, &giving);
  for (i = 0; i < GIVEN; i++) {
    while (count_of(&giving.asking) <= i) sched_yield();
    count_up(&giving.recording);
    CHECK_OK(gevt_record(giving.events[i], stream));
  }
  thread_join(asking);
  for (i = 0; i < GIVEN; i++) {
    CHECK_NOT_READY(gevt_query(giving.events[i]));
    CHECK_EQUAL(driver.event_query(giving.natives[i]), GEVT_ERROR_NOT_READY);
  }
  gate_open(&gate);
  for (i = 0; i < GIVEN; i++) {
    CHECK_OK(gevt_sync(giving.events[i]));
    CHECK_OK(gevt_destroy(giving.events[i]));
  }
}
#endif

int main(int argc, char **argv) {
  int32_t count = 0;
  subject_begin(argc, argv);
  CHECK_OK(gevt_device_count(&count, subject_backend));
  RUN(one_destroy_wins);
  RUN(use_against_destroy);
  RUN(query_against_record);
  RUN(overlapping_records);
  RUN(one_of_many_signals);
  RUN(destroyed_while_it_is_signaled);
  if (count > 1)
    RUN(closed_while_used);
  else
    printf("SKIPPED: case closed_while_used: there is one device\n");
#ifndef _WIN32
  if (subject_is_cuda()) RUN(natives_given_out_during_the_first_record);
#endif
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
