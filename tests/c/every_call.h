/* Every function that can be refused, called once with good arguments. In a forked child and at the end of the process all
   of them must give the one answer that there is, and leave their outputs alone. */
#ifndef GEVT_TESTS_EVERY_CALL_H
#define GEVT_TESTS_EVERY_CALL_H

#include "objects.h"

typedef struct live_objects {
  gevt_context_t context;
  gevt_stream_t stream;
  gevt_event_t event;
  gevt_event_t shared;
  gevt_ipc_handle_t handle;
} live_objects_t;

static inline live_objects_t live_objects_make(void) {
  live_objects_t live;
  live.context = NULL;
  CHECK_OK(gevt_context_open(&live.context, subject_backend, 0));
  live.stream = stream_in(live.context, GEVT_STREAM_NON_BLOCKING);
  live.event = event_new();
  CHECK_OK(gevt_record(live.event, live.stream));
  CHECK_OK(gevt_sync(live.event));
  memset(&live.handle, 0, sizeof live.handle);
  if (subject_is_vulkan()) {
    live.shared = event_with(GEVT_EVENT_DISABLE_TIMING);
  } else {
    live.shared = event_with(GEVT_EVENT_DISABLE_TIMING | GEVT_EVENT_INTERPROCESS);
    CHECK_OK(gevt_ipc_export(&live.handle, live.shared));
  }
  CHECK_OK(gevt_record(live.shared, live.stream));
  CHECK_OK(gevt_sync(live.shared));
  /* A stream of CUDA's may be done with an event a moment before it is done itself. */
  CHECK_OK(gevt_stream_sync(live.stream));
  return live;
}

static inline void live_objects_finish(live_objects_t live) {
  CHECK_OK(gevt_query(live.event));
  CHECK_OK(gevt_stream_query(live.stream));
  CHECK_OK(gevt_query(live.shared));
  CHECK_OK(gevt_destroy(live.event));
  CHECK_OK(gevt_destroy(live.shared));
  CHECK_OK(gevt_stream_destroy(live.stream));
  CHECK_OK(gevt_context_close(live.context));
}

static inline void every_call_never(void *user) {
  (void)user;
  check_failed(__FILE__, __LINE__, "a refused function was called");
}

static inline void every_call_never_item(void *user, size_t item, uint32_t worker) {
  (void)item;
  (void)worker;
  every_call_never(user);
}

static inline void every_call_never_complete(void *user, gevt_status_t status) {
  (void)status;
  every_call_never(user);
}

static inline void every_call_never_log(void *user, gevt_log_level_t level, const char *message) {
  (void)level;
  (void)message;
  every_call_never(user);
}

