/* Handles of a context that ended under gevt. The plain driver follows its dead streams and events into freed memory; gevt
   answers CONTEXT_IS_DESTROYED. Each call is tried as the first to notice, in a process of its own.
   usage: lost cuda [way [call]] */
#include "lost.h"

static int losses_told;

static void note_loss(void *user, gevt_log_level_t level, const char *message) {
  CHECK_EQUAL(level, GEVT_LOG_ERROR);
  CHECK(strstr(message, "GEVT_ERROR_CONTEXT_IS_DESTROYED") != NULL);
  count_up(user);
}

static void never(void *user) {
  (void)user;
  check_failed(__FILE__, __LINE__, "a function was run in a context that is gone");
}

static void never_complete(void *user, gevt_status_t status) {
  (void)status;
  never(user);
}

/* The calls that are refused alone: a case of each. */
#define LOST_CALLS(ROW)                                                                                                \
  ROW(record_own, gevt_record(lost.finished, lost.own))                                                                \
  ROW(record_wrapped, gevt_record(lost.finished, lost.real.stream))                                                    \
  ROW(record_default, gevt_record(lost.finished, lost.special))                                                        \
  ROW(record_external, gevt_record_with_flags(lost.finished, lost.own, GEVT_RECORD_EXTERNAL))                          \
  ROW(record_wrapped_event, gevt_record(lost.wrapped, lost.own))                                                       \
  ROW(launch_own, gevt_stream_launch(lost.own, never, NULL))                                                           \
  ROW(launch_wrapped, gevt_stream_launch(lost.real.stream, never, NULL))                                               \
  ROW(launch_default, gevt_stream_launch(lost.special, never, NULL))                                                   \
  ROW(stream_wait_own, gevt_stream_wait(lost.own, lost.unasked, GEVT_WAIT_DEFAULT))                                    \
  ROW(stream_wait_wrapped, gevt_stream_wait(lost.real.stream, lost.finished, GEVT_WAIT_DEFAULT))                       \
  ROW(stream_wait_elsewhere, gevt_stream_wait(lost.elsewhere, lost.unasked, GEVT_WAIT_DEFAULT))                        \
  ROW(stream_query_own, gevt_stream_query(lost.own))                                                                   \
  ROW(stream_query_wrapped, gevt_stream_query(lost.real.stream))                                                       \
  ROW(stream_query_default, gevt_stream_query(lost.special))                                                           \
  ROW(stream_sync_own, gevt_stream_sync(lost.own))                                                                     \
  ROW(stream_sync_wrapped, gevt_stream_sync(lost.real.stream))                                                         \
  ROW(stream_sync_default, gevt_stream_sync(lost.special))                                                             \
  ROW(context_sync, gevt_context_sync(lost.context.context))                                                           \
  ROW(query_unasked, gevt_query(lost.unasked))                                                                         \
  ROW(sync_unasked, gevt_sync(lost.unasked))                                                                           \
  ROW(sync_timeout_unasked, gevt_sync_timeout(lost.unasked, SECOND))                                                   \
  ROW(query_wrapped_event, gevt_query(lost.wrapped))                                                                   \
  ROW(query_given, gevt_query(lost.given))                                                                             \
  ROW(query_shared, gevt_query(lost.shared))                                                                           \
  ROW(on_complete_unasked, gevt_on_complete(lost.unasked, never_complete, NULL))                                       \
  ROW(stream_wait_wrapped_event, gevt_stream_wait(lost.elsewhere, lost.wrapped, GEVT_WAIT_DEFAULT))                    \
  ROW(stream_wait_finished_elsewhere, gevt_stream_wait(lost.elsewhere, lost.finished, GEVT_WAIT_DEFAULT))              \
  ROW(stream_wait_default, gevt_stream_wait(lost.special, lost.unasked, GEVT_WAIT_DEFAULT))

#define LOST_BODY(name, call)                                                                                          \
  static void name(void) {                                                                                             \
    LOST(call);                                                                                                        \
  }
LOST_CALLS(LOST_BODY)

