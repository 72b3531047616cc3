// gevt_host_set_executor: streams, items and callbacks on the program's threads. The same cases run on gevt's own threads, on a pool of
// std::thread, and on oneTBB if its headers were there.
// usage: executor [host] [CASE]
#include "objects.h"
#include "cases.h"

#include <gevt.hpp>

#ifdef TEST_TBB
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#endif

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace {

constexpr int exit_code = 3;

// A plain job system.
class Pool {
public:
  explicit Pool(unsigned threads) {
    for (unsigned i = 0; i < threads; i++) threads_.emplace_back([this] { work(); });
  }
  ~Pool() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
    }
    filled_.notify_all();
    for (auto &thread : threads_) thread.join();
  }
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;

  static int submit(void *user, gevt_host_fn_t run, void *arg) {
    auto *pool = static_cast<Pool *>(user);
    {
      std::lock_guard<std::mutex> lock(pool->mutex_);
      if (pool->stopping_) return 1;
      pool->jobs_.push_back({run, arg});
    }
    pool->filled_.notify_one();
    return 0;
  }

private:
  struct Job {
    gevt_host_fn_t run;
    void *arg;
  };
  void work() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      filled_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      const Job job = jobs_.front();
      jobs_.pop_front();
      lock.unlock();
      job.run(job.arg);
      lock.lock();
    }
  }
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<Job> jobs_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

