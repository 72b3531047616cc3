/* gevt_stream_launch_n: each item once, in stream order, and never two at a time with one worker's number.
   usage: launch_n [host|cuda] */
#include "objects.h"

#include <stdlib.h>

enum { MOST_THREADS = 1024, STREAMS = 6 };

typedef struct batch {
  unsigned char *seen;
  size_t count;
  uint32_t workers;
  int inside[MOST_THREADS]; /* by worker */
  int wrong;
  size_t ran;
  gevt_item_fn_t body;
  gevt_event_t event;
} batch_t;

static void batch_item(void *user, size_t item, uint32_t worker) {
  batch_t *batch = (batch_t *)user;
  if (worker >= batch->workers || item >= batch->count) {
    count_up(&batch->wrong);
    return;
  }
  if (__atomic_exchange_n(&batch->inside[worker], 1, __ATOMIC_SEQ_CST)) count_up(&batch->wrong);
  if (batch->seen && batch->seen[item]++) count_up(&batch->wrong);
  if (batch->body) batch->body(user, item, worker);
  __atomic_store_n(&batch->inside[worker], 0, __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&batch->ran, 1, __ATOMIC_SEQ_CST);
}

static batch_t *batch_new(size_t count, gevt_item_fn_t body) {
  batch_t *batch = (batch_t *)calloc(1, sizeof *batch);
  if (!batch) abort();
  batch->seen = (unsigned char *)calloc(count + 1, 1);
  batch->count = count;
  batch->body = body;
  return batch;
}

static void batch_launch(batch_t *batch, gevt_stream_t stream) {
  CHECK_OK(gevt_host_get_threads(&batch->workers));
  CHECK_OK(gevt_stream_launch_n(stream, batch->count, batch_item, batch));
}

/* Runs after the items, in the stream's order. */
static void batch_check(void *user) {
  batch_t *batch = (batch_t *)user;
  size_t item;
  CHECK_EQUAL(batch->ran, batch->count);
  CHECK_EQUAL(batch->wrong, 0);
  for (item = 0; item < batch->count; item++) {
    if (!CHECK_EQUAL(batch->seen[item], 1)) break;
  }
}

static void batch_end(batch_t *batch) {
  free(batch->seen);
  free(batch);
}

static void each_item_runs_once(void) {
  static const size_t counts[] = {0, 1, 2, 3, 7, 64, 1000, 100000};
  static const uint32_t threads[] = {1, 2, 3, 64, 65, MOST_THREADS};
  gevt_stream_t stream = stream_new();
  size_t i, j;
  for (j = 0; j < sizeof threads / sizeof *threads; j++) {
    CHECK_OK(gevt_host_set_threads(threads[j]));
    for (i = 0; i < sizeof counts / sizeof *counts; i++) {
      batch_t *batch = batch_new(counts[i], NULL);
      batch_launch(batch, stream);
      CHECK_OK(gevt_stream_launch(stream, batch_check, batch));
      CHECK_OK(gevt_stream_sync(stream));
      batch_end(batch);
    }
  }
  CHECK_OK(gevt_host_set_threads(0));
  stream_finish(stream);
}

/* Launches behind each other: an item that ran beside one of another launch would find it unfinished. */
static size_t finished;

static void in_order_item(void *user, size_t item, uint32_t worker) {
  size_t *expected = (size_t *)user;
  (void)item;
  (void)worker;
  if (__atomic_load_n(&finished, __ATOMIC_SEQ_CST) / 10 != *expected) {
    check_failed(__FILE__, __LINE__, "an item beside one of another launch");
  }
  __atomic_add_fetch(&finished, 1, __ATOMIC_SEQ_CST);
}