static void sync_all_unasked(void) {
  gevt_event_t events[2];
  events[0] = lost.finished;
  events[1] = lost.unasked;
  LOST(gevt_sync_all(events, 2, SECOND));
}
static void sync_any_unasked(void) {
  size_t index = 99;
  LOST(gevt_sync_any(&index, &lost.unasked, 1, SECOND));
  CHECK_EQUAL(index, 0);
}
/* A failure from a lost context ends no wait for all while another event is pending, and no wait for any that lists a
   completed event first. */
static void sync_several_beside_a_pending_one(void) {
  gevt_event_t orders[2][2], behind = event_with(GEVT_EVENT_HOST_SIGNALED);
  size_t index = 99;
  int i;
  orders[0][0] = orders[1][1] = lost.finished;
  orders[0][1] = orders[1][0] = behind;
  LOST(gevt_query(lost.unasked));
  for (i = 0; i < 2; i++) {
    CHECK_FAILS(gevt_sync_all(orders[i], 2, MILLISECOND), GEVT_ERROR_TIMEOUT, GEVT_DETAIL_TIMED_OUT);
    LOST(gevt_sync_any(&index, orders[i], 2, GEVT_TIMEOUT_INFINITE));
  }
  CHECK_OK(gevt_signal(behind, GEVT_SUCCESS));
  for (i = 0; i < 2; i++) LOST(gevt_sync_all(orders[i], 2, GEVT_TIMEOUT_INFINITE));
  LOST(gevt_sync_any(&index, orders[0], 2, GEVT_TIMEOUT_INFINITE));
  CHECK_OK(gevt_sync_any(&index, orders[1], 2, GEVT_TIMEOUT_INFINITE));
  CHECK_EQUAL(index, 0);
  CHECK_OK(gevt_destroy(behind));
  /* An invalid handle is refused before any wait begins. */
  CHECK_FAILS(gevt_sync_all(orders[0], 2, GEVT_TIMEOUT_INFINITE), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
}
static void elapsed_unasked(void) {
  float ms;
  pattern_fill(&ms, sizeof ms);
  LOST(gevt_elapsed(&ms, lost.finished, lost.unasked));
  CHECK(pattern_intact(&ms, sizeof ms));
}
/* Both are known to be done; the time between them is not. */
static void elapsed_finished(void) {
  int64_t ns;
  pattern_fill(&ns, sizeof ns);
  LOST(gevt_elapsed_ns(&ns, lost.earlier, lost.finished));
  CHECK(pattern_intact(&ns, sizeof ns));
}
/* The driver is not asked about events of two contexts, one of which has ended. */
static void elapsed_across(void) {
  gevt_event_t event = event_new();
  int64_t ns;
  CHECK_OK(gevt_record(event, lost.elsewhere));
  CHECK_OK(gevt_sync(event));
  CHECK_FAILS(gevt_elapsed_ns(&ns, event, lost.finished), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_CONTEXT_MISMATCH);
  CHECK_OK(gevt_destroy(event));
}
static void elapsed_wrapped(void) {
  float ms;
  LOST(gevt_elapsed(&ms, lost.wrapped, lost.wrapped));
}
static void info_of_unasked(void) {
  CHECK_EQUAL(event_info(lost.unasked).state, GEVT_STATE_FAILED);
}
static void native_of(gevt_event_t event) {
  void *native;
  pattern_fill(&native, sizeof native);
  LOST(gevt_native(&native, event));
  CHECK(pattern_intact(&native, sizeof native));
}
#define NATIVE_OF(event)                                                                                               \
  static void native_##event(void) {                                                                                   \
    native_of(lost.event);                                                                                             \
  }
NATIVE_OF(unrecorded) NATIVE_OF(finished) NATIVE_OF(given) NATIVE_OF(wrapped) static void export_shared(void) {
  gevt_ipc_handle_t handle;
  pattern_fill(&handle, sizeof handle);
  LOST(gevt_ipc_export(&handle, lost.shared));
  CHECK(pattern_intact(&handle, sizeof handle));
}
static void import(void) {
  gevt_ipc_handle_t handle;
  gevt_event_t event;
  pattern_fill(&event, sizeof event);
  memset(&handle, 0x5a, sizeof handle);
  LOST(gevt_ipc_import(&event, lost.context.context, &handle));
  CHECK(pattern_intact(&event, sizeof event));
}

/* Destroys are the first to touch the dead context. */
#define DESTROY_OF(event)                                                                                              \
  static void destroy_##event(void) {                                                                                  \
    CHECK_OK(gevt_destroy(lost.event));                                                                                \
  }
