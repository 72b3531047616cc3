#include "worker.h"

worker_t workers[WORKERS];

int worker_failures(void) {
  return check_failures();
}

static unsigned chance(worker_t *worker, unsigned below) {
  worker->random ^= worker->random << 13;
  worker->random ^= worker->random >> 7;
  worker->random ^= worker->random << 17;
  return (unsigned)(worker->random >> 33) % below;
}

/* ---- Functions that streams run */

static void in_lane(void *user) {
  lane_t *lane = (lane_t *)user;
  __atomic_store_n(&lane->done, lane->done + 1, __ATOMIC_RELEASE);
}

/* A promise that another worker's lane has reached a count. */
typedef struct promise {
  lane_t *lane;
  unsigned long least;
  int *pending;
} promise_t;

static promise_t *promise_new(lane_t *lane, unsigned long least, int *pending) {
  promise_t *promise = (promise_t *)malloc(sizeof *promise);
  if (!promise) abort();
  promise->lane = lane;
  promise->least = least;
  promise->pending = pending;
  __atomic_add_fetch(pending, 1, __ATOMIC_SEQ_CST);
  return promise;
}

static void in_stream(void *user) {
  promise_t *promise = (promise_t *)user;
  CHECK(lane_done(promise->lane) >= promise->least);
  __atomic_sub_fetch(promise->pending, 1, __ATOMIC_SEQ_CST);
  free(promise);
}

static void on_complete(void *user, gevt_status_t status) {
  CHECK_EQUAL(status, GEVT_SUCCESS);
  in_stream(user);
}

/* ---- Operations on what the worker owns */

static void launch(lane_t *lane) {
  lane->given++;
  lane->queued++;
  CHECK_OK(gevt_stream_launch(lane->stream, in_lane, lane));
}

static void open_lane(lane_t *lane) {
  if (!lane->closed) return;
  gate_open(&lane->gate);
  lane->closed = 0;
}

static void close_lane(lane_t *lane) {
  const gate_t closed = GATE_CLOSED;
  if (lane->closed) return;
  CHECK_OK(gevt_stream_sync(lane->stream));
  lane->gate = closed;
  lane->closed = 1;
  gate_close(&lane->gate, lane->stream);
  launch(lane);
}

/* 1 where the model knows that the event is done, 0 where it knows that it is not, -1 where only time tells. */
static int model_of(const marked_t *marked) {
  if (!marked->lane || lane_done(marked->lane) > marked->behind) return 1;
  return marked->lane->closed && lane_done(marked->lane) < marked->behind ? 0 : -1;
}

/* `known` is what the model knew before the call. */
static void compare(const marked_t *marked, int known, gevt_status_t answer, gevt_status_t pending) {
  if (known != 0 && answer == GEVT_SUCCESS)
    CHECK(!marked->lane || lane_done(marked->lane) >= marked->behind);
  else
    CHECK_EQUAL(answer, pending);
  if (known == 1) CHECK_EQUAL(answer, GEVT_SUCCESS);
}

static void query(marked_t *marked) {
  int known = model_of(marked);
  compare(marked, known, gevt_query(marked->event), GEVT_ERROR_NOT_READY);
}

static void wait_briefly(marked_t *marked) {
  int known = model_of(marked);
  compare(marked, known, gevt_sync_timeout(marked->event, 1000), GEVT_ERROR_TIMEOUT);
}

static void record(worker_t *worker, marked_t *marked) {
  lane_t *lane = &worker->lanes[chance(worker, 2)];
  if (chance(worker, 2))
    CHECK_OK(gevt_record(marked->event, lane->stream));
  else
    CHECK_OK(gevt_record_with_flags(marked->event, lane->stream, GEVT_RECORD_DEFAULT));
  lane->queued++;
  marked->lane = lane;
  marked->behind = lane->given;
  marked->records++;
}

