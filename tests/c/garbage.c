/* Every function that takes a handle, given handles that it must refuse: NULL, values never issued, other kinds, dead ones. */
#include "objects.h"

typedef enum kind { EVENT, STREAM, CONTEXT, KINDS } kind_t;

/* What the calls under test write to: filled with a pattern, and to be found as filled after every refusal. */
typedef union output {
  gevt_ipc_handle_t handle;
  gevt_event_t event;
  gevt_stream_t stream;
  float ms;
  int64_t ns;
  size_t index;
  void *native;
} output_t;

static output_t output;
static gevt_event_info_t info_output;

/* Valid partners for the argument under test. */
static gevt_event_t good_event;
static gevt_stream_t good_stream;
static const gevt_ipc_handle_t foreign_handle;

static void never_run(void *user) {
  (void)user;
  check_failed(__FILE__, __LINE__, "a function given with a bad handle was called");
}

static void never_run_item(void *user, size_t item, uint32_t worker) {
  (void)item;
  (void)worker;
  never_run(user);
}

static void never_called(void *user, gevt_status_t status) {
  (void)status;
  never_run(user);
}

#define E ((gevt_event_t)bad)
#define S ((gevt_stream_t)bad)
#define C ((gevt_context_t)bad)
#define CALL(name, expression)                                                                                         \
  static gevt_status_t name(void *bad) {                                                                               \
    return expression;                                                                                                 \
  }

CALL(query, gevt_query(E))
CALL(sync_, gevt_sync(E))
CALL(sync_timeout, gevt_sync_timeout(E, GEVT_TIMEOUT_INFINITE))
CALL(elapsed_start, gevt_elapsed(&output.ms, E, good_event))
CALL(elapsed_end, gevt_elapsed(&output.ms, good_event, E))
CALL(elapsed_ns_start, gevt_elapsed_ns(&output.ns, E, good_event))
CALL(elapsed_ns_end, gevt_elapsed_ns(&output.ns, good_event, E))
CALL(destroy, gevt_destroy(E))
CALL(on_complete, gevt_on_complete(E, never_called, NULL))
CALL(get_info, (info_output.size = sizeof info_output, gevt_get_info(&info_output, E)))
CALL(set_name, gevt_set_name(E, "name"))
CALL(native, gevt_native(&output.native, E))
CALL(record_event, gevt_record(E, good_stream))
CALL(record_with_flags_event, gevt_record_with_flags(E, good_stream, GEVT_RECORD_DEFAULT))
CALL(stream_wait_event, gevt_stream_wait(good_stream, E, GEVT_WAIT_DEFAULT))
CALL(record_stream, gevt_record(good_event, S))
CALL(record_with_flags_stream, gevt_record_with_flags(good_event, S, GEVT_RECORD_DEFAULT))
CALL(stream_wait_stream, gevt_stream_wait(S, good_event, GEVT_WAIT_DEFAULT))
CALL(stream_destroy, gevt_stream_destroy(S))
CALL(stream_query, gevt_stream_query(S))
CALL(stream_sync, gevt_stream_sync(S))
CALL(stream_sync_timeout, gevt_stream_sync_timeout(S, GEVT_TIMEOUT_INFINITE))
CALL(stream_set_name, gevt_stream_set_name(S, "name"))
CALL(stream_launch, gevt_stream_launch(S, never_run, NULL))
CALL(stream_launch_n, gevt_stream_launch_n(S, 1, never_run_item, NULL))
CALL(sync_working, gevt_sync_working(E, GEVT_TIMEOUT_INFINITE))
CALL(context_close, gevt_context_close(C))
CALL(context_set_current, gevt_context_set_current(C))
CALL(context_sync, gevt_context_sync(C))
CALL(context_sync_timeout, gevt_context_sync_timeout(C, GEVT_TIMEOUT_INFINITE))
CALL(stream_create, gevt_stream_create(&output.stream, C, GEVT_STREAM_DEFAULT))
CALL(stream_adopt, gevt_stream_adopt(&output.stream, C, NULL))
CALL(create_in, gevt_create_in(&output.event, C, GEVT_EVENT_DEFAULT))
CALL(ipc_export, gevt_ipc_export(&output.handle, E))
CALL(ipc_import, gevt_ipc_import(&output.event, C, &foreign_handle))
CALL(adopt, gevt_adopt(&output.event, C, &output, GEVT_EVENT_DEFAULT))