DESTROY_OF(finished)
DESTROY_OF(unasked)
DESTROY_OF(unrecorded) DESTROY_OF(wrapped) DESTROY_OF(given) DESTROY_OF(shared) static void destroy_events(void) {
  destroy_finished();
  destroy_unasked();
  destroy_unrecorded();
  destroy_wrapped();
  destroy_given();
  destroy_shared();
}

static void stream_create(void) {
  gevt_stream_t stream;
  pattern_fill(&stream, sizeof stream);
  LOST(gevt_stream_create(&stream, lost.context.context, GEVT_STREAM_DEFAULT));
  CHECK(pattern_intact(&stream, sizeof stream));
}

/* They need no driver, so they do not find out; the first use of what they made does. */
static void create_in(void) {
  gevt_event_t early, event;
  CHECK_OK(gevt_create_in(&early, lost.context.context, GEVT_EVENT_DEFAULT));
  LOST(gevt_record(early, lost.own));
  pattern_fill(&event, sizeof event);
  LOST(gevt_create_in(&event, lost.context.context, GEVT_EVENT_DEFAULT));
  CHECK(pattern_intact(&event, sizeof event));
  CHECK_OK(gevt_destroy(early));
}

static void wrap(void) {
  gevt_event_t early, event;
  CHECK_OK(gevt_wrap(&early, lost.context.context, lost.native_event, GEVT_EVENT_DEFAULT));
  LOST(gevt_query(early));
  pattern_fill(&event, sizeof event);
  LOST(gevt_wrap(&event, lost.context.context, lost.native_event, GEVT_EVENT_DEFAULT));
  CHECK(pattern_intact(&event, sizeof event));
  CHECK_OK(gevt_destroy(early));
}

static void stream_wrap(void) {
  gevt_stream_t stream;
  pattern_fill(&stream, sizeof stream);
  LOST(gevt_stream_wrap(&stream, lost.context.context, lost.real.native));
  CHECK(pattern_intact(&stream, sizeof stream));
}

static void record_in_current(void) {
  CHECK_OK(gevt_context_set_current(lost.context.context));
  LOST(gevt_record(lost.finished, NULL));
  CHECK_OK(gevt_context_set_current(NULL));
}