// Threads of gevt's are named gevt-...
int threads_named_gevt() {
  DIR *tasks = opendir("/proc/self/task");
  int count = 0;
  if (!CHECK(tasks != nullptr)) return -1;
  while (const dirent *entry = readdir(tasks)) {
    char path[300], name[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
    FILE *file = fopen(path, "r");
    if (file && fgets(name, sizeof name, file) && strncmp(name, "gevt-", 5) == 0) count++;
    if (file) fclose(file);
  }
  closedir(tasks);
  return count;
}

std::uint32_t threads_of_host() {
  std::uint32_t threads = 0;
  CHECK_OK(gevt_host_get_threads(&threads));
  return threads;
}

// Streams that wait for each other at random: each function finds that those before it have run.
void graph() {
  struct Step {
    std::vector<const Step *> before;
    std::atomic<int> ran{0};
    static void run(void *user) {
      auto *step = static_cast<Step *>(user);
      for (const Step *before : step->before) CHECK_EQUAL(before->ran.load(), 1);
      step->ran++;
    }
  };
  constexpr std::size_t streams = 100, steps = 5000;
  std::vector<gevt_stream_t> lanes(streams);
  std::vector<Step> all(steps);
  std::vector<gevt_event_t> events(steps);
  std::vector<const Step *> last(streams);
  std::mt19937_64 random(7);
  for (auto &lane : lanes) lane = stream_new();
  for (std::size_t i = 0; i < steps; i++) {
    const std::size_t lane = random() % streams;
    if (last[lane]) all[i].before.push_back(last[lane]);
    if (i > 0 && random() % 2) {
      const std::size_t other = random() % i;
      all[i].before.push_back(&all[other]);
      CHECK_OK(gevt_stream_wait(lanes[lane], events[other], GEVT_WAIT_DEFAULT));
    }
    last[lane] = &all[i];
    events[i] = event_new();
    CHECK_OK(gevt_stream_launch(lanes[lane], Step::run, &all[i]));
    CHECK_OK(gevt_record(events[i], lanes[lane]));
  }
  CHECK_OK(gevt_context_sync(subject_context));
  for (std::size_t i = 0; i < steps; i++) {
    CHECK_EQUAL(all[i].ran.load(), 1);
    CHECK_OK(gevt_query(events[i]));
    CHECK_OK(gevt_destroy(events[i]));
  }
  for (auto lane : lanes) stream_finish(lane);
}

// Each item once, by workers whose numbers are in range and not used twice at a time.
void items() {
  struct Batch {
    std::vector<std::atomic<int>> ran = std::vector<std::atomic<int>>(20000);
    std::vector<std::atomic<int>> busy = std::vector<std::atomic<int>>(threads_of_host());
    static void run(void *user, std::size_t item, std::uint32_t worker) {
      auto *batch = static_cast<Batch *>(user);
      if (!CHECK(worker < batch->busy.size())) return;
      CHECK_EQUAL(batch->busy[worker].fetch_add(1), 0);
      batch->ran[item]++;
      batch->busy[worker].fetch_sub(1);
    }
  };
  const gevt_stream_t stream = stream_new();
  for (int helps = 0; helps < 2; helps++) {
    Batch batch;
    const gevt_event_t event = event_new();
    CHECK_OK(gevt_stream_launch_n(stream, batch.ran.size(), Batch::run, &batch));
    CHECK_OK(gevt_record(event, stream));
    CHECK_OK(helps ? gevt_sync_helping(event, GEVT_TIMEOUT_INFINITE) : gevt_sync(event));
    for (auto &ran : batch.ran) CHECK_EQUAL(ran.load(), 1);
    CHECK_OK(gevt_destroy(event));
  }
  stream_finish(stream);
}

// Functions that wait for functions, on as few threads as one. Deeper than 4, a wait needs another thread.
struct Level {
  gevt_stream_t stream;
  Level *next;
  std::atomic<int> done{0};
  static void descend(void *user) {
    auto *level = static_cast<Level *>(user);
    if (level->next) {
      const gevt_event_t event = event_new();
      CHECK_OK(gevt_stream_launch(level->next->stream, descend, level->next));
      CHECK_OK(gevt_record(event, level->next->stream));
      CHECK_OK(gevt_sync_helping(event, GEVT_TIMEOUT_INFINITE));
      CHECK_EQUAL(level->next->done.load(), 1);
      CHECK_OK(gevt_destroy(event));
    }
    level->done++;
  }
};

void nested() {
  constexpr int levels = 4, towers = 8;
  static Level all[towers][levels];
  for (auto &tower : all) {
    for (int i = 0; i < levels; i++) {
      tower[i].done = 0;
      tower[i].stream = stream_new();
      tower[i].next = i + 1 < levels ? &tower[i + 1] : nullptr;
    }
    CHECK_OK(gevt_stream_launch(tower[0].stream, Level::descend, &tower[0]));
    CHECK_OK(gevt_stream_sync(tower[0].stream));
  }
  for (auto &tower : all) {
    CHECK_EQUAL(tower[0].done.load(), 1);
    for (auto &level : tower) stream_finish(level.stream);
  }
}

// A helping thread is woken for work that comes while it sleeps, though all threads of the executor are taken.
void helper_sleeps() {
  struct Held {
    gevt_event_t signal, done;
    std::atomic<int> inside{0}, ended{0};
    static void wait(void *user) {
      auto *held = static_cast<Held *>(user);
      held->inside++;
      CHECK_OK(gevt_sync_helping(held->done, GEVT_TIMEOUT_INFINITE));
      held->ended++;
    }
  };
  Held held;
  const gevt_stream_t source = stream_new();
  const std::uint32_t waits = threads_of_host();
  std::vector<gevt_stream_t> waiting(waits);
  held.signal = event_with(GEVT_EVENT_HOST_SIGNALED | GEVT_EVENT_DISABLE_TIMING);
  held.done = event_new();
  int ran = 0;
  CHECK_OK(gevt_stream_wait(source, held.signal, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_stream_launch(source, count_up, &ran));
  CHECK_OK(gevt_record(held.done, source));
  for (auto &stream : waiting) {
    stream = stream_new();
    CHECK_OK(gevt_stream_launch(stream, Held::wait, &held));
  }
  while (held.inside.load() == 0) std::this_thread::yield();
  CHECK_OK(gevt_signal(held.signal, GEVT_SUCCESS));
  for (auto stream : waiting) stream_finish(stream);
  stream_finish(source);
  CHECK_EQUAL(held.ended.load(), static_cast<int>(waits));
  CHECK_EQUAL(ran, 1);
  CHECK_OK(gevt_destroy(held.signal));
  CHECK_OK(gevt_destroy(held.done));
}

void callbacks() {
  gate_t gate = GATE_CLOSED;
  called_t called = {0, GEVT_ERROR_UNKNOWN};
  const gevt_stream_t stream = stream_new();
  const gevt_event_t event = event_new();
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_on_complete(event, called_with, &called));
  gate_open(&gate);
  while (count_of(&called.count) == 0) std::this_thread::yield();
  CHECK_STATUS(called.status, GEVT_SUCCESS);
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
}

void everything() {
  graph();
  items();
  nested();
  helper_sleeps();
  callbacks();
}

void on_executor(int (*submit)(void *, gevt_host_fn_t, void *), void *user, std::uint32_t threads) {
  gevt::set_executor(submit, user, threads);
  CHECK_EQUAL(threads_of_host(), threads);
  everything();
  CHECK_EQUAL(threads_named_gevt(), 0);
}

void gevts_own() {
  everything();
  CHECK(threads_named_gevt() > 0);
}

void pool_of_four() {
  Pool pool(4);
  on_executor(Pool::submit, &pool, 4);
}

void pool_of_one() {
  Pool pool(1);
  on_executor(Pool::submit, &pool, 1);
}

#ifdef TEST_TBB
int submit_to_arena(void *user, gevt_host_fn_t run, void *arg) {
  static_cast<tbb::task_arena *>(user)->enqueue([run, arg] { run(arg); });
  return 0;
}
#endif

void one_tbb() {
#ifdef TEST_TBB
  tbb::global_control most(tbb::global_control::max_allowed_parallelism, 5);
  tbb::task_arena arena(4, 0);
  on_executor(submit_to_arena, &arena, 4);
#endif
}

// An executor that takes one call in three, one that takes none, and one that runs each call at once.
int refuse_most(void *user, gevt_host_fn_t run, void *arg) {
  static std::atomic<int> calls{0};
  return calls++ % 3 ? -1 : Pool::submit(user, run, arg);
}

int refuse(void *, gevt_host_fn_t, void *) {
  return 1;
}

int run_at_once(void *, gevt_host_fn_t run, void *arg) {
  run(arg);
  return 0;
}

void executor_that_refuses_most() {
  Pool pool(2);
  gevt::set_executor(refuse_most, &pool, 2);
  everything();
  CHECK(threads_named_gevt() > 0);
}

void executor_that_refuses() {
  gevt::set_executor(refuse, nullptr, 2);
  everything();
}

void executor_that_runs_at_once() {
  gevt::set_executor(run_at_once, nullptr, 2);
  everything();
}

// A call of run() that nothing was submitted for does nothing, also beside calls that were submitted.
std::atomic<gevt_host_fn_t> known_run{nullptr};
std::atomic<void *> known_arg{nullptr};

int submit_twice(void *user, gevt_host_fn_t run, void *arg) {
  known_arg = arg;
  known_run = run;
  const int refused = Pool::submit(user, run, arg);
  return refused ? refused : Pool::submit(user, run, arg);
}

void calls_too_many() {
  Pool pool(3);
  on_executor(submit_twice, &pool, 3);
  known_run.load()(known_arg.load());
}

void bad_input() {
  gevt_executor_t executor = {sizeof executor, nullptr, nullptr, 1};
  CHECK_FAILS(gevt_host_set_executor(nullptr), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_host_set_executor(&executor), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK(strstr(gevt_last_message(), "executor->submit") != nullptr);
  executor.submit = refuse;
  executor.threads = 1025;
  CHECK_FAILS(gevt_host_set_executor(&executor), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_ARGUMENT);
  executor.threads = 1;
  for (executor.size = 0; executor.size < offsetof(gevt_executor_t, threads) + sizeof executor.threads;
       executor.size++) {
    CHECK_FAILS(gevt_host_set_executor(&executor), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_ARGUMENT);
  }
  // None of them was set.
  CHECK_OK(gevt_host_set_threads(3));
  CHECK_EQUAL(threads_of_host(), 3);
}

void set_twice() {
  Pool pool(2);
  gevt_executor_t executor = {sizeof executor, &pool, Pool::submit, 0};
  CHECK_OK(gevt_host_set_threads(3));
  CHECK_OK(gevt_host_set_executor(&executor));
  CHECK(threads_of_host() >= 1);
  CHECK_FAILS(gevt_host_set_executor(&executor), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_EXECUTOR);
  CHECK_FAILS(gevt_host_set_threads(2), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_EXECUTOR);
  std::error_code ec;
  gevt::set_executor(Pool::submit, &pool, 1, ec);
  CHECK(ec == gevt::errc::illegal_state);
  items();
}

void set_late() {
  const gevt_stream_t stream = stream_new();
  const gevt_executor_t executor = {sizeof executor, nullptr, refuse, 1};
  CHECK_FAILS(gevt_host_set_executor(&executor), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_EXECUTOR);
  CHECK_OK(gevt_host_set_threads(2));
  stream_finish(stream);
  CHECK_FAILS(gevt_host_set_executor(&executor), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_EXECUTOR);
  everything();
}

// A child may call run(), which runs nothing.
void fork_with_work() {
  static std::deque<std::pair<gevt_host_fn_t, void *>> jobs;
  static int ran;
  gevt::set_executor(
      [](void *, gevt_host_fn_t run, void *arg) {
        jobs.push_back({run, arg});
        return 0;
      },
      nullptr, 1);
  const gevt_stream_t stream = stream_new();
  CHECK_OK(gevt_stream_launch(stream, count_up, &ran));
  CHECK_EQUAL(jobs.size(), 1);
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    jobs.front().first(jobs.front().second);
    _exit(ran == 0 && gevt_stream_query(stream) == GEVT_ERROR_NOT_INITIALIZED ? exit_code : 1);
  }
  CHECK_EQUAL(child_end(child), exit_code);
  CHECK_NOT_READY(gevt_stream_query(stream));
  jobs.front().first(jobs.front().second);
  CHECK_EQUAL(ran, 1);
  stream_finish(stream);
}

// The process exits while the executor's threads wait inside gevt and run functions, and work is queued. A pool that was made before gevt's
// first call is destroyed after gevt has ended, and joins its threads; one that was made later is destroyed before.
gevt_event_t never;

void wait_for_never(void *) {
  const gevt_status_t status = gevt_sync(never);
  if (status != GEVT_ERROR_DEINITIALIZED) _exit(1);
}

void fail_the_process(void *) {
  _exit(2);
}

void leave_work(Pool &pool) {
  gevt::set_executor(Pool::submit, &pool, 2);
  const gevt_stream_t streams[] = {stream_new(), stream_new(), stream_new()};
  static int entered;
  never = event_with(GEVT_EVENT_HOST_SIGNALED | GEVT_EVENT_DISABLE_TIMING);
  for (int i = 0; i < 2; i++) {
    CHECK_OK(gevt_stream_launch(streams[i], count_up, &entered));
    CHECK_OK(gevt_stream_launch(streams[i], wait_for_never, nullptr));
    CHECK_OK(gevt_stream_launch(streams[i], fail_the_process, nullptr));
  }
  while (count_of(&entered) < 2) std::this_thread::yield();
  CHECK_OK(gevt_stream_launch(streams[2], fail_the_process, nullptr));
  exit(check_failures() ? 4 : exit_code);
}

void exit_before_the_pool() {
  // Made by begin_case, before gevt's first call.
  static Pool *const pool = [] {
    static Pool pool(2);
    return &pool;
  }();
  subject_open();
  leave_work(*pool);
}

void exit_beside_the_pool() {
  Pool *pool = new Pool(2);
  leave_work(*pool);
}

void begin_case(const test_case_t *chosen) {
  if (chosen->place != ALONE_UNOPENED) subject_open();
}

const char *reason_to_skip(const test_case_t *chosen) {
#ifndef TEST_TBB
  if (chosen->body == one_tbb) return "oneTBB's headers were not found";
#endif
  const char *tool = subject_tool();
  if (chosen->body == one_tbb && tool && strcmp(tool, "tsan") == 0) return "oneTBB is built without ThreadSanitizer";
  return nullptr;
}

const test_case_t table[] = {
    {"gevts_own", gevts_own, ALONE, 0},
    {"pool_of_four", pool_of_four, ALONE, 0},
    {"pool_of_one", pool_of_one, ALONE, 0},
    {"one_tbb", one_tbb, ALONE, 0},
    {"executor_that_refuses_most", executor_that_refuses_most, ALONE, 0},
    {"executor_that_refuses", executor_that_refuses, ALONE, 0},
    {"executor_that_runs_at_once", executor_that_runs_at_once, ALONE, 0},
    {"calls_too_many", calls_too_many, ALONE, 0},
    {"bad_input", bad_input, ALONE, 0},
    {"set_twice", set_twice, ALONE, 0},
    {"set_late", set_late, ALONE, 0},
    {"fork_with_work", fork_with_work, ALONE, 0},
    {"exit_before_the_pool", exit_before_the_pool, ALONE_UNOPENED, exit_code},
    {"exit_beside_the_pool", exit_beside_the_pool, ALONE, exit_code},
};

} // namespace

int main(int argc, char **argv) {
  subject_choose(argc, argv);
  const test_cases_t cases = {table,  static_cast<int>(sizeof table / sizeof *table), begin_case, reason_to_skip, 0,
                              nullptr};
  return cases_main(&cases, argc, argv);
}
