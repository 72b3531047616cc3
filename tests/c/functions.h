/* Every function of gevt.h as a table, made of tests/functions.def, and what its calls are made with. */
#ifndef GEVT_TESTS_C_FUNCTIONS_H
#define GEVT_TESTS_C_FUNCTIONS_H

#include "objects.h"

/* What a forked child and a process that exits get: see tests/functions.def. */
typedef enum function_kind { REFUSED, ENDS, FREE } function_kind_t;

/* The arguments that are handles. */
enum {
  CONTEXT = 1,
  STREAM = 2,
  EVENT = 4,
  END = 8,
  HANDLES_END = 16,
  MAY_BE_NULL = 16,
  CONTEXT_OR_NULL = CONTEXT | CONTEXT * MAY_BE_NULL,
  STREAM_OR_NULL = STREAM | STREAM * MAY_BE_NULL,
  EVENT_OR_NULL = EVENT | EVENT * MAY_BE_NULL
};

typedef struct function_arguments {
  gevt_context_t context;
  gevt_stream_t stream;
  gevt_event_t event, end;
  /* An interprocess event where there are some; its exported bytes, or another process's. */
  gevt_event_t shared;
  gevt_ipc_handle_t handle;
  /* For calls that take an array: event and end. */
  gevt_event_t events[2];
  gevt_vulkan_device_t device;
  gevt_vulkan_queue_t queue;
  gevt_vulkan_batch_t batch;
} function_arguments_t;

typedef struct function_outputs {
  gevt_context_t context;
  gevt_stream_t stream;
  gevt_event_t event;
  gevt_ipc_handle_t handle;
  gevt_event_info_t info;
  gevt_context_info_t context_info;
  gevt_stream_info_t stream_info;
  gevt_vulkan_batch_t batch;
  int32_t count;
  uint32_t threads;
  float ms;
  int64_t ns;
  gevt_status_t status;
  uint64_t error, semaphore, value;
  double period;
  size_t index;
  void *native;
} function_outputs_t;

/* Refused calls give nothing to run, unless the test says that they may succeed. */
static int functions_may_run;

static inline void functions_never(void *user) {
  (void)user;
  if (!functions_may_run) check_failed(__FILE__, __LINE__, "a refused function was called");
}

static inline void functions_never_item(void *user, size_t item, uint32_t worker) {
  (void)item;
  (void)worker;
  functions_never(user);
}

static inline void functions_log(void *user, gevt_log_level_t level, const char *message) {
  (void)level, (void)message;
  functions_never(user);
}

static inline void functions_never_complete(void *user, gevt_status_t status) {
  (void)status;
  functions_never(user);
}

#define FUNCTION(name, kind, handles, answers, call)                                                                   \
  static inline gevt_status_t function_##name(function_arguments_t *a, function_outputs_t *o) {                        \
    (void)a;                                                                                                           \
    (void)o;                                                                                                           \
    return (gevt_status_t)(call);                                                                                      \
  }
#include "../functions.def"
#undef FUNCTION

static const struct {
  const char *name;
  function_kind_t kind;
  unsigned handles;
  gevt_status_t (*call)(function_arguments_t *a, function_outputs_t *o);
} functions[] = {
#define FUNCTION(name, kind, handles, answers, call) {"gevt_" #name, kind, handles, function_##name},
#include "../functions.def"
#undef FUNCTION
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* Sets what the handles do not decide: arrays, and structures of a valid size without a handle in them. */
static inline void function_arguments_complete(function_arguments_t *a) {
  a->events[0] = a->event;
  a->events[1] = a->end;
  memset(&a->device, 0, sizeof a->device);
  memset(&a->queue, 0, sizeof a->queue);
  memset(&a->batch, 0, sizeof a->batch);
  a->device.size = sizeof a->device;
  a->queue.size = sizeof a->queue;
  a->batch.size = sizeof a->batch;
}

/* The sizes of structures are set by the caller, so they are not compared. */
static inline int function_outputs_intact(function_outputs_t *o) {
  pattern_fill(&o->info.size, sizeof o->info.size);
  pattern_fill(&o->context_info.size, sizeof o->context_info.size);
  pattern_fill(&o->stream_info.size, sizeof o->stream_info.size);
  pattern_fill(&o->batch.size, sizeof o->batch.size);
  return pattern_intact(o, sizeof *o);
}

#endif
