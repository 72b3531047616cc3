/* The CUcontext that is current on a thread is its owner's business: the same after every call of gevt as before it, whether
   the call succeeds or fails, with none current, another one, and the call's own. */
#include "owned.h"

/* Makes the call, then checks the current context. */
static void unchanged(void *current, gevt_status_t status, gevt_status_t expected, const char *call, int line) {
  check_status(status, expected, call, __FILE__, line);
  if (check_that(current_native() == current, call, __FILE__, line)) return;
  printf("    it changed the current context\n");
  CHECK_EQUAL(driver.context_set_current(current), 0);
}

#define KEPT(call, status) unchanged(current, (call), (status), #call, __LINE__)
#define KEPT_OK(call) KEPT(call, GEVT_SUCCESS)

static void note_call(void *user, gevt_status_t status) {
  CHECK_EQUAL(status, GEVT_SUCCESS);
  count_up(user);
}

/* The objects that the calls are made with, all of one context. */
typedef struct subject_objects {
  owned_context_t context;
  owned_stream_t real;
  void *native_event;
} subject_objects_t;

static void streams_keep_it(const subject_objects_t *its, void *current) {
  uintptr_t special;
  int counter = 0;
  for (special = 0; special <= 4; special++) {
    gevt_stream_t stream = NULL;
    gevt_event_t event = NULL;
    KEPT_OK(gevt_create(&event, GEVT_EVENT_DEFAULT));
    if (special <= 2)
      KEPT_OK(gevt_stream_wrap(&stream, its->context.context, (void *)special));
    else if (special == 3)
      KEPT_OK(gevt_stream_wrap(&stream, its->context.context, its->real.native));
    else
      KEPT_OK(gevt_stream_create(&stream, its->context.context, GEVT_STREAM_DEFAULT));
    KEPT_OK(gevt_record(event, stream));
    KEPT_OK(gevt_stream_wait(stream, event, GEVT_WAIT_DEFAULT));
    KEPT_OK(gevt_stream_launch(stream, count_up, &counter));
    KEPT_OK(gevt_record_with_flags(event, stream, GEVT_RECORD_DEFAULT));
    KEPT_OK(gevt_stream_sync(stream));
    KEPT_OK(gevt_stream_query(stream));
    KEPT_OK(gevt_query(event));
    KEPT(gevt_record_with_flags(event, stream, GEVT_RECORD_EXTERNAL), GEVT_ERROR_ILLEGAL_STATE);
    KEPT(gevt_stream_wait(stream, event, GEVT_WAIT_EXTERNAL), GEVT_ERROR_ILLEGAL_STATE);
    KEPT(gevt_record_with_flags(event, stream, 2), GEVT_ERROR_INVALID_VALUE);
    KEPT_OK(gevt_stream_destroy(stream));
    KEPT(gevt_stream_destroy(stream), GEVT_ERROR_INVALID_HANDLE);
    KEPT_OK(gevt_destroy(event));
  }
  KEPT_OK(gevt_context_sync(its->context.context));
  CHECK_EQUAL(count_of(&counter), 5);
}

