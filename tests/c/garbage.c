/* Every handle argument of every function, given handles that it must refuse: NULL, values never issued, other kinds, dead ones. */
#include "functions.h"

static function_arguments_t good;

/* Calls with one bad handle: a function, and which of its handles. */
typedef struct argument {
  size_t function;
  unsigned handle;
} argument_t;

enum { MAX_ARGUMENTS = 2 * FUNCTIONS };
static argument_t arguments[MAX_ARGUMENTS];
static size_t argument_count;

static void arguments_list(void) {
  size_t i;
  for (i = 0; i < FUNCTIONS; i++) {
    unsigned handle;
    for (handle = 1; handle < HANDLES_END; handle *= 2) {
      if (!(functions[i].handles & handle)) continue;
      arguments[argument_count].function = i;
      arguments[argument_count++].handle = handle;
    }
  }
  CHECK(argument_count > 0);
}

static int is_event(unsigned handle) {
  return handle == EVENT || handle == END;
}

/* Makes one call with one bad value. A detail of NONE accepts both details that a never-issued value may get.
   It is unspecified whether its bits claim another kind, but it must not be called stale. */
static void refuses(const argument_t *argument, void *bad, gevt_detail_t detail, const char *what) {
  const char *name = functions[argument->function].name;
  function_arguments_t a = good;
  function_outputs_t o;
  gevt_status_t status;
  gevt_detail_t actual;
  int intact, fine;
  switch (argument->handle) {
  case CONTEXT:
    a.context = (gevt_context_t)bad;
    break;
  case STREAM:
    a.stream = (gevt_stream_t)bad;
    break;
  case EVENT:
    a.event = a.shared = (gevt_event_t)bad;
    break;
  default:
    a.end = (gevt_event_t)bad;
    break;
  }
  function_arguments_complete(&a);
  function_outputs_fill(&o);
  check_spoil_detail(detail);
  status = functions[argument->function].call(&a, &o);
  actual = gevt_last_detail();
  intact = function_outputs_intact(&o);
  fine = status == GEVT_ERROR_INVALID_HANDLE && intact && strstr(gevt_last_message(), name);
  if (detail != GEVT_DETAIL_NONE)
    fine &= actual == detail;
  else
    fine &= actual == GEVT_DETAIL_UNKNOWN_HANDLE || actual == GEVT_DETAIL_WRONG_KIND;
  if (fine) return;
  check_failed(__FILE__, __LINE__, name);
  printf("    given %s %p as handle %u: expected %s, got %s / %s, outputs %s\n    last message: %s\n", what, bad,
         argument->handle, gevt_detail_name(detail), gevt_status_name(status), gevt_detail_name(actual),
         intact ? "untouched" : "touched", gevt_last_message());
}

static void all_refuse(void *bad, gevt_detail_t detail, const char *what) {
  size_t i;
  for (i = 0; i < argument_count; i++) refuses(&arguments[i], bad, detail, what);
}

/* NULL is refused as a handle, except where it means the default stream, or the current or default context. */
static void null_handles(void) {
  size_t i;
  for (i = 0; i < argument_count; i++) {
    unsigned may_be_null = functions[arguments[i].function].handles / MAY_BE_NULL;
    if (!(may_be_null & arguments[i].handle)) refuses(&arguments[i], NULL, GEVT_DETAIL_NULL_HANDLE, "NULL");
  }
}

static void values_never_issued(void) {
  static char zeros[4096], junk[4096];
  void *values[10];
  size_t count = 0, i;
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
  values[count++] = (void *)(uintptr_t)(void (*)(void *))functions_never;
  for (i = 0; i < count; i++) all_refuse(values[i], GEVT_DETAIL_UNKNOWN_HANDLE, "a value never issued");
}

static void other_kinds(void) {
  size_t i;
  for (i = 0; i < argument_count; i++) {
    const argument_t *argument = &arguments[i];
    const char *what = "a live handle of another kind";
    if (argument->handle != CONTEXT) refuses(argument, good.context, GEVT_DETAIL_WRONG_KIND, what);
    if (argument->handle != STREAM) refuses(argument, good.stream, GEVT_DETAIL_WRONG_KIND, what);
    if (!is_event(argument->handle)) refuses(argument, good.event, GEVT_DETAIL_WRONG_KIND, what);
  }
}

