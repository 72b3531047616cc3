/* The calls about other processes, the log and the trace: a part of calls.c, whose FUNCTION, OUTPUT and JUDGE they use. */
#ifndef GEVT_FUZZ_PROCESS_H
#define GEVT_FUZZ_PROCESS_H

/* The last handle that was exported. */
static gevt_ipc_handle_t exported;
static pthread_mutex_t exported_lock = PTHREAD_MUTEX_INITIALIZER;

FUNCTION(ipc_export, INVALID_VALUE | INVALID_HANDLE | ILLEGAL_STATE | OUT_OF_MEMORY) {
  OUTPUT(gevt_ipc_handle_t);
  if (!JUDGE(ipc_export, gevt_ipc_export(objects_event(input), out))) {
    UNTOUCHED(ipc_export);
    return;
  }
  pthread_mutex_lock(&exported_lock);
  exported = output;
  pthread_mutex_unlock(&exported_lock);
}

/* A process cannot open what it has exported itself, nor what it has made up. */
FUNCTION(ipc_import, INVALID_VALUE | INVALID_HANDLE | INVALID_CONTEXT | MAP_FAILED) {
  OUTPUT(gevt_event_t);
  gevt_ipc_handle_t handle;
  size_t changed = input_below(input, 2 * sizeof handle);
  pthread_mutex_lock(&exported_lock);
  handle = exported;
  pthread_mutex_unlock(&exported_lock);
  if (changed < sizeof handle) ((unsigned char *)&handle)[changed] ^= input_byte(input);
  judge_that(!JUDGE(ipc_import, gevt_ipc_import(out, objects_context(input), input_rarely(input) ? NULL : &handle)),
             ipc_import_name, "an event of this process was opened");
  UNTOUCHED(ipc_import);
}

/* What it calls and what comes of that is not logged, nor does it become the thread's last failure. */
static void log_message(void *user, gevt_log_level_t level, const char *message) {
  judge_that(level >= GEVT_LOG_ERROR && level <= GEVT_LOG_INFO && message[0] != 0, "the log", "no message, or no level");
  if (user) judge_status("gevt_query", gevt_query(NULL), INVALID_HANDLE);
}

FUNCTION(set_log_callback, INVALID_VALUE) {
  gevt_log_level_t level = (gevt_log_level_t)input_below(input, 6);
  void *user = input_rarely(input) ? NULL : &exported;
  JUDGE(set_log_callback, gevt_set_log_callback(input_rarely(input) ? NULL : log_message, user, level));
}

FUNCTION(trace_start, INVALID_VALUE | ILLEGAL_STATE | OPERATING_SYSTEM | OUT_OF_MEMORY) {
  static const char *const paths[] = {"/dev/null", "/dev/null", NULL, "", "/", "/dev/full", "/no/such/folder/trace.json"};
  JUDGE(trace_start, gevt_trace_start(paths[input_below(input, sizeof paths / sizeof *paths)]));
}

FUNCTION(trace_stop, ILLEGAL_STATE | OPERATING_SYSTEM) {
  (void)input;
  JUDGE(trace_stop, gevt_trace_stop());
}

#endif