static void events_keep_it(const subject_objects_t *its, void *current) {
  static const uint32_t flags[] = {GEVT_EVENT_DEFAULT, GEVT_EVENT_BLOCKING_SYNC, GEVT_EVENT_DISABLE_TIMING};
  gevt_stream_t stream = its->real.stream;
  gevt_event_t event = NULL, start = NULL, wrapped = NULL;
  gevt_event_info_t info;
  void *native = NULL;
  size_t index = 99, i;
  float ms;
  int called = 0;
  KEPT_OK(gevt_create_in(&start, its->context.context, GEVT_EVENT_DEFAULT));
  KEPT_OK(gevt_record(start, stream));
  for (i = 0; i < sizeof flags / sizeof *flags; i++) {
    gate_t gate = GATE_CLOSED;
    gevt_status_t elapsed = flags[i] == GEVT_EVENT_DISABLE_TIMING ? GEVT_ERROR_INVALID_HANDLE : GEVT_ERROR_NOT_READY;
    KEPT_OK(gevt_create_in(&event, its->context.context, flags[i]));
    gate_close(&gate, stream);
    KEPT_OK(gevt_record(event, stream));
    KEPT(gevt_query(event), GEVT_ERROR_NOT_READY);
    KEPT(gevt_stream_query(stream), GEVT_ERROR_NOT_READY);
    KEPT(gevt_sync_timeout(event, MILLISECOND), GEVT_ERROR_TIMEOUT);
    KEPT(gevt_sync_all(&event, 1, MILLISECOND), GEVT_ERROR_TIMEOUT);
    KEPT(gevt_sync_any(&index, &event, 1, MILLISECOND), GEVT_ERROR_TIMEOUT);
    KEPT(gevt_elapsed(&ms, start, event), elapsed);
    KEPT_OK(gevt_on_complete(event, note_call, &called));
    /* A record while the callback waits takes another native event. */
    KEPT_OK(gevt_record(event, stream));
    gate_open(&gate);
    KEPT_OK(gevt_sync(event));
    KEPT_OK(gevt_sync_all(&event, 1, GEVT_TIMEOUT_INFINITE));
    KEPT_OK(gevt_sync_any(&index, &event, 1, GEVT_TIMEOUT_INFINITE));
    if (elapsed == GEVT_ERROR_NOT_READY) KEPT_OK(gevt_elapsed(&ms, start, event));
    KEPT_OK(gevt_native(&native, event));
    info.size = sizeof info;
    KEPT_OK(gevt_get_info(&info, event));
    CHECK(count_await(&called, (int)i + 1));
    KEPT_OK(gevt_destroy(event));
    KEPT(gevt_destroy(event), GEVT_ERROR_INVALID_HANDLE);
    KEPT(gevt_record(event, stream), GEVT_ERROR_INVALID_HANDLE);
  }
  KEPT_OK(gevt_wrap(&wrapped, its->context.context, its->native_event, GEVT_EVENT_DEFAULT));
  KEPT_OK(gevt_record(wrapped, stream));
  KEPT_OK(gevt_sync(wrapped));
  KEPT_OK(gevt_query(wrapped));
  KEPT_OK(gevt_elapsed(&ms, start, wrapped));
  KEPT_OK(gevt_destroy(wrapped));
  KEPT_OK(gevt_destroy(start));
}

static void contexts_keep_it(const subject_objects_t *its, const subject_objects_t *others, void *current) {
  gevt_context_t context = NULL, of_thread = NULL;
  gevt_event_t event = NULL, wrong = NULL;
  gevt_stream_t stream = NULL;
  int32_t count = 0;
  KEPT_OK(gevt_device_count(&count, GEVT_BACKEND_CUDA));
  KEPT(gevt_context_open(&context, GEVT_BACKEND_CUDA, count), GEVT_ERROR_INVALID_DEVICE);
  KEPT(gevt_context_open(&context, GEVT_BACKEND_CUDA, -1), GEVT_ERROR_INVALID_DEVICE);
  KEPT_OK(gevt_context_open(&context, GEVT_BACKEND_CUDA, 0));
  KEPT_OK(gevt_create_in(&event, context, GEVT_EVENT_DEFAULT));
  KEPT_OK(gevt_stream_create(&stream, context, GEVT_STREAM_NON_BLOCKING));
  KEPT_OK(gevt_record(event, stream));
  KEPT_OK(gevt_stream_destroy(stream));
  KEPT_OK(gevt_sync(event));
  KEPT_OK(gevt_destroy(event));
  KEPT_OK(gevt_context_close(context));
  KEPT_OK(gevt_context_wrap(&context, GEVT_BACKEND_CUDA, its->context.native));
  /* gevt's current context is one thing, and the driver's another. */
  KEPT_OK(gevt_context_set_current(context));
  KEPT_OK(gevt_context_get_current(&of_thread));
  CHECK(of_thread == context);
  KEPT_OK(gevt_create_in(&event, NULL, GEVT_EVENT_DEFAULT));
  KEPT_OK(gevt_record(event, NULL));
  KEPT_OK(gevt_sync(event));
  KEPT_OK(gevt_stream_sync(NULL));
  KEPT_OK(gevt_stream_query(NULL));
  KEPT_OK(gevt_context_sync(NULL));
  KEPT_OK(gevt_context_set_current(NULL));
  KEPT_OK(gevt_context_get_current(&of_thread));
  KEPT_OK(gevt_context_close(context));
  KEPT(gevt_context_close(context), GEVT_ERROR_INVALID_HANDLE);
  KEPT(gevt_context_sync(context), GEVT_ERROR_INVALID_HANDLE);
  /* Across contexts. */
  KEPT_OK(gevt_stream_wait(others->real.stream, event, GEVT_WAIT_DEFAULT));
  KEPT(gevt_record(event, others->real.stream), GEVT_ERROR_INVALID_HANDLE);
  KEPT(gevt_stream_wrap(&stream, others->context.context, its->real.native), GEVT_ERROR_INVALID_HANDLE);
  KEPT_OK(gevt_create_in(&wrong, others->context.context, GEVT_EVENT_DEFAULT));
  KEPT(gevt_record(wrong, its->real.stream), GEVT_ERROR_INVALID_HANDLE);
  KEPT_OK(gevt_destroy(wrong));
  KEPT_OK(gevt_destroy(event));
}