static void stale_handles(void) {
  gevt_context_t context = NULL;
  gevt_stream_t stream = stream_stale();
  gevt_event_t event = event_stale();
  size_t i;
  CHECK_OK(gevt_context_open(&context, subject_backend, 0));
  CHECK_OK(gevt_context_close(context));
  for (i = 0; i < argument_count; i++) {
    unsigned handle = arguments[i].handle;
    void *stale = handle == CONTEXT ? (void *)context : handle == STREAM ? (void *)stream : (void *)event;
    refuses(&arguments[i], stale, GEVT_DETAIL_STALE_HANDLE, "a stale handle");
  }
}

/* A dead handle stays dead when its place is used again. */
static void stale_handles_of_used_places(void) {
  gevt_event_t stale = event_stale(), fresh[64];
  size_t i;
  for (i = 0; i < 64; i++) fresh[i] = event_new();
  for (i = 0; i < argument_count; i++) {
    if (is_event(arguments[i].handle)) refuses(&arguments[i], stale, GEVT_DETAIL_STALE_HANDLE, "a stale handle");
  }
  for (i = 0; i < 64; i++) {
    CHECK_OK(gevt_query(fresh[i]));
    CHECK_EQUAL(event_info(fresh[i]).record_count, 0);
    CHECK_OK(gevt_destroy(fresh[i]));
  }
}

static int is_live(void *value) {
  return value == good.context || value == good.stream || value == good.event;
}

/* No single wrong bit makes a live handle into another one that is accepted. Nothing has been destroyed yet at this point, so
   that only the live handles were ever issued. */
static void flipped_bits(void) {
  size_t i;
  unsigned bit;
  for (i = 0; i < argument_count; i++) {
    unsigned handle = arguments[i].handle;
    void *live = handle == CONTEXT ? (void *)good.context : handle == STREAM ? (void *)good.stream : (void *)good.event;
    for (bit = 0; bit < sizeof(void *) * CHAR_BIT; bit++) {
      void *flipped = (void *)((uintptr_t)live ^ ((uintptr_t)1 << bit));
      if (flipped && !is_live(flipped)) {
        refuses(&arguments[i], flipped, GEVT_DETAIL_NONE, "a live handle with one bit flipped");
      }
    }
  }
}

static void take_message(void *user, gevt_log_level_t level, const char *message) {
  (void)user;
  CHECK(level == GEVT_LOG_WARN && message != NULL && *message != 0);
}

/* A log and a trace look at the arguments, too: what is refused stays refused, with the same message. */
static void with_log_and_trace(void) {
  CHECK_OK(gevt_trace_start(NULL_DEVICE));
  CHECK_OK(gevt_set_log_callback(take_message, NULL, GEVT_LOG_WARN));
  null_handles();
  values_never_issued();
  other_kinds();
  stale_handles();
  CHECK_OK(gevt_set_log_callback(take_message, NULL, GEVT_LOG_OFF));
  CHECK_OK(gevt_trace_stop());
}

/* After all of it, what is live works as if nothing had been. */
static void live_objects_unharmed(void) {
  gevt_event_info_t info = event_info(good.event);
  gevt_context_t current = NULL;
  CHECK_EQUAL(info.record_count, 1);
  CHECK_EQUAL(info.state, GEVT_STATE_COMPLETE);
  CHECK(strcmp(info.name, "good") == 0);
  CHECK_OK(gevt_stream_query(good.stream));
  CHECK_OK(gevt_context_get_current(&current));
  CHECK(current == subject_context);
  CHECK_EQUAL(gevt_live_events(), 1);
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  good.context = subject_context;
  good.stream = stream_new();
  good.event = good.end = good.shared = event_new();
  CHECK_OK(gevt_set_name(good.event, "good"));
  CHECK_OK(gevt_record(good.event, good.stream));
  CHECK_OK(gevt_sync(good.event));
  arguments_list();
  RUN(flipped_bits);
  RUN(null_handles);
  RUN(values_never_issued);
  RUN(other_kinds);
  RUN(stale_handles);
  RUN(stale_handles_of_used_places);
  RUN(with_log_and_trace);
  RUN(live_objects_unharmed);
  CHECK_OK(gevt_destroy(good.event));
  stream_finish(good.stream);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