static void renew(worker_t *worker, marked_t *marked) {
  marked_t fresh = {NULL, NULL, 0, 0, 0};
  fresh.timed = chance(worker, 4) != 0;
  if (marked->event) CHECK_OK(gevt_destroy(marked->event));
  worker->stale = marked->event;
  if (chance(worker, 2))
    CHECK_OK(gevt_create(&fresh.event, fresh.timed ? GEVT_EVENT_DEFAULT : GEVT_EVENT_DISABLE_TIMING));
  else
    CHECK_OK(gevt_create_in(&fresh.event, worker->context,
                            fresh.timed ? GEVT_EVENT_BLOCKING_SYNC : GEVT_EVENT_DISABLE_TIMING));
  *marked = fresh;
}

static void wait_for(worker_t *worker, marked_t *marked) {
  (void)worker;
  if (marked->lane) open_lane(marked->lane);
  CHECK_OK(gevt_sync(marked->event));
  CHECK(!marked->lane || lane_done(marked->lane) >= marked->behind);
  CHECK_OK(gevt_query(marked->event));
}

/* Of one lane, the later record has the later time. */
static void measure(worker_t *worker, marked_t *start, marked_t *end) {
  int64_t ns = -1, back = 0;
  float ms = 0;
  if (!start->lane || start->lane != end->lane || !start->timed || !end->timed) {
    gevt_status_t status = gevt_elapsed_ns(&ns, start->event, end->event);
    if (!start->lane || !end->lane || !start->timed || !end->timed)
      CHECK_EQUAL(status, GEVT_ERROR_INVALID_HANDLE);
    else
      CHECK(status == GEVT_SUCCESS || status == GEVT_ERROR_NOT_READY);
    return;
  }
  wait_for(worker, start);
  wait_for(worker, end);
  CHECK_OK(gevt_elapsed_ns(&ns, start->event, end->event));
  CHECK_OK(gevt_elapsed_ns(&back, end->event, start->event));
  CHECK_OK(gevt_elapsed(&ms, start->event, end->event));
  CHECK_EQUAL(back, -ns);
  if (start->behind < end->behind) CHECK(ns >= 0);
  if (start->behind > end->behind) CHECK(ns <= 0);
  CHECK((ms >= 0) == (ns >= 0) || ms == 0);
}

static void tell(worker_t *worker, marked_t *marked) {
  gevt_event_info_t info;
  memset(&info, 0, sizeof info);
  info.size = sizeof info;
  CHECK_OK(gevt_set_name(marked->event, chance(worker, 2) ? "soak" : NULL));
  CHECK_OK(gevt_get_info(&info, marked->event));
  CHECK_EQUAL(info.record_count, marked->records);
  CHECK_EQUAL(info.state == GEVT_STATE_UNRECORDED, marked->records == 0);
}

static void wait_for_several(worker_t *worker) {
  gevt_event_t events[OWN_EVENTS];
  size_t place = OWN_EVENTS, i;
  for (i = 0; i < OWN_EVENTS; i++) events[i] = worker->own[i].event;
  open_lane(&worker->lanes[0]);
  open_lane(&worker->lanes[1]);
  CHECK_OK(gevt_sync_any(&place, events, 1 + chance(worker, OWN_EVENTS), GEVT_TIMEOUT_INFINITE));
  if (CHECK(place < OWN_EVENTS)) CHECK_OK(gevt_query(events[place]));
  CHECK_OK(gevt_sync_all(events, OWN_EVENTS, HANG_LIMIT));
  for (i = 0; i < OWN_EVENTS; i++) CHECK_OK(gevt_query(events[i]));
}

/* ---- Operations on other workers' objects */

