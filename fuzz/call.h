/* One function for each function of gevt.h. Work on gevt's threads is bounded, so every wait ends. */
#ifndef GEVT_FUZZ_CALL_H
#define GEVT_FUZZ_CALL_H

#include "functions.h"

#include <pthread.h>

static gevt_backend_t backend;
/* A file for traces. It has no name of its own and is freed with the process. */
static char trace_path[64];
/* The bytes of the most recently exported event. */
static gevt_ipc_handle_t exported;

static uint64_t timeout_of(input_t *input) {
  static const uint64_t timeouts[] = {0, 1, 20000, 100000, UINT64_MAX - 1, GEVT_TIMEOUT_INFINITE};
  return timeouts[input_below(input, sizeof timeouts / sizeof *timeouts)];
}

/* A valid flag mostly. */
static uint32_t flags_of(input_t *input) {
  static const uint32_t flags[] = {0, 1, 2, 3, 4, 6, 7, GEVT_EVENT_STRICT, GEVT_EVENT_STRICT | 2, 8, 1u << 31};
  return flags[input_below(input, sizeof flags / sizeof *flags)];
}

static int32_t device_of(input_t *input) {
  return (int32_t)input_below(input, 5) - 1;
}

/* The names, and what each may answer. */
#define FUNCTION(name, kind, handles, answers, call)                                                                   \
  static const char name##_name[] = "gevt_" #name;                                                                     \
  enum { name##_answers = (answers) };
#include "../tests/functions.def"
#undef FUNCTION

/* `OUTPUT` is where an output goes: rarely NULL. */
#define FUNCTION(name) static void call_##name(input_t *input)
#define JUDGE(name, call) judge_status(name##_name, (call), name##_answers)
#define OUTPUT(type)                                                                                                   \
  type output;                                                                                                         \
  type *out = input_rarely(input) ? NULL : &output;                                                                    \
  judge_fill(&output, sizeof output)
#define UNTOUCHED(name) judge_intact(name##_name, &output, sizeof output)
/* Either the call created an object, or it wrote no output. */
#define MADE(name, kind, call)                                                                                         \
  do {                                                                                                                 \
    if (JUDGE(name, call))                                                                                             \
      objects_keep(input, kind, output);                                                                               \
    else                                                                                                               \
      UNTOUCHED(name);                                                                                                 \
  } while (0)

FUNCTION(version) {
  (void)input;
  judge_that(gevt_version() > 0, version_name, "no version");
}

FUNCTION(version_string) {
  (void)input;
  judge_that(*gevt_version_string() != 0, version_string_name, "no version");
}

FUNCTION(status_name) {
  judge_that(strncmp(gevt_status_name((gevt_status_t)input_word(input)), "GEVT_", 5) == 0, status_name_name, "no name");
}

FUNCTION(status_string) {
  judge_that(*gevt_status_string((gevt_status_t)input_word(input)) != 0, status_string_name, "no text");
}

FUNCTION(detail_name) {
  judge_that(strncmp(gevt_detail_name((gevt_detail_t)input_byte(input)), "GEVT_DETAIL_", 12) == 0, detail_name_name,
             "no name");
}

FUNCTION(last_detail) {
  (void)input;
  judge_that(strstr(gevt_detail_name(gevt_last_detail()), "UNRECOGNIZED") == NULL, last_detail_name,
             "an unknown detail");
}

FUNCTION(last_message) {
  (void)input;
  judge_that((*gevt_last_message() != 0) == (gevt_last_detail() != GEVT_DETAIL_NONE), last_message_name,
             "detail or message");
}

FUNCTION(live_events) {
  (void)input;
  judge_that(gevt_live_events() < 100000, live_events_name, "more than were made");
}

FUNCTION(device_count) {
  OUTPUT(int32_t);
  if (JUDGE(device_count, gevt_device_count(out, (gevt_backend_t)input_below(input, 4)))) {
    judge_that(output >= 1, device_count_name, "no device");
  } else {
    UNTOUCHED(device_count);
  }
}

/* No Vulkan: only the answers of the other backends are checked. */
FUNCTION(context_open) {
  OUTPUT(gevt_context_t);
  gevt_backend_t wanted = input_rarely(input) ? (gevt_backend_t)input_below(input, 5) : backend;
  if (wanted == GEVT_BACKEND_VULKAN) wanted = 5;
  MADE(context_open, CONTEXT, gevt_context_open(out, wanted, device_of(input)));
}

/* A pointer other than NULL may be invalid. Only the host backend gets one, because it refuses all of them. */
FUNCTION(context_wrap) {
  OUTPUT(gevt_context_t);
  gevt_backend_t wanted = input_rarely(input) ? 7 : GEVT_BACKEND_HOST;
  MADE(context_wrap, CONTEXT, gevt_context_wrap(out, wanted, (void *)(uintptr_t)input_byte(input)));
}

FUNCTION(context_close) {
  gevt_context_t context = objects_own_context(input);
  JUDGE(context_close, gevt_context_close(context));
}

FUNCTION(context_set_current) {
  JUDGE(context_set_current, gevt_context_set_current(objects_context(input)));
}

FUNCTION(context_get_current) {
  OUTPUT(gevt_context_t);
  if (!JUDGE(context_get_current, gevt_context_get_current(out))) UNTOUCHED(context_get_current);
}

FUNCTION(context_sync) {
  JUDGE(context_sync, gevt_context_sync(objects_context(input)));
}

FUNCTION(context_calibrate) {
  JUDGE(context_calibrate, gevt_context_calibrate(objects_context(input)));
}

FUNCTION(context_sync_timeout) {
  gevt_context_t context = objects_context(input);
  JUDGE(context_sync_timeout, gevt_context_sync_timeout(context, timeout_of(input)));
}

FUNCTION(stream_create) {
  OUTPUT(gevt_stream_t);
  MADE(stream_create, STREAM, gevt_stream_create(out, objects_context(input), (uint32_t)input_below(input, 3)));
}

FUNCTION(stream_wrap) {
  OUTPUT(gevt_stream_t);
  uintptr_t native = input_below(input, backend == GEVT_BACKEND_HOST ? 4 : 3);
  MADE(stream_wrap, STREAM, gevt_stream_wrap(out, objects_context(input), (void *)native));
}

FUNCTION(stream_destroy) {
  JUDGE(stream_destroy, gevt_stream_destroy(objects_stream(input)));
}

FUNCTION(stream_query) {
  JUDGE(stream_query, gevt_stream_query(objects_stream(input)));
}

FUNCTION(stream_sync) {
  gevt_stream_t stream = objects_stream(input);
  JUDGE(stream_sync, gevt_stream_sync(stream));
}

FUNCTION(stream_sync_timeout) {
  gevt_stream_t stream = objects_stream(input);
  JUDGE(stream_sync_timeout, gevt_stream_sync_timeout(stream, timeout_of(input)));
}

FUNCTION(host_get_threads) {
  OUTPUT(uint32_t);
  if (JUDGE(host_get_threads, gevt_host_get_threads(out))) {
    judge_that(output >= 1 && output <= 1024, host_get_threads_name, "out of range");
  } else {
    UNTOUCHED(host_get_threads);
  }
}

FUNCTION(host_set_threads) {
  uint32_t threads = input_rarely(input) ? 5000 : (uint32_t)input_below(input, 4);
  JUDGE(host_set_threads, gevt_host_set_threads(threads));
}

FUNCTION(host_set_executor) {
  // One that is accepted would last for all inputs that follow.
  gevt_executor_t executor = {input_below(input, (int)sizeof executor + 1), NULL, NULL, 0};
  JUDGE(host_set_executor, gevt_host_set_executor(input_rarely(input) ? NULL : &executor));
}

FUNCTION(stream_wait) {
  gevt_stream_t stream = objects_stream(input);
  gevt_event_t event = objects_event(input);
  JUDGE(stream_wait, gevt_stream_wait(stream, event, input_rarely(input) ? flags_of(input) : GEVT_WAIT_DEFAULT));
}

FUNCTION(stream_launch) {
  gevt_stream_t stream = objects_stream(input);
  gevt_host_fn_t function = input_rarely(input) ? NULL : in_stream;
  void *user = user_of(input, backend == GEVT_BACKEND_HOST);
  __atomic_add_fetch(&given, 1, __ATOMIC_RELEASE);
  hand_over(JUDGE(stream_launch, gevt_stream_launch(stream, function, user)));
}

static void in_items(void *user, size_t item, uint32_t worker) {
  judge_that(user == NULL && item < 9 && worker < 1024, "gevt_stream_launch_n", "an item that was not given");
}

FUNCTION(stream_launch_n) {
  gevt_stream_t stream = objects_stream(input);
  gevt_item_fn_t function = input_rarely(input) ? NULL : in_items;
  JUDGE(stream_launch_n, gevt_stream_launch_n(stream, input_below(input, 10), function, NULL));
}

FUNCTION(create) {
  OUTPUT(gevt_event_t);
  MADE(create, EVENT, gevt_create(out, flags_of(input)));
}

FUNCTION(create_in) {
  OUTPUT(gevt_event_t);
  gevt_context_t context = objects_context(input);
  MADE(create_in, EVENT, gevt_create_in(out, context, flags_of(input)));
}

/* Signals all host-signaled events from time to time, so every wait for one ends. */
static void *signal_all(void *user) {
  (void)user;
  for (;;) {
    size_t place;
    for (place = 0; place < PLACES; place++) {
      gevt_status_t status = gevt_signal((gevt_event_t)objects_at(EVENT, place), GEVT_SUCCESS);
      if (status == GEVT_ERROR_DEINITIALIZED) return NULL;
      judge_status("gevt_signal", status, INVALID_HANDLE | ILLEGAL_STATE);
    }
    pause_briefly(1000000);
  }
  return NULL;
}

static void signals_begin(void) {
  pthread_t thread;
  judge_that(pthread_create(&thread, NULL, signal_all, NULL) == 0, "pthread_create", "no thread");
  pthread_detach(thread);
}

/* Creates or signals a host-signaled event. After a failure signal, other calls may return that failure. */
FUNCTION(signal) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  static const gevt_status_t statuses[] = {GEVT_SUCCESS, GEVT_SUCCESS, GEVT_ERROR_NOT_READY, 719, -1};
  if (input_byte(input) & 1) {
    gevt_event_t event = NULL;
    uint32_t flags = GEVT_EVENT_HOST_SIGNALED | (input_byte(input) & 3);
    __atomic_store_n(&alone, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&signaled, 1, __ATOMIC_RELAXED);
    pthread_once(&once, signals_begin);
    judge_that(gevt_create(&event, flags) == GEVT_SUCCESS, "gevt_create", "no event");
    objects_keep(input, EVENT, event);
  } else {
    size_t choice = input_below(input, sizeof statuses / sizeof *statuses);
    JUDGE(signal, gevt_signal(objects_event(input), statuses[choice]));
  }
}