static void launches_keep_the_order(void) {
  enum { LAUNCHES = 500 };
  static size_t number[LAUNCHES];
  gevt_stream_t stream = stream_new();
  gevt_event_t event = event_new();
  size_t i;
  finished = 0;
  for (i = 0; i < LAUNCHES; i++) {
    number[i] = i;
    CHECK_OK(gevt_stream_launch_n(stream, 10, in_order_item, &number[i]));
    CHECK_OK(gevt_stream_launch_n(stream, 0, in_order_item, NULL));
  }
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_sync(event));
  CHECK_EQUAL(finished, 10 * LAUNCHES);
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
}

/* The number changes while launches run. */
static void the_number_may_change_meanwhile(void) {
  batch_t *batches[40];
  gevt_stream_t stream = stream_new();
  int i;
  for (i = 0; i < 40; i++) {
    CHECK_OK(gevt_host_set_threads(1 + (uint32_t)(i * 7 % 5)));
    batches[i] = batch_new(2000, NULL);
    batch_launch(batches[i], stream);
    CHECK_OK(gevt_stream_launch(stream, batch_check, batches[i]));
  }
  for (i = 0; i < 200; i++) CHECK_OK(gevt_host_set_threads(1 + (uint32_t)i % 6));
  stream_finish(stream);
  for (i = 0; i < 40; i++) batch_end(batches[i]);
  CHECK_OK(gevt_host_set_threads(0));
}

/* An endless launch does not keep the others from their turns, with one place even. */
static int stop, others;

static void until_stopped(void *user, size_t item, uint32_t worker) {
  (void)user;
  (void)item;
  (void)worker;
  if (!count_of(&stop)) sched_yield();
}

static void others_have_their_turn(void) {
  gevt_stream_t stream = stream_new(), other = stream_new();
  int i;
  CHECK_OK(gevt_host_set_threads(1));
  stop = others = 0;
  CHECK_OK(gevt_stream_launch_n(stream, 20 * 1000 * 1000, until_stopped, NULL));
  for (i = 0; i < 20; i++) {
    CHECK_OK(gevt_stream_launch(other, count_up, &others));
    CHECK_OK(gevt_stream_sync(other));
  }
  CHECK_EQUAL(others, 20);
  CHECK_NOT_READY(gevt_stream_query(stream));
  count_up(&stop);
  stream_finish(stream);
  stream_finish(other);
  CHECK_OK(gevt_host_set_threads(0));
}

/* Items that sleep keep their worker numbers, and the other streams continue. */
static gate_t item_gate = GATE_CLOSED;

static void pass_gate(void *user, size_t item, uint32_t worker) {
  (void)user;
  (void)item;
  (void)worker;
  gate_pass(&item_gate);
}

static void items_may_sleep(void) {
  gevt_stream_t stream = stream_new(), other = stream_new();
  batch_t *batch = batch_new(8, pass_gate);
  int counter = 0;
  CHECK_OK(gevt_host_set_threads(2));
  batch_launch(batch, stream);
  gate_await_entry(&item_gate);
  CHECK_OK(gevt_stream_launch(other, count_up, &counter));
  CHECK_OK(gevt_stream_sync(other));
  CHECK_EQUAL(counter, 1);
  gate_open(&item_gate);
  CHECK_OK(gevt_stream_launch(stream, batch_check, batch));
  stream_finish(stream);
  stream_finish(other);
  batch_end(batch);
  CHECK_OK(gevt_host_set_threads(0));
}

/* Items use gevt: they wait for other streams, launch items themselves, and are refused what can only come after them. */
static void wait_in_item(void *user, size_t item, uint32_t worker) {
  batch_t *batch = (batch_t *)user;
  gevt_stream_t inner = stream_new();
  int counter = 0;
  (void)item;
  (void)worker;
  CHECK_OK(gevt_stream_launch(inner, count_up, &counter));
  CHECK_OK(gevt_stream_sync(inner));
  CHECK_EQUAL(count_of(&counter), 1);
  CHECK_FAILS(gevt_sync(batch->event), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_WOULD_DEADLOCK);
  stream_finish(inner);
}

