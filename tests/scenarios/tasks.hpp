// What runs the steps of a case besides its own thread: functions, items, callbacks, log functions, other threads and forked children.
#pragma once

#include "call.hpp"

static void run_body(const body &what, variables &known, task *work = nullptr);

// Functions, callbacks and threads that run steps.
struct run {
  body what;
  variables known;
  task *work;
};

// What fails there ends these steps, and not what runs them.
static void run_apart(const body &what, variables &known, task *work = nullptr) {
  try {
    run_body(what, known, work);
  } catch (const failed &) {
  } catch (const mistake &wrong) {
    check_failed(path, lines[what.at].number, wrong.what());
  }
}

static void run_task(run *made) {
  run_apart(made->what, made->known, made->work);
  count_up(&made->work->done);
}

static void run_called(void *user, gevt_status_t status) {
  run *made = static_cast<run *>(user);
  made->known["status"] = status_name(status);
  const int now = ++made->work->now;
  for (int most = made->work->most; now > most && !made->work->most.compare_exchange_weak(most, now);) {}
  note_call(made->work, status);
  run_task(made);
  made->work->now--;
}

// Each item has its own variables.
static void run_item(void *user, size_t item, uint32_t worker) {
  run one = *static_cast<run *>(user);
  running_item running(one.work, item, worker);
  one.known["item"] = std::to_string(item);
  run_task(&one);
}

static void run_launched(void *user) {
  run_called(user, GEVT_SUCCESS);
}

static void run_logged(void *user, gevt_log_level_t level, const char *message) {
  run *made = static_cast<run *>(user);
  if (note_log(made->work, level, message)) run_task(made);
}

#ifndef _WIN32
// Steps that the strict driver makes between a check and the call that was checked.
static run *after_check;

static void run_after_check() {
  run_task(after_check);
}

// No fork handler runs where the system's own call makes the child.
static void run_forked(const body &what, variables &known, bool is_bare) {
  fflush(stdout);
  pid_t child = is_bare ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
  if (child == 0) {
    int before = check_failures();
    run_apart(what, known);
    fflush(stdout);
    _exit(check_failures() == before ? 0 : 1);
  }
  if (child_end(child) != 0) fail(what.at, lines[what.at].text, "the child failed");
}
#endif

static void *run_thread(void *user) {
  run *made = static_cast<run *>(user);
  thread_publish(&made->work->tid);
  run_task(made);
  return nullptr;
}

#ifndef _WIN32
// Steps that handlers of exit make: the last ones first.
static auto &late_runs = *new std::vector<run *>;

static void run_late() {
  run *made = late_runs.back();
  late_runs.pop_back();
  // This thread's thread-local objects have ended.
  thread_join(thread_start(run_thread, made));
  count_up(&late_run);
}

static void run_at_exit(run *made) {
  late_runs.push_back(made);
  late_expected++;
  CHECK_EQUAL(atexit(run_late), 0);
}
#endif

// A thread that begins with others.
struct racer {
  run made;
  start_line *line;
  int turn;
  task work;
  pthread_t thread;
};

static void *run_racer(void *user) {
  racer *one = static_cast<racer *>(user);
  line_to_pass = one->line;
  turn_to_pass = one->turn;
  run_thread(&one->made);
  // It had no step.
  pass_start_line();
  return nullptr;
}

// at_once TASK [N]: so many threads for each step make their calls in the same moment. The task keeps the answers.
static void run_at_once(task &work, int threads, const body &what, const variables &known) {
  static std::atomic<int> turn{0};
  std::deque<racer> racers;
  start_line line{threads};
  std::vector<body> steps;
  if (!what.step.empty()) steps.push_back(what);
  for (size_t at = what.from; at < what.to; at++) steps.push_back(body{lines[at].text, at, at + 1, at + 1});
  line.threads = threads * (int)steps.size();
  for (int i = 0; i < line.threads; i++) {
    racers.emplace_back();
    racer &one = racers.back();
    one.made = run{steps[i % steps.size()], known, &one.work};
    one.line = &line;
    one.turn = turn++;
    one.work.keeps = true;
  }
  for (racer &one : racers) one.thread = thread_start(run_racer, &one);
  work.answers.clear();
  for (racer &one : racers) {
    thread_join(one.thread);
    work.answers.push_back(one.work.last);
  }
}

// Again and again, until it is joined.
static void *run_again(void *user) {
  run *made = static_cast<run *>(user);
  const int before = check_failures();
  do {
    run_task(made);
    count_up(&made->work->calls);
  } while (!made->work->ends && check_failures() == before);
  return nullptr;
}

// What it runs again and again has no answer to keep.
static run *run_new(const std::string &name, const body &what, const variables &known, bool once = true) {
  static auto &all = *new std::deque<run>;
  static std::mutex held;
  std::lock_guard<std::mutex> guard(held);
  all.push_back(run{what, known, &objects.work(name)});
  all.back().work->has_steps = true;
  all.back().work->keeps = once && !what.step.empty() && what.step.find(" ; ") == std::string::npos &&
                           what.step.find("->") == std::string::npos;
  return &all.back();
}

// A process that ends takes no function.
static void check_taken(gevt_status_t status) {
  if (status != GEVT_ERROR_DEINITIALIZED && !CHECK_OK(status)) throw failed();
}

static void join(task &work) {
  work.ends = true;
  if (work.is_thread && !work.joined)
    thread_join(work.thread);
  else if (!count_await(&work.done, 1))
    throw mistake("it never ended");
  work.joined = true;
}