static gevt_status_t sync_all(void *bad) {
  gevt_event_t events[2];
  events[0] = good_event;
  events[1] = (gevt_event_t)bad;
  return gevt_sync_all(events, 2, GEVT_TIMEOUT_INFINITE);
}

/* The good one is complete, and still the bad one is an error: a set that holds it is never right. */
static gevt_status_t sync_any(void *bad) {
  gevt_event_t events[2];
  events[0] = good_event;
  events[1] = (gevt_event_t)bad;
  return gevt_sync_any(&output.index, events, 2, GEVT_TIMEOUT_INFINITE);
}

/* Where NULL is not refused, it means the default stream, or the current or the default context. */
static const struct {
  const char *name;
  kind_t kind;
  int null_refused;
  gevt_status_t (*call)(void *bad);
} calls[] = {
    {"gevt_query", EVENT, 1, query},
    {"gevt_sync", EVENT, 1, sync_},
    {"gevt_sync_timeout", EVENT, 1, sync_timeout},
    {"gevt_sync_all", EVENT, 1, sync_all},
    {"gevt_sync_any", EVENT, 1, sync_any},
    {"gevt_elapsed", EVENT, 1, elapsed_start},
    {"gevt_elapsed", EVENT, 1, elapsed_end},
    {"gevt_elapsed_ns", EVENT, 1, elapsed_ns_start},
    {"gevt_elapsed_ns", EVENT, 1, elapsed_ns_end},
    {"gevt_destroy", EVENT, 1, destroy},
    {"gevt_on_complete", EVENT, 1, on_complete},
    {"gevt_get_info", EVENT, 1, get_info},
    {"gevt_set_name", EVENT, 1, set_name},
    {"gevt_native", EVENT, 1, native},
    {"gevt_record", EVENT, 1, record_event},
    {"gevt_record_with_flags", EVENT, 1, record_with_flags_event},
    {"gevt_stream_wait", EVENT, 1, stream_wait_event},
    {"gevt_record", STREAM, 0, record_stream},
    {"gevt_record_with_flags", STREAM, 0, record_with_flags_stream},
    {"gevt_stream_wait", STREAM, 0, stream_wait_stream},
    {"gevt_stream_destroy", STREAM, 1, stream_destroy},
    {"gevt_stream_query", STREAM, 0, stream_query},
    {"gevt_stream_sync", STREAM, 0, stream_sync},
    {"gevt_stream_sync_timeout", STREAM, 0, stream_sync_timeout},
    {"gevt_stream_set_name", STREAM, 1, stream_set_name},
    {"gevt_stream_launch", STREAM, 0, stream_launch},
    {"gevt_stream_launch_n", STREAM, 0, stream_launch_n},
    {"gevt_sync_working", EVENT, 1, sync_working},
    {"gevt_context_close", CONTEXT, 1, context_close},
    {"gevt_context_set_current", CONTEXT, 0, context_set_current},
    {"gevt_context_sync", CONTEXT, 0, context_sync},
    {"gevt_context_sync_timeout", CONTEXT, 0, context_sync_timeout},
    {"gevt_stream_create", CONTEXT, 0, stream_create},
    {"gevt_stream_adopt", CONTEXT, 0, stream_adopt},
    {"gevt_create_in", CONTEXT, 0, create_in},
    {"gevt_adopt", CONTEXT, 0, adopt},
    {"gevt_ipc_import", CONTEXT, 0, ipc_import},
    /* NULL is refused there as well, by another status. */
    {"gevt_ipc_export", EVENT, 0, ipc_export},
};
enum { CALLS = sizeof calls / sizeof *calls };