static void launch_in_item(void *user, size_t item, uint32_t worker) {
  batch_t *inner = batch_new(50, NULL);
  gevt_stream_t stream = stream_new();
  (void)user;
  (void)item;
  (void)worker;
  batch_launch(inner, stream);
  CHECK_OK(gevt_stream_sync(stream));
  batch_check(inner);
  batch_end(inner);
  stream_finish(stream);
}

static void items_may_use_gevt(void) {
  uint32_t threads;
  for (threads = 1; threads <= 3; threads += 2) {
    gate_t gate = GATE_CLOSED;
    gevt_stream_t stream = stream_new();
    batch_t *waits = batch_new(20, wait_in_item), *launches = batch_new(20, launch_in_item);
    CHECK_OK(gevt_host_set_threads(threads));
    gate_close(&gate, stream);
    batch_launch(waits, stream);
    waits->event = event_new();
    CHECK_OK(gevt_record(waits->event, stream));
    batch_launch(launches, stream);
    gate_open(&gate);
    CHECK_OK(gevt_stream_launch(stream, batch_check, waits));
    CHECK_OK(gevt_stream_launch(stream, batch_check, launches));
    stream_finish(stream);
    CHECK_OK(gevt_destroy(waits->event));
    batch_end(waits);
    batch_end(launches);
  }
  CHECK_OK(gevt_host_set_threads(0));
}

/* Many launches on many streams, which wait for each other and are destroyed before they are done. */
static void many_streams_at_once(void) {
  enum { ROUNDS = 50 };
  batch_t *batches[ROUNDS][STREAMS];
  gevt_event_t events[STREAMS];
  gevt_stream_t last = stream_new();
  int i, j;
  CHECK_OK(gevt_host_set_threads(4));
  for (i = 0; i < ROUNDS; i++) {
    for (j = 0; j < STREAMS; j++) {
      gevt_stream_t stream = stream_new();
      events[j] = event_new();
      if (j > 0) CHECK_OK(gevt_stream_wait(stream, events[j - 1], GEVT_WAIT_DEFAULT));
      batches[i][j] = batch_new((size_t)(100 * j), NULL);
      batch_launch(batches[i][j], stream);
      CHECK_OK(gevt_record(events[j], stream));
      CHECK_OK(gevt_stream_wait(last, events[j], GEVT_WAIT_DEFAULT));
      CHECK_OK(gevt_stream_destroy(stream));
    }
    for (j = 0; j < STREAMS; j++) CHECK_OK(gevt_destroy(events[j]));
  }
  stream_finish(last);
  for (i = 0; i < ROUNDS; i++) {
    for (j = 0; j < STREAMS; j++) {
      batch_check(batches[i][j]);
      batch_end(batches[i][j]);
    }
  }
  CHECK_OK(gevt_host_set_threads(0));
}

static void never(void *user, size_t item, uint32_t worker) {
  (void)user;
  (void)item;
  (void)worker;
  check_failed(__FILE__, __LINE__, "an item that was refused ran");
}

static void refusals(void) {
  gevt_stream_t stream = stream_new(), stale = stream_stale();
  CHECK_FAILS(gevt_stream_launch_n(stream, 1, NULL, NULL), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_stream_launch_n(stale, 1, never, NULL), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  if (!subject_is_host()) {
    CHECK_FAILS(gevt_stream_launch_n(stream, 1, never, NULL), GEVT_ERROR_NOT_SUPPORTED, GEVT_DETAIL_UNSUPPORTED);
    CHECK_FAILS(gevt_stream_launch_n(NULL, 0, never, NULL), GEVT_ERROR_NOT_SUPPORTED, GEVT_DETAIL_UNSUPPORTED);
  }
  stream_finish(stream);
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN(refusals);
  RUN_ON_HOST(each_item_runs_once);
  RUN_ON_HOST(launches_keep_the_order);
  RUN_ON_HOST(the_number_may_change_meanwhile);
  RUN_ON_HOST(others_have_their_turn);
  RUN_ON_HOST(items_may_sleep);
  RUN_ON_HOST(items_may_use_gevt);
  RUN_ON_HOST(many_streams_at_once);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