FUNCTION(reset) {
  JUDGE(reset, gevt_reset(objects_event(input)));
}

/* Same as for contexts: CUDA only gets NULL. */
FUNCTION(wrap) {
  OUTPUT(gevt_event_t);
  gevt_context_t context = objects_context(input);
  uintptr_t native = backend == GEVT_BACKEND_HOST ? input_byte(input) : 0;
  MADE(wrap, EVENT, gevt_wrap(out, context, (void *)native, flags_of(input)));
}

FUNCTION(destroy) {
  gevt_event_t event = objects_event(input);
  int destroyed = JUDGE(destroy, gevt_destroy(event));
  if (destroyed) {
    judge_that(gevt_query(event) == GEVT_ERROR_INVALID_HANDLE, destroy_name, "a destroyed event lives");
    judge_that(gevt_last_detail() == GEVT_DETAIL_STALE_HANDLE, destroy_name, "a destroyed event is not stale");
  }
}

FUNCTION(record) {
  gevt_event_t event = objects_event(input);
  JUDGE(record, gevt_record(event, objects_stream(input)));
}

FUNCTION(record_with_flags) {
  gevt_event_t event = objects_event(input);
  gevt_stream_t stream = objects_stream(input);
  JUDGE(record_with_flags, gevt_record_with_flags(event, stream, (uint32_t)input_below(input, 4)));
}