static void outputs_fill(void) {
  pattern_fill(&output, sizeof output);
  pattern_fill(&info_output, sizeof info_output);
}

static int outputs_intact(void) {
  return pattern_intact(&output, sizeof output) &&
         pattern_intact((char *)&info_output + sizeof info_output.size, sizeof info_output - sizeof info_output.size);
}

/* One call with one bad value. A detail of NONE stands for either of the two that a value never issued may get: whether its
   bits claim another kind is gevt's own affair. It may not be called stale. */
static void refuses(size_t call, void *bad, gevt_detail_t detail, const char *what) {
  gevt_status_t status;
  gevt_detail_t actual;
  int fine;
  outputs_fill();
  check_spoil_detail(detail);
  status = calls[call].call(bad);
  actual = gevt_last_detail();
  fine = status == GEVT_ERROR_INVALID_HANDLE && outputs_intact() && strstr(gevt_last_message(), calls[call].name);
  if (detail != GEVT_DETAIL_NONE)
    fine &= actual == detail;
  else
    fine &= actual == GEVT_DETAIL_UNKNOWN_HANDLE || actual == GEVT_DETAIL_WRONG_KIND;
  if (fine) return;
  check_failed(__FILE__, __LINE__, calls[call].name);
  printf("    given %s %p: expected %s, got %s / %s, outputs %s\n    last message: %s\n", what, bad,
         gevt_detail_name(detail), gevt_status_name(status), gevt_detail_name(actual),
         outputs_intact() ? "untouched" : "touched", gevt_last_message());
}

static void null_handles(void) {
  size_t i;
  for (i = 0; i < CALLS; i++) {
    if (calls[i].null_refused) refuses(i, NULL, GEVT_DETAIL_NULL_HANDLE, "NULL");
  }
}

static void values_never_issued(void) {
  static char zeros[4096], junk[4096];
  void *values[10];
  size_t count = 0, i, j;
  pattern_fill(junk, sizeof junk);
  values[count++] = (void *)(uintptr_t)0x1;
  values[count++] = (void *)(uintptr_t)0x2;
  values[count++] = (void *)(uintptr_t)0x10;
  values[count++] = (void *)(uintptr_t)0xdeadbeef;
  values[count++] = (void *)UINTPTR_MAX;
  values[count++] = (void *)(UINTPTR_MAX / 2);
  values[count++] = zeros;
  values[count++] = junk;
  values[count++] = &count;
  values[count++] = (void *)(uintptr_t)(void (*)(void *))never_run;
  for (i = 0; i < CALLS; i++) {
    for (j = 0; j < count; j++) refuses(i, values[j], GEVT_DETAIL_UNKNOWN_HANDLE, "a value never issued");
  }
}

static void other_kinds(void) {
  void *live[KINDS];
  size_t i;
  int kind;
  live[EVENT] = good_event;
  live[STREAM] = good_stream;
  live[CONTEXT] = subject_context;
  for (i = 0; i < CALLS; i++) {
    for (kind = 0; kind < KINDS; kind++) {
      if (calls[i].kind != (kind_t)kind)
        refuses(i, live[kind], GEVT_DETAIL_WRONG_KIND, "a live handle of another kind");
    }
  }
}

static void stale_handles(void) {
  gevt_context_t context = NULL;
  void *stale[KINDS];
  size_t i;
  CHECK_OK(gevt_context_open(&context, subject_backend, 0));
  CHECK_OK(gevt_context_close(context));
  stale[EVENT] = event_stale();
  stale[STREAM] = stream_stale();
  stale[CONTEXT] = context;
  for (i = 0; i < CALLS; i++) refuses(i, stale[calls[i].kind], GEVT_DETAIL_STALE_HANDLE, "a stale handle");
}

