/* Creating and destroying events: flags, outputs, live count, handle values, and what outlives what. */
#include "objects.h"

/* As the driver: INTERPROCESS needs DISABLE_TIMING, unknown bits are refused. */
static void create_flags(void) {
  static const struct {
    uint32_t flags;
    gevt_status_t status;
  } table[] = {
      {0, GEVT_SUCCESS},
      {1, GEVT_SUCCESS},
      {2, GEVT_SUCCESS},
      {3, GEVT_SUCCESS},
      {4, GEVT_ERROR_INVALID_VALUE},
      {5, GEVT_ERROR_INVALID_VALUE},
      {6, GEVT_SUCCESS},
      {7, GEVT_SUCCESS},
      {8, GEVT_ERROR_INVALID_VALUE},
      {0x10, GEVT_ERROR_INVALID_VALUE},
      {0x20000000, GEVT_ERROR_INVALID_VALUE},
      {0x80000000, GEVT_ERROR_INVALID_VALUE},
      {0xffffffff, GEVT_ERROR_INVALID_VALUE},
      {GEVT_EVENT_STRICT, GEVT_SUCCESS},
      {GEVT_EVENT_STRICT | 7, GEVT_SUCCESS},
      {GEVT_EVENT_STRICT | 4, GEVT_ERROR_INVALID_VALUE},
      {GEVT_EVENT_STRICT | 8, GEVT_ERROR_INVALID_VALUE},
  };
  size_t i;
  int bound;
  for (i = 0; i < sizeof table / sizeof *table; i++) {
    for (bound = 0; bound < 2; bound++) {
      gevt_event_t event;
      gevt_status_t status;
      pattern_fill(&event, sizeof event);
      check_spoil_detail(GEVT_DETAIL_BAD_FLAGS);
      status = bound ? gevt_create_in(&event, subject_context, table[i].flags) : gevt_create(&event, table[i].flags);
      if (!CHECK_STATUS(status, table[i].status)) printf("    flags 0x%x, bound %d\n", (unsigned)table[i].flags, bound);
      if (status == GEVT_SUCCESS) {
        CHECK(event != NULL);
        CHECK_EQUAL(event_info(event).flags, table[i].flags);
        CHECK_OK(gevt_destroy(event));
      } else {
        CHECK_DETAIL(GEVT_DETAIL_BAD_FLAGS);
        CHECK(pattern_intact(&event, sizeof event));
      }
    }
  }
}

static void create_null_output(void) {
  CHECK_FAILS(gevt_create(NULL, GEVT_EVENT_DEFAULT), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_create_in(NULL, subject_context, GEVT_EVENT_DEFAULT), GEVT_ERROR_INVALID_VALUE,
              GEVT_DETAIL_NULL_POINTER);
}

static void create_in_binds(void) {
  gevt_event_t bound = NULL, current = NULL, unbound = event_new();
  CHECK_OK(gevt_create_in(&bound, subject_context, GEVT_EVENT_DEFAULT));
  CHECK_OK(gevt_create_in(&current, NULL, GEVT_EVENT_DEFAULT));
  CHECK(event_info(bound).context == subject_context);
  CHECK(event_info(current).context == subject_context);
  CHECK(event_info(unbound).context == NULL);
  CHECK_OK(gevt_destroy(bound));
  CHECK_OK(gevt_destroy(current));
  CHECK_OK(gevt_destroy(unbound));
}