/* The event has completed, unless another thread records it again: both ways of asking say so. */
static void is_done(const char *function, gevt_event_t event) {
  if (!is_alone()) return;
  judge_that(gevt_query(event) == GEVT_SUCCESS, function, "it returned, and the event is not done");
  judge_that(gevt_sync_timeout(event, 0) == GEVT_SUCCESS, function, "it said so, and a wait does not return");
}

FUNCTION(query) {
  gevt_event_t event = objects_event(input);
  if (JUDGE(query, gevt_query(event))) is_done(query_name, event);
}

FUNCTION(sync) {
  gevt_event_t event = objects_event(input);
  if (JUDGE(sync, gevt_sync(event))) is_done(sync_name, event);
}

FUNCTION(sync_timeout) {
  gevt_event_t event = objects_event(input);
  if (JUDGE(sync_timeout, gevt_sync_timeout(event, timeout_of(input)))) is_done(sync_timeout_name, event);
}

FUNCTION(sync_helping) {
  gevt_event_t event = objects_event(input);
  if (JUDGE(sync_helping, gevt_sync_helping(event, timeout_of(input)))) is_done(sync_helping_name, event);
}

enum { MAX_EVENTS = 4 };

static size_t events_of(input_t *input, gevt_event_t events[MAX_EVENTS]) {
  size_t count = input_below(input, MAX_EVENTS + 1), i;
  for (i = 0; i < count; i++) events[i] = objects_event(input);
  return count;
}