/* Ends the handles; what they stood for is gone already. */
static void destroy_streams(void) {
  CHECK_OK(gevt_stream_destroy(lost.own));
  CHECK_OK(gevt_stream_destroy(lost.real.stream));
  CHECK_OK(gevt_stream_destroy(lost.special));
  CHECK_FAILS(gevt_stream_destroy(lost.own), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  CHECK_FAILS(gevt_stream_destroy(lost.real.stream), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
}

/* What gevt knew before the loss it knows until a call has to ask the driver. */
static void finished_is_remembered(void) {
  CHECK_OK(gevt_query(lost.finished));
  CHECK_OK(gevt_sync(lost.finished));
  LOST(gevt_stream_query(lost.own));
  LOST(gevt_query(lost.finished));
}

/* New contexts, one possibly at the old one's address: the old handles stay invalid. */
static void a_new_context_in_its_place(void) {
  owned_context_t contexts[4];
  int i, same = 0;
  for (i = 0; i < 4; i++) {
    gevt_event_t event;
    gevt_stream_t stream;
    contexts[i] = owned_context_make();
    same += contexts[i].native == lost.context.native;
    event = event_in(contexts[i]);
    stream = stream_in(contexts[i].context, GEVT_STREAM_NON_BLOCKING);
    CHECK_OK(gevt_record(event, stream));
    CHECK_OK(gevt_sync(event));
    LOST(gevt_record(lost.finished, lost.own));
    CHECK_FAILS(gevt_record(lost.finished, stream), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_CONTEXT_MISMATCH);
    CHECK_OK(gevt_destroy(event));
    stream_finish(stream);
  }
  printf("%d of 4 new contexts lay where the old one did\n", same);
  for (i = 0; i < 4; i++) owned_context_finish(contexts[i]);
}

typedef struct lost_case {
  const char *name;
  void (*body)(void);
} lost_case_t;

#define LOST_CASE(body)                                                                                                \
  { #body, body }

static const lost_case_t cases[] = {
#define LOST_ROW(name, call) LOST_CASE(name),
    LOST_CALLS(LOST_ROW) LOST_CASE(record_in_current),
    LOST_CASE(create_in),
    LOST_CASE(wrap),
    LOST_CASE(stream_create),
    LOST_CASE(stream_wrap),
    LOST_CASE(destroy_streams),
    LOST_CASE(sync_all_unasked),
    LOST_CASE(sync_any_unasked),
    LOST_CASE(sync_several_beside_a_pending_one),
    LOST_CASE(elapsed_unasked),
    LOST_CASE(elapsed_finished),
    LOST_CASE(elapsed_across),
    LOST_CASE(elapsed_wrapped),
    LOST_CASE(info_of_unasked),
    LOST_CASE(native_unrecorded),
    LOST_CASE(native_finished),
    LOST_CASE(native_given),
    LOST_CASE(native_wrapped),
    LOST_CASE(export_shared),
    LOST_CASE(import),
    LOST_CASE(destroy_finished),
    LOST_CASE(destroy_unasked),
    LOST_CASE(destroy_unrecorded),
    LOST_CASE(destroy_wrapped),
    LOST_CASE(destroy_given),
    LOST_CASE(destroy_shared),
    LOST_CASE(destroy_events),
    LOST_CASE(finished_is_remembered),
    LOST_CASE(a_new_context_in_its_place),
};
enum { CASES = sizeof cases / sizeof *cases };

/* After the first that noticed: all that is left says so. */
static void aftermath(void) {
  float ms;
  gevt_status_t status = gevt_stream_query(lost.own);
  if (status != GEVT_ERROR_INVALID_HANDLE) {
    record_default();
    launch_wrapped();
    stream_query_own();
    stream_sync_default();
    LOST(gevt_stream_wait(lost.special, lost.earlier, GEVT_WAIT_DEFAULT));
    destroy_streams();
  }
  LOST(gevt_context_sync(lost.context.context));
  LOST(gevt_query(lost.earlier));
  LOST(gevt_sync(lost.earlier));
  LOST(gevt_elapsed(&ms, lost.earlier, lost.earlier));
}

/* With TEST_TRACED set, a trace is written meanwhile, which compares the lost context's clock. */
static int trace_begin(char *path) {
  int file;
  if (!getenv("TEST_TRACED")) return 0;
  file = mkstemp(scratch_path(path, "lost"));
  if (!CHECK(file >= 0)) return 0;
  close(file);
  return CHECK_OK(gevt_trace_start(path));
}

static void trace_end(const char *path) {
  CHECK_OK(gevt_trace_stop());
  CHECK_EQUAL(unlink(path), 0);
}

/* One call, in this process. */
static int lost_run(const lost_case_t *one, int way) {
  char path[SCRATCH_SIZE];
  int traced = trace_begin(path);
  subject_case(one->name);
  CHECK_OK(gevt_set_log_callback(note_loss, &losses_told, GEVT_LOG_ERROR));
  lost_make(way);
  lost_end_context();
  lost_make_strangers();
  one->body();
  aftermath();
  lost_finish();
  CHECK_EQUAL(losses_told, 1);
  if (traced) trace_end(path);
  return subject_end();
}

static int way_of_all;

static pid_t case_start(int i) {
  return child_start_self("cuda", lost_ways[way_of_all], cases[i].name);
}

static void case_ended(int i, int ended) {
  printf("case %s, %s\n", cases[i].name, lost_ways[way_of_all]);
  if (CHECK_EQUAL(ended, 0)) return;
  printf("case %s, %s: FAILED%s\n", cases[i].name, lost_ways[way_of_all], ended == CHILD_HUNG ? ": it hung" : "");
}

static int lost_run_all(int way) {
  way_of_all = way;
  child_run_cases(CASES, case_start, case_ended);
  return subject_end();
}

int main(int argc, char **argv) {
  int way = argc > 2 ? lost_way(argv[2]) : LOST_DESTROYED, i;
  owned_begin(argc, argv);
  if (way == LOST_WAYS) return 2;
  if (argc < 4) return lost_run_all(way);
  for (i = 0; i < CASES; i++) {
    if (strcmp(cases[i].name, argv[3]) == 0) return lost_run(&cases[i], way);
  }
  return 2;
}