static void destroy_twice(void) {
  gevt_event_t event = event_new();
  CHECK_OK(gevt_destroy(event));
  CHECK_FAILS(gevt_destroy(event), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  CHECK_FAILS(gevt_destroy(NULL), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_NULL_HANDLE);
}

/* A destroy that blocked would never return here: only this thread can open the gate. */
static void destroy_pending(void) {
  gate_t gate = GATE_CLOSED;
  gevt_stream_t stream = stream_new();
  gevt_event_t event = event_new();
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(event, stream));
  CHECK_NOT_READY(gevt_query(event));
  CHECK_OK(gevt_destroy(event));
  CHECK_FAILS(gevt_query(event), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  CHECK(!gate_passed(&gate));
  gate_open(&gate);
  stream_finish(stream);
  CHECK(gate_passed(&gate));
}

static void live_events(void) {
  gevt_event_t events[10];
  size_t before = gevt_live_events(), i;
  for (i = 0; i < 10; i++) {
    events[i] = event_new();
    CHECK_EQUAL(gevt_live_events(), before + i + 1);
  }
  CHECK_STATUS(gevt_create(&events[0], 8), GEVT_ERROR_INVALID_VALUE);
  CHECK_EQUAL(gevt_live_events(), before + 10);
  for (i = 0; i < 10; i++) {
    CHECK_OK(gevt_destroy(events[i]));
    CHECK_EQUAL(gevt_live_events(), before + 9 - i);
  }
  CHECK_STATUS(gevt_destroy(events[0]), GEVT_ERROR_INVALID_HANDLE);
  CHECK_EQUAL(gevt_live_events(), before);
}

static int compare_handles(const void *left, const void *right) {
  uintptr_t a = *(const uintptr_t *)left, b = *(const uintptr_t *)right;
  return a < b ? -1 : a > b;
}

/* One slot is used over and over here, a million times, and its old values must all stay dead. */
static void values_never_repeat(void) {
  enum { COUNT = 1000000 };
  uintptr_t *values = (uintptr_t *)malloc(COUNT * sizeof *values);
  size_t i, repeated = 0, nulls = 0, accepted = 0;
  if (!CHECK(values != NULL)) return;
  for (i = 0; i < COUNT; i++) {
    gevt_event_t event = NULL;
    if (gevt_create(&event, GEVT_EVENT_DEFAULT) != GEVT_SUCCESS || gevt_destroy(event) != GEVT_SUCCESS) break;
    values[i] = (uintptr_t)event;
  }
  CHECK_EQUAL(i, COUNT);
  for (i = 0; i < COUNT; i += 1000) accepted += gevt_query((gevt_event_t)values[i]) != GEVT_ERROR_INVALID_HANDLE;
  qsort(values, COUNT, sizeof *values, compare_handles);
  for (i = 0; i < COUNT; i++) {
    nulls += values[i] == 0;
    if (i > 0) repeated += values[i] == values[i - 1];
  }
  CHECK_EQUAL(repeated, 0);
  CHECK_EQUAL(nulls, 0);
  CHECK_EQUAL(accepted, 0);
  free(values);
}

static void outlives_stream_and_context(void) {
  gate_t gate = GATE_CLOSED;
  gevt_context_t context = NULL;
  gevt_stream_t stream;
  gevt_event_t event = event_new();
  CHECK_OK(gevt_context_open(&context, subject_backend, 0));
  stream = stream_in(context, GEVT_STREAM_NON_BLOCKING);
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_stream_destroy(stream));
  CHECK_OK(gevt_context_close(context));
  CHECK_NOT_READY(gevt_query(event));
  gate_open(&gate);
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_query(event));
  CHECK_EQUAL(event_info(event).state, GEVT_STATE_COMPLETE);
  CHECK_OK(gevt_destroy(event));
}

static void native_of_host_events(void) {
  gevt_event_t event = event_new();
  gevt_event_t wrapped;
  gevt_stream_t stream = stream_new();
  void *native;
  int thing = 0;
  pattern_fill(&native, sizeof native);
  pattern_fill(&wrapped, sizeof wrapped);
  CHECK_FAILS(gevt_native(&native, event), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_NOT_BOUND);
  CHECK_OK(gevt_record(event, stream));
  CHECK_FAILS(gevt_native(&native, event), GEVT_ERROR_NOT_SUPPORTED, GEVT_DETAIL_NO_NATIVE);
  CHECK(pattern_intact(&native, sizeof native));
  CHECK_FAILS(gevt_wrap(&wrapped, subject_context, &thing, GEVT_EVENT_DEFAULT), GEVT_ERROR_NOT_SUPPORTED,
              GEVT_DETAIL_NO_NATIVE);
  CHECK(pattern_intact(&wrapped, sizeof wrapped));
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
}

/* Many at once, destroyed in another order than made: every handle stays its own. */
static void many_live(void) {
  enum { COUNT = 20000 };
  gevt_event_t *events = (gevt_event_t *)calloc(COUNT, sizeof *events);
  size_t before = gevt_live_events(), wrong = 0, i;
  char name[32];
  if (!CHECK(events != NULL)) return;
  for (i = 0; i < COUNT; i++) {
    snprintf(name, sizeof name, "event %u", (unsigned)i);
    wrong +=
        gevt_create(&events[i], GEVT_EVENT_DEFAULT) != GEVT_SUCCESS || gevt_set_name(events[i], name) != GEVT_SUCCESS;
  }
  CHECK_EQUAL(gevt_live_events(), before + COUNT);
  for (i = 0; i < COUNT; i += 2) wrong += gevt_destroy(events[i]) != GEVT_SUCCESS;
  for (i = 1; i < COUNT; i += 2) {
    snprintf(name, sizeof name, "event %u", (unsigned)i);
    wrong += strcmp(event_info(events[i]).name, name) != 0;
    wrong += gevt_query(events[i - 1]) != GEVT_ERROR_INVALID_HANDLE || gevt_last_detail() != GEVT_DETAIL_STALE_HANDLE;
  }
  for (i = 1; i < COUNT; i += 2) wrong += gevt_destroy(events[i]) != GEVT_SUCCESS;
  CHECK_EQUAL(wrong, 0);
  CHECK_EQUAL(gevt_live_events(), before);
  free(events);
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN(create_flags);
  RUN(create_null_output);
  RUN(create_in_binds);
  RUN(destroy_twice);
  RUN(destroy_pending);
  RUN(live_events);
  RUN(values_never_repeat);
  RUN(outlives_stream_and_context);
  RUN_ON_HOST(native_of_host_events);
  RUN(many_live);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