FUNCTION(sync_all) {
  gevt_event_t events[MAX_EVENTS] = {NULL};
  size_t count = events_of(input, events), i;
  int null = input_rarely(input);
  if (!JUDGE(sync_all, gevt_sync_all(null ? NULL : events, count, timeout_of(input)))) return;
  for (i = 0; i < count; i++) is_done(sync_all_name, events[i]);
}

FUNCTION(sync_any) {
  OUTPUT(size_t);
  gevt_event_t events[MAX_EVENTS] = {NULL};
  size_t count = events_of(input, events);
  int null = input_rarely(input);
  if (JUDGE(sync_any, gevt_sync_any(out, null ? NULL : events, count, timeout_of(input)))) {
    judge_that(output < count, sync_any_name, "a place outside the list");
    is_done(sync_any_name, events[output]);
  } else if (gevt_last_detail() != GEVT_DETAIL_EVENT_FAILED && gevt_last_detail() != GEVT_DETAIL_CAPTURED) {
    UNTOUCHED(sync_any);
  }
}

FUNCTION(on_complete) {
  gevt_event_t event = objects_event(input);
  gevt_complete_fn_t function = input_rarely(input) ? NULL : on_complete;
  void *user = user_of(input, 1);
  __atomic_add_fetch(&given, 1, __ATOMIC_RELEASE);
  hand_over(JUDGE(on_complete, gevt_on_complete(event, function, user)));
}

/* Arbitrary bytes, up to the length or a NUL; or NULL. */
static const char *input_name(input_t *input, char name[81]) {
  size_t length = input_byte(input) % 80, i;
  for (i = 0; i < length; i++) name[i] = (char)input_byte(input);
  name[length] = 0;
  return length == 79 ? NULL : name;
}

FUNCTION(set_name) {
  gevt_event_t event = objects_event(input);
  char text[81];
  const char *name = input_name(input, text);
  JUDGE(set_name, gevt_set_name(event, name));
}