/* A dead handle stays dead when its place is used again. */
static void stale_handles_of_used_places(void) {
  gevt_event_t stale = event_stale(), fresh[64];
  size_t i;
  for (i = 0; i < 64; i++) fresh[i] = event_new();
  for (i = 0; i < CALLS; i++) {
    if (calls[i].kind == EVENT) refuses(i, stale, GEVT_DETAIL_STALE_HANDLE, "a stale handle");
  }
  for (i = 0; i < 64; i++) {
    CHECK_OK(gevt_query(fresh[i]));
    CHECK_EQUAL(event_info(fresh[i]).record_count, 0);
    CHECK_OK(gevt_destroy(fresh[i]));
  }
}

/* No single wrong bit makes a live handle into another one that is accepted. Nothing has been destroyed yet at this point, so
   that only the live handles were ever issued. */
static void flipped_bits(void) {
  void *live[KINDS];
  size_t i;
  unsigned bit;
  live[EVENT] = good_event;
  live[STREAM] = good_stream;
  live[CONTEXT] = subject_context;
  for (i = 0; i < CALLS; i++) {
    for (bit = 0; bit < sizeof(void *) * CHAR_BIT; bit++) {
      void *flipped = (void *)((uintptr_t)live[calls[i].kind] ^ ((uintptr_t)1 << bit));
      if (flipped == live[EVENT] || flipped == live[STREAM] || flipped == live[CONTEXT] || !flipped) continue;
      refuses(i, flipped, GEVT_DETAIL_NONE, "a live handle with one bit flipped");
    }
  }
}

static uint64_t random_state = 0x9e3779b97f4a7c15u;

static uint64_t random_next(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

/* Of all widths, since small numbers look most like packed handles, and near to the live handles. */
static void random_values(void) {
  size_t i, round;
  for (round = 0; round < 20000; round++) {
    for (i = 0; i < CALLS; i++) {
      uint64_t bits = random_next() >> (random_next() % 64);
      uint64_t near = round % 2 ? (uint64_t)(uintptr_t)good_event : 0;
      void *value = (void *)(uintptr_t)(bits ^ near);
      if (!value || value == good_event || value == good_stream || value == subject_context) continue;
      refuses(i, value, GEVT_DETAIL_NONE, "a random value");
    }
    if (check_failures() > 20) return;
  }
}

static void take_message(void *user, gevt_log_level_t level, const char *message) {
  (void)user;
  CHECK(level == GEVT_LOG_WARN && message != NULL && *message != 0);
}

/* A log and a trace look at the arguments, too: what is refused stays refused, with the same message. */
static void with_log_and_trace(void) {
  CHECK_OK(gevt_trace_start("/dev/null"));
  CHECK_OK(gevt_set_log_callback(take_message, NULL, GEVT_LOG_WARN));
  null_handles();
  values_never_issued();
  other_kinds();
  stale_handles();
  CHECK_OK(gevt_set_log_callback(NULL, NULL, GEVT_LOG_OFF));
  CHECK_OK(gevt_trace_stop());
}

/* After all of it, what is live works as if nothing had been. */
static void live_objects_unharmed(void) {
  gevt_event_info_t info = event_info(good_event);
  gevt_context_t current = NULL;
  CHECK_EQUAL(info.record_count, 1);
  CHECK_EQUAL(info.state, GEVT_STATE_COMPLETE);
  CHECK(strcmp(info.name, "good") == 0);
  CHECK_OK(gevt_stream_query(good_stream));
  CHECK_OK(gevt_context_get_current(&current));
  CHECK(current == subject_context);
  CHECK_EQUAL(gevt_live_events(), 1);
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  good_stream = stream_new();
  good_event = event_new();
  CHECK_OK(gevt_set_name(good_event, "good"));
  CHECK_OK(gevt_record(good_event, good_stream));
  CHECK_OK(gevt_sync(good_event));
  RUN(flipped_bits);
  RUN(random_values);
  RUN(null_handles);
  RUN(values_never_issued);
  RUN(other_kinds);
  RUN(stale_handles);
  RUN(stale_handles_of_used_places);
  RUN(with_log_and_trace);
  RUN(live_objects_unharmed);
  CHECK_OK(gevt_destroy(good_event));
  stream_finish(good_stream);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
