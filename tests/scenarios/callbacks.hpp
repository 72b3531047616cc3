// The functions that a case gives to gevt: those of streams, callbacks and log functions.
#pragma once

#include "infos.hpp"

static void note_call(void *user, gevt_status_t status) {
  task *work = static_cast<task *>(user);
  // Streams may run the same function at once.
  pthread_t self = pthread_self();
  __atomic_store(&work->thread, &self, __ATOMIC_SEQ_CST);
  __atomic_store_n(&work->status, status, __ATOMIC_SEQ_CST);
  count_up(&work->calls);
}

static void note_run(void *user) {
  note_call(user, GEVT_SUCCESS);
}

// An item while it runs: its worker's number is in range, and no other item has it.
class running_item {
public:
  running_item(task *work, size_t item, uint32_t worker) : work(work), worker(worker) {
    CHECK(worker < work->items->workers && !work->items->inside[worker].exchange(true));
    work->items->ran[item]++;
  }
  ~running_item() {
    work->items->inside[worker] = false;
    note_call(work, GEVT_SUCCESS);
  }

private:
  task *work;
  uint32_t worker;
};

static void note_item(void *user, size_t item, uint32_t worker) {
  running_item running(static_cast<task *>(user), item, worker);
}

static answer launch_items(gevt_stream_t stream, size_t count, gevt_item_fn_t function, void *user, task &work) {
  if (!work.items) work.items = std::make_unique<items>(count);
  if (work.items->ran.size() != count) throw mistake("another number of items");
  answer told(api::host_get_threads(&work.items->workers), "gevt_host_get_threads");
  return told.status == GEVT_SUCCESS ? api::stream_launch_n(stream, count, function, user) : told;
}

// The user pointer belongs to the caller: NULL is as good as any.
static task *nobody;

static void note_nobody(void *user, gevt_status_t status) {
  CHECK(user == nullptr);
  note_call(nobody, status);
}

// The interpreter's own failures, which no log function of a case counts.
static thread_local bool is_spoiling;

static void spoil(gevt_detail_t expected) {
  is_spoiling = true;
  check_spoil_detail(expected);
  is_spoiling = false;
}

// A message is a line. Returns whether it belongs to the case.
static bool note_log(task *work, gevt_log_level_t level, const char *message) {
  static std::mutex held;
  if (is_spoiling) return false;
  for (const char *at = message; *at; at++) CHECK((unsigned char)*at >= ' ' && *at != 0x7f);
  {
    std::lock_guard<std::mutex> guard(held);
    work->said = message;
    work->said_last = strcmp(message, gevt_last_message()) == 0;
  }
  note_call(work, level);
  return true;
}

static void note_logged(void *user, gevt_log_level_t level, const char *message) {
  note_log(static_cast<task *>(user), level, message);
}

static std::vector<task *> logging;

static gevt_status_t log_begin(task &work, gevt_log_fn_t function, void *user, gevt_log_level_t level) {
  gevt_status_t status = api::set_log_callback(function, user, level);
  if (status != GEVT_SUCCESS) return status;
  if (!work.log) logging.push_back(&work);
  work.log = function;
  work.log_user = user;
  return status;
}

// Once the call returns, the function is not called any more.
static gevt_status_t log_end(task &work) {
  return api::set_log_callback(work.log, work.log_user, GEVT_LOG_OFF);
}

static void log_end_all() {
  for (task *work : logging) CHECK_OK(log_end(*work));
  logging.clear();
}