FUNCTION(stream_set_name) {
  gevt_stream_t stream = objects_stream(input);
  char text[81];
  const char *name = input_name(input, text);
  JUDGE(stream_set_name, gevt_stream_set_name(stream, name));
}

FUNCTION(native) {
  typedef void *native_t;
  OUTPUT(native_t);
  if (!JUDGE(native, gevt_native(out, objects_event(input)))) UNTOUCHED(native);
}

FUNCTION(context_native) {
  typedef void *native_t;
  OUTPUT(native_t);
  if (!JUDGE(context_native, gevt_context_native(out, objects_context(input)))) UNTOUCHED(context_native);
}

FUNCTION(stream_native) {
  typedef void *native_t;
  OUTPUT(native_t);
  if (!JUDGE(stream_native, gevt_stream_native(out, objects_stream(input)))) UNTOUCHED(stream_native);
}

/* No more is written than was asked for. */
#define DESCRIBED(name, call)                                                                                          \
  do {                                                                                                                 \
    size_t asked = input_rarely(input) ? input_byte(input) % (sizeof output + 1) : sizeof output;                      \
    output.size = asked;                                                                                               \
    if (JUDGE(name, call)) {                                                                                           \
      judge_that(output.size <= asked, name##_name, "it says that more was written than was asked for");               \
      judge_intact(name##_name, (char *)&output + asked, sizeof output - asked);                                       \
    } else {                                                                                                           \
      judge_intact(name##_name, (char *)&output + sizeof output.size, sizeof output - sizeof output.size);             \
    }                                                                                                                  \
  } while (0)

FUNCTION(get_info) {
  OUTPUT(gevt_event_info_t);
  DESCRIBED(get_info, gevt_get_info(out, objects_event(input)));
}

FUNCTION(context_get_info) {
  OUTPUT(gevt_context_info_t);
  DESCRIBED(context_get_info, gevt_context_get_info(out, objects_context(input)));
}

FUNCTION(stream_get_info) {
  OUTPUT(gevt_stream_info_t);
  DESCRIBED(stream_get_info, gevt_stream_get_info(out, objects_stream(input)));
}

/* Kept for imports where no other thread keeps or reads it. */
FUNCTION(ipc_export) {
  OUTPUT(gevt_ipc_handle_t);
  if (!JUDGE(ipc_export, gevt_ipc_export(out, objects_event(input))))
    UNTOUCHED(ipc_export);
  else if (is_alone())
    exported = output;
}

/* This process's bytes with a flipped bit, or random bytes: no other process has exported an event. */
FUNCTION(ipc_import) {
  OUTPUT(gevt_event_t);
  gevt_context_t context = objects_context(input);
  gevt_ipc_handle_t handle;
  const gevt_ipc_handle_t *bytes = input_rarely(input) ? NULL : &handle;
  if (is_alone())
    handle = exported;
  else
    judge_fill(&handle, sizeof handle);
  if (input_rarely(input)) handle.bytes[input_below(input, sizeof handle)] ^= (uint8_t)(1 << input_below(input, 8));
  judge_that(!JUDGE(ipc_import, gevt_ipc_import(out, context, bytes)), ipc_import_name,
             "it opens what nobody has exported");
  UNTOUCHED(ipc_import);
}

FUNCTION(set_log_callback) {
  gevt_log_fn_t function = input_rarely(input) ? NULL : on_log;
  JUDGE(set_log_callback, gevt_set_log_callback(function, &given, (gevt_log_level_t)input_below(input, 6)));
}

/* A directory cannot be written. Few traces start, because stopping one takes as long as a hundred other calls. */
FUNCTION(trace_start) {
  const char *path = input_rarely(input) ? trace_path : input_rarely(input) ? NULL : "/";
  JUDGE(trace_start, gevt_trace_start(path));
}

FUNCTION(trace_stop) {
  (void)input;
  JUDGE(trace_stop, gevt_trace_stop());
}

#endif