/* Either the answer is right for the state published before the call, or the owner has renewed the event in the meantime. */
static void use_shared(worker_t *worker) {
  worker_t *owner = &workers[chance(worker, WORKERS)];
  shared_t *shared = &owner->shared[chance(worker, SHARED_EVENTS)];
  unsigned long least = __atomic_load_n(&shared->behind, __ATOMIC_SEQ_CST);
  gevt_event_t event = __atomic_load_n(&shared->event, __ATOMIC_SEQ_CST);
  lane_t *lane = &owner->lanes[0], *mine = &worker->lanes[1];
  promise_t *promise = NULL;
  gevt_status_t answer;
  switch (chance(worker, 4)) {
  case 0:
    answer = gevt_query(event);
    break;
  case 1:
    answer = gevt_sync_timeout(event, 50000);
    break;
  case 2:
    promise = promise_new(lane, least, &worker->callbacks);
    answer = gevt_on_complete(event, on_complete, promise);
    break;
  default:
    mine->queued += 2;
    answer = gevt_stream_wait(mine->stream, event, GEVT_WAIT_DEFAULT);
    if (answer == GEVT_SUCCESS) {
      promise = promise_new(lane, least, &worker->callbacks);
      answer = gevt_stream_launch(mine->stream, in_stream, promise);
      least = 0;
    }
  }
  if (answer == GEVT_SUCCESS) {
    if (!promise) CHECK(lane_done(lane) >= least);
    return;
  }
  if (promise) {
    __atomic_sub_fetch(promise->pending, 1, __ATOMIC_SEQ_CST);
    free(promise);
  }
  if (answer == GEVT_ERROR_NOT_READY || answer == GEVT_ERROR_TIMEOUT) return;
  CHECK_EQUAL(answer, GEVT_ERROR_INVALID_HANDLE);
  CHECK_DETAIL(GEVT_DETAIL_STALE_HANDLE);
  CHECK(__atomic_load_n(&shared->event, __ATOMIC_SEQ_CST) != event);
}

/* Each record comes later in the lane than the previous one, so published facts stay true. A new event has no record. It is published with
   its first one. */
static void publish(worker_t *worker) {
  shared_t *shared = &worker->shared[chance(worker, SHARED_EVENTS)];
  lane_t *lane = &worker->lanes[0];
  gevt_event_t old = shared->event, event = old;
  if (!old || chance(worker, 8) == 0) CHECK_OK(gevt_create(&event, GEVT_EVENT_DISABLE_TIMING));
  launch(lane);
  CHECK_OK(gevt_record(event, lane->stream));
  lane->queued++;
  __atomic_store_n(&shared->event, event, __ATOMIC_SEQ_CST);
  __atomic_store_n(&shared->behind, lane->given, __ATOMIC_SEQ_CST);
  if (old && old != event) CHECK_OK(gevt_destroy(old));
}

/* ---- The rest of the API, whose answers never change */

/* Uses a separate context: its default stream and the thread's default stream. */
static void use_streams_of_the_library(gevt_context_t context) {
  gevt_stream_t streams[2] = {NULL, NULL};
  size_t i;
  CHECK_OK(gevt_stream_wrap(&streams[1], context, (void *)2));
  for (i = 0; i < 2; i++) {
    gevt_event_t event = NULL;
    CHECK_OK(gevt_create(&event, GEVT_EVENT_STRICT));
    CHECK_FAILS(gevt_query(event), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_NOT_RECORDED);
    CHECK_OK(gevt_record(event, streams[i]));
    CHECK_OK(gevt_sync(event));
    CHECK_OK(gevt_destroy(event));
  }
  CHECK_OK(gevt_stream_destroy(streams[1]));
}

/* No other process has exported anything; this one's own bytes are refused. */
static void share(worker_t *worker) {
  gevt_ipc_handle_t handle;
  gevt_event_t event = NULL, opened = NULL;
  lane_t *lane = &worker->lanes[1];
  unsigned long least;
  CHECK_OK(gevt_create(&event, GEVT_EVENT_DISABLE_TIMING | GEVT_EVENT_INTERPROCESS));
  CHECK_OK(gevt_ipc_export(&handle, event));
  CHECK_FAILS(gevt_ipc_import(&opened, worker->context, &handle), GEVT_ERROR_INVALID_CONTEXT,
              GEVT_DETAIL_IPC_SAME_PROCESS);
  launch(lane);
  least = lane->given;
  CHECK_OK(gevt_record(event, lane->stream));
  if (lane->closed) CHECK_STATUS(gevt_query(event), GEVT_ERROR_NOT_READY);
  open_lane(lane);
  CHECK_OK(gevt_sync(event));
  CHECK(lane_done(lane) >= least);
  CHECK_OK(gevt_destroy(event));
}

