/* Events between processes: export, import, and what either side sees of the other. */
#ifndef GEVT_TESTS_CONFORMANCE_IPC_H
#define GEVT_TESTS_CONFORMANCE_IPC_H

#include "../child.h"
#include "case.h"

static inline gevt_event_t event_with_flags_here(uint32_t flags) {
  gevt_event_t event = NULL;
  CHECK_OK(gevt_create_in(&event, NULL, flags));
  return event;
}

static inline gevt_event_t event_to_share(void) {
  return event_with_flags_here(GEVT_EVENT_DISABLE_TIMING | GEVT_EVENT_INTERPROCESS);
}

static void ipc_get_plain(void) {
  gevt_ipc_handle_t handle;
  place_begin();
  say_code("g", gevt_ipc_export(&handle, event_here()));
  say_code("g2", gevt_ipc_export(&handle, event_with_flags_here(GEVT_EVENT_DISABLE_TIMING)));
}

static void ipc_get_ok(void) {
  gevt_ipc_handle_t handle;
  place_begin();
  say_code("g", gevt_ipc_export(&handle, event_to_share()));
  say_code("gnull", gevt_ipc_export(NULL, event_to_share()));
  say_code("gnulle", gevt_ipc_export(&handle, NULL));
}

static void ipc_open_same_process(void) {
  gevt_ipc_handle_t handle;
  gevt_event_t opened = NULL;
  place_begin();
  CHECK_OK(gevt_ipc_export(&handle, event_to_share()));
  say_code("o", gevt_ipc_import(&opened, NULL, &handle));
}

static void ipc_open_garbage(void) {
  gevt_ipc_handle_t handle;
  gevt_event_t opened = NULL;
  place_begin();
  memset(&handle, 0x5a, sizeof handle);
  say_code("o", gevt_ipc_import(&opened, NULL, &handle));
  memset(&handle, 0, sizeof handle);
  say_code("oz", gevt_ipc_import(&opened, NULL, &handle));
  say_code("onull", gevt_ipc_import(NULL, NULL, &handle));
}

/* Two processes that take turns through pipes, which gives their answers one order. */
typedef struct talk {
  int up[2], down[2];
} talk_t;

static inline void talk_write(const int *ends, const void *data, size_t size) {
  CHECK(write(ends[1], data, size) == (ssize_t)size);
}

static inline void talk_read(const int *ends, void *data, size_t size) {
  CHECK(read(ends[0], data, size) == (ssize_t)size);
}

/* The process of the case forks before it has used gevt or the driver. */
static inline pid_t talk_fork(talk_t *talk) {
  pid_t child = -1;
  if (CHECK(pipe(talk->up) == 0 && pipe(talk->down) == 0)) child = fork();
  CHECK(child >= 0);
  return child;
}

static inline void talk_end(void) {
  fflush(stdout);
  _exit(check_failures() ? 1 : 0);
}

static inline void importer_of_cross_process(talk_t *talk) {
  gevt_ipc_handle_t handle, again;
  gevt_event_t event = NULL, timed, opened = NULL;
  float ms;
  talk_read(talk->up, &handle, sizeof handle);
  place_begin();
  say_code("c_open", gevt_ipc_import(&event, NULL, &handle));
  say_code("c_q_pending", gevt_query(event));
  talk_write(talk->down, "x", 1);
  say_code("c_sync", gevt_sync(event));
  say_code("c_q", gevt_query(event));
  timed = event_here();
  CHECK_OK(gevt_record(timed, NULL));
  CHECK_OK(gevt_sync(timed));
  say_code("c_elapsed", gevt_elapsed(&ms, event, timed));
  say_code("c_open_again", gevt_ipc_import(&opened, NULL, &handle));
  say_code("c_reexport", gevt_ipc_export(&again, event));
  say_code("c_rec", gevt_record(event, stream_here()));
  say_code("c_sync2", gevt_sync(event));
  say_code("c_destroy", gevt_destroy(event));
  talk_write(talk->down, "y", 1);
}

static void ipc_cross_process(void) {
  gate_t gate = GATE_CLOSED;
  gevt_ipc_handle_t handle;
  gevt_stream_t stream;
  gevt_event_t event;
  talk_t talk;
  char byte;
  pid_t child = talk_fork(&talk);
  if (child == 0) {
    importer_of_cross_process(&talk);
    talk_end();
  }
  place_begin();
  event = event_to_share();
  say_code("p_get", gevt_ipc_export(&handle, event));
  stream = stream_here();
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(event, stream));
  talk_write(talk.up, &handle, sizeof handle);
  talk_read(talk.down, &byte, 1);
  sleep_ns(20 * MILLISECOND);
  gate_open(&gate);
  talk_read(talk.down, &byte, 1);
  say_code("p_q", gevt_query(event));
  say_code("p_destroy", gevt_destroy(event));
  CHECK_EQUAL(child_end(child), 0);
}

static void ipc_exporter_destroyed_before_open(void) {
  gevt_ipc_handle_t handle;
  gevt_event_t event = NULL;
  talk_t talk;
  pid_t child = talk_fork(&talk);
  if (child == 0) {
    talk_read(talk.up, &handle, sizeof handle);
    place_begin();
    say_code("c_open", gevt_ipc_import(&event, NULL, &handle));
    talk_end();
  }
  place_begin();
  event = event_to_share();
  CHECK_OK(gevt_ipc_export(&handle, event));
  say_code("p_destroy", gevt_destroy(event));
  talk_write(talk.up, &handle, sizeof handle);
  CHECK_EQUAL(child_end(child), 0);
}

#endif