static subject_objects_t objects_make(void) {
  subject_objects_t its;
  its.context = owned_context_make();
  its.real = owned_stream_make(its.context);
  its.native_event = native_event_in(its.context);
  return its;
}

static void objects_finish(subject_objects_t its) {
  CHECK_EQUAL(driver.event_destroy(its.native_event), 0);
  owned_stream_finish(its.real);
  owned_context_finish(its.context);
}

static void keep(void *current, const subject_objects_t *its, const subject_objects_t *others) {
  CHECK_EQUAL(driver.context_set_current(current), 0);
  streams_keep_it(its, current);
  events_keep_it(its, current);
  contexts_keep_it(its, others, current);
  CHECK(current_native() == current);
  CHECK_EQUAL(driver.context_set_current(NULL), 0);
}

static subject_objects_t its, others;

static void with_none_current(void) {
  keep(NULL, &its, &others);
}

static void with_another_current(void) {
  keep(others.context.native, &its, &others);
}

static void with_its_own_current(void) {
  keep(its.context.native, &its, &others);
}

/* Without a current gevt context, a thread uses the driver's current one. */
static void the_current_one_is_the_default(void) {
  gevt_event_t event = event_new();
  gevt_context_t context = NULL;
  void *current = its.context.native;
  CHECK_EQUAL(driver.context_set_current(current), 0);
  KEPT_OK(gevt_context_get_current(&context));
  KEPT_OK(gevt_record(event, NULL));
  KEPT_OK(gevt_sync(event));
  /* Bound to that context: a stream of another is refused. */
  KEPT(gevt_record(event, others.real.stream), GEVT_ERROR_INVALID_HANDLE);
  CHECK_DETAIL(GEVT_DETAIL_CONTEXT_MISMATCH);
  KEPT_OK(gevt_record(event, its.real.stream));
  KEPT_OK(gevt_destroy(event));
  current = others.context.native;
  CHECK_EQUAL(driver.context_set_current(current), 0);
  event = event_new();
  KEPT_OK(gevt_record(event, NULL));
  KEPT_OK(gevt_record(event, others.real.stream));
  KEPT_OK(gevt_destroy(event));
  CHECK_EQUAL(driver.context_set_current(NULL), 0);
}

int main(int argc, char **argv) {
  owned_begin(argc, argv);
  its = objects_make();
  others = objects_make();
  RUN(with_none_current);
  RUN(with_another_current);
  RUN(with_its_own_current);
  RUN(the_current_one_is_the_default);
  objects_finish(its);
  objects_finish(others);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