/* A wait of a stream for a signal, and for the failure of one. */
static void signal_one(worker_t *worker) {
  static const gevt_status_t statuses[] = {GEVT_SUCCESS, GEVT_SUCCESS, 719};
  gevt_status_t status = statuses[chance(worker, 3)];
  gevt_event_t event = NULL, behind = NULL;
  gevt_stream_t stream = NULL;
  CHECK_OK(gevt_stream_create(&stream, worker->context, GEVT_STREAM_NON_BLOCKING));
  CHECK_OK(gevt_create(&event, GEVT_EVENT_HOST_SIGNALED));
  CHECK_OK(gevt_create(&behind, GEVT_EVENT_DISABLE_TIMING));
  if (chance(worker, 2)) {
    CHECK_OK(gevt_signal(event, GEVT_SUCCESS));
    CHECK_OK(gevt_reset(event));
  }
  CHECK_OK(gevt_stream_wait(stream, event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_record(behind, stream));
  CHECK_STATUS(gevt_query(behind), GEVT_ERROR_NOT_READY);
  if (chance(worker, 4) == 0) {
    status = GEVT_ERROR_CONTEXT_IS_DESTROYED;
  } else {
    CHECK_OK(gevt_signal(event, status));
  }
  CHECK_OK(gevt_destroy(event));
  CHECK_STATUS(gevt_sync(behind), status);
  CHECK_STATUS(gevt_stream_sync(stream), status);
  CHECK_OK(gevt_destroy(behind));
  CHECK_OK(gevt_stream_destroy(stream));
}

/* Any thread may have installed the logger, and it receives the failures of all threads. */
static void on_log(void *user, gevt_log_level_t level, const char *message) {
  CHECK(user == workers && level <= GEVT_LOG_WARN && *message);
}

static void ask_the_library(worker_t *worker) {
  gevt_context_t context = NULL, current = NULL;
  gevt_stream_t stream = NULL;
  int32_t count = 0;
  void *native = NULL;
  CHECK(gevt_version() > 0 && *gevt_version_string());
  CHECK(*gevt_status_name(GEVT_ERROR_TIMEOUT) && *gevt_status_string(GEVT_ERROR_TIMEOUT) &&
        *gevt_detail_name(GEVT_DETAIL_NONE));
  CHECK_OK(gevt_device_count(&count, GEVT_BACKEND_HOST));
  CHECK_OK(gevt_context_open(&context, GEVT_BACKEND_HOST, (int32_t)chance(worker, (unsigned)count)));
  CHECK_FAILS(gevt_context_wrap(&current, GEVT_BACKEND_HOST, &count), GEVT_ERROR_NOT_SUPPORTED, GEVT_DETAIL_NO_NATIVE);
  CHECK_FAILS(gevt_wrap(&worker->stale, worker->context, &count, 0), GEVT_ERROR_NOT_SUPPORTED, GEVT_DETAIL_NO_NATIVE);
  CHECK(*gevt_last_message());
  if (worker->stale) CHECK_FAILS(gevt_query(worker->stale), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  CHECK_FAILS(gevt_query((gevt_event_t)context), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_WRONG_KIND);
  CHECK(gevt_native(&native, worker->own[0].event) != GEVT_SUCCESS);
  CHECK_OK(gevt_context_set_current(context));
  CHECK_OK(gevt_context_get_current(&current));
  CHECK(current == context);
  use_streams_of_the_library(context);
  CHECK_OK(gevt_context_set_current(worker->context));
  CHECK_OK(gevt_stream_create(&stream, context, chance(worker, 2)));
  CHECK_STATUS(gevt_context_close(context), GEVT_SUCCESS);
  CHECK_OK(gevt_stream_destroy(stream));
  if (chance(worker, 4) == 0) share(worker);
  if (chance(worker, 4) == 0)
    CHECK_OK(gevt_set_log_callback(on_log, workers, chance(worker, 2) ? GEVT_LOG_WARN : GEVT_LOG_OFF));
}

static void sync_a_stream(worker_t *worker, lane_t *lane) {
  (void)worker;
  if (lane->closed) CHECK_STATUS(gevt_stream_query(lane->stream), GEVT_ERROR_NOT_READY);
  open_lane(lane);
  CHECK_OK(gevt_stream_sync(lane->stream));
  lane->queued = 0;
  CHECK_EQUAL(lane_done(lane), lane->given);
  CHECK_OK(gevt_stream_query(lane->stream));
}

void worker_step(worker_t *worker) {
  marked_t *marked = &worker->own[chance(worker, OWN_EVENTS)], *other = &worker->own[chance(worker, OWN_EVENTS)];
  lane_t *lane = &worker->lanes[chance(worker, 2)];
  worker->operations++;
  /* Other workers' waits for the lane are held back no longer than one operation of this thread. */
  if (worker->lanes[0].closed) open_lane(&worker->lanes[0]);
  if (lane->queued >= MOST_QUEUED) sync_a_stream(worker, lane);
  switch (chance(worker, 24)) {
  case 0:
    launch(lane);
    break;
  case 1:
    close_lane(lane);
    break;
  case 2:
    open_lane(lane);
    break;
  case 3:
    renew(worker, marked);
    break;
  case 4:
    measure(worker, marked, other);
    break;
  case 5:
    tell(worker, marked);
    break;
  case 6:
    wait_for(worker, marked);
    break;
  case 7:
    wait_for_several(worker);
    break;
  case 8:
    sync_a_stream(worker, lane);
    break;
  case 9:
    ask_the_library(worker);
    break;
  case 10:
    wait_briefly(marked);
    break;
  case 11:
    publish(worker);
    break;
  case 12:
  case 13:
  case 14:
    use_shared(worker);
    break;
  case 15:
  case 16:
  case 17:
  case 18:
    record(worker, marked);
    break;
  case 19:
    signal_one(worker);
    break;
  default:
    query(marked);
    break;
  }
}

void worker_begin(worker_t *worker, int number) {
  int i;
  worker->random = 0x9e3779b97f4a7c15u * (uint64_t)(number + 1);
  CHECK_OK(gevt_context_open(&worker->context, GEVT_BACKEND_HOST, 0));
  CHECK_OK(gevt_context_set_current(worker->context));
  for (i = 0; i < 2; i++)
    CHECK_OK(gevt_stream_create(&worker->lanes[i].stream, worker->context, GEVT_STREAM_NON_BLOCKING));
  for (i = 0; i < OWN_EVENTS; i++) renew(worker, &worker->own[i]);
  for (i = 0; i < 8 * SHARED_EVENTS; i++) publish(worker);
}

void worker_drain(worker_t *worker) {
  int i;
  for (i = 0; i < 2; i++) sync_a_stream(worker, &worker->lanes[i]);
}

void worker_end(worker_t *worker) {
  int i;
  worker_drain(worker);
  for (i = 0; i < OWN_EVENTS; i++) CHECK_OK(gevt_destroy(worker->own[i].event));
  for (i = 0; i < SHARED_EVENTS; i++) CHECK_OK(gevt_destroy(worker->shared[i].event));
  for (i = 0; i < 2; i++) CHECK_OK(gevt_stream_destroy(worker->lanes[i].stream));
  CHECK_OK(gevt_context_sync(worker->context));
  CHECK_OK(gevt_context_set_current(NULL));
  CHECK_OK(gevt_context_close(worker->context));
}