static inline void every_call_answers(live_objects_t live, gevt_status_t status, gevt_detail_t detail) {
  struct {
    gevt_context_t context;
    gevt_stream_t stream;
    gevt_event_t event;
    int32_t count;
    uint32_t threads;
    float ms;
    int64_t ns;
    uint64_t error;
    size_t index;
    void *native;
    gevt_event_info_t info;
    gevt_ipc_handle_t handle;
  } out;
  pattern_fill(&out, sizeof out);

/* The message is not looked at: at the end of the process its thread's memory of it may be gone. */
#define ANSWERS(call)                                                                                                  \
  do {                                                                                                                 \
    if (CHECK_STATUS(call, status)) CHECK_DETAIL(detail);                                                              \
  } while (0)
  ANSWERS(gevt_device_count(&out.count, subject_backend));
  ANSWERS(gevt_context_open(&out.context, subject_backend, 0));
  ANSWERS(gevt_context_adopt(&out.context, subject_backend, &out));
  ANSWERS(gevt_context_set_current(live.context));
  ANSWERS(gevt_context_get_current(&out.context));
  ANSWERS(gevt_context_sync(live.context));
  ANSWERS(gevt_context_sync_timeout(live.context, 0));
  ANSWERS(gevt_stream_create(&out.stream, live.context, GEVT_STREAM_DEFAULT));
  ANSWERS(gevt_stream_adopt(&out.stream, live.context, NULL));
  ANSWERS(gevt_stream_query(live.stream));
  ANSWERS(gevt_stream_sync(live.stream));
  ANSWERS(gevt_stream_sync_timeout(live.stream, 0));
  ANSWERS(gevt_stream_wait(live.stream, live.event, GEVT_WAIT_DEFAULT));
  ANSWERS(gevt_stream_launch(live.stream, every_call_never, NULL));
  ANSWERS(gevt_stream_launch_n(live.stream, 1, every_call_never_item, NULL));
  ANSWERS(gevt_sync_working(live.event, 0));
  ANSWERS(gevt_host_threads(&out.threads));
  ANSWERS(gevt_host_set_threads(0));
  ANSWERS(gevt_create(&out.event, GEVT_EVENT_DEFAULT));
  ANSWERS(gevt_create_in(&out.event, live.context, GEVT_EVENT_DEFAULT));
  ANSWERS(gevt_adopt(&out.event, live.context, &out, GEVT_EVENT_DEFAULT));
  ANSWERS(gevt_signal(live.event, GEVT_SUCCESS));
  ANSWERS(gevt_reset(live.event));
  ANSWERS(gevt_record(live.event, live.stream));
  ANSWERS(gevt_record_with_flags(live.event, live.stream, GEVT_RECORD_DEFAULT));
  ANSWERS(gevt_query(live.event));
  ANSWERS(gevt_sync(live.event));
  ANSWERS(gevt_sync_timeout(live.event, 0));
  ANSWERS(gevt_sync_all(&live.event, 1, GEVT_TIMEOUT_INFINITE));
  ANSWERS(gevt_sync_any(&out.index, &live.event, 1, GEVT_TIMEOUT_INFINITE));
  ANSWERS(gevt_elapsed(&out.ms, live.event, live.event));
  ANSWERS(gevt_elapsed_ns(&out.ns, live.event, live.event));
  ANSWERS(gevt_host_time(&out.ns, &out.error, live.event));
  ANSWERS(gevt_on_complete(live.event, every_call_never_complete, NULL));
  ANSWERS(gevt_set_name(live.event, "name"));
  ANSWERS(gevt_stream_set_name(live.stream, "name"));
  ANSWERS(gevt_set_log_callback(every_call_never_log, NULL, GEVT_LOG_INFO));
  ANSWERS(gevt_set_log_callback(NULL, NULL, GEVT_LOG_OFF));
  ANSWERS(gevt_trace_start("/dev/null"));
  ANSWERS(gevt_trace_stop());
  ANSWERS(gevt_native(&out.native, live.event));
  ANSWERS(gevt_ipc_export(&out.handle, live.shared));
  ANSWERS(gevt_ipc_import(&out.event, live.context, &live.handle));
  /* Of an event in shared memory, which no forked child may touch. */
  ANSWERS(gevt_query(live.shared));
  ANSWERS(gevt_sync(live.shared));
  ANSWERS(gevt_record(live.shared, live.stream));
  ANSWERS(gevt_stream_wait(live.stream, live.shared, GEVT_WAIT_DEFAULT));
  out.info.size = sizeof out.info;
  ANSWERS(gevt_get_info(&out.info, live.shared));
  ANSWERS(gevt_get_info(&out.info, live.event));
  CHECK_EQUAL(out.info.size, sizeof out.info);
  pattern_fill(&out.info.size, sizeof out.info.size);
  CHECK(pattern_intact(&out, sizeof out));
#undef ANSWERS

  /* What needs no state goes on. */
  CHECK(gevt_version() > 0);
  CHECK(gevt_version_string() != NULL);
  CHECK(strcmp(gevt_status_name(GEVT_ERROR_TIMEOUT), "GEVT_ERROR_TIMEOUT") == 0);
  CHECK(gevt_status_string(status) != NULL);
  CHECK(strcmp(gevt_detail_name(GEVT_DETAIL_TIMED_OUT), "GEVT_DETAIL_TIMED_OUT") == 0);
  CHECK(gevt_last_message() != NULL);
}

/* The ends of things, as they stand in destructors: they succeed and touch nothing. */
static inline void every_end_succeeds(live_objects_t live) {
  CHECK_OK(gevt_destroy(live.event));
  CHECK_OK(gevt_destroy(live.event));
  CHECK_OK(gevt_destroy(live.shared));
  CHECK_OK(gevt_stream_destroy(live.stream));
  CHECK_OK(gevt_context_close(live.context));
}

#endif
