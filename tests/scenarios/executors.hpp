// The program's executors, which gevt_host_set_executor gets.
#pragma once

#include "arguments.hpp"

#ifdef TEST_TBB
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#endif

#include <condition_variable>
#include <thread>

struct job {
  gevt_host_fn_t run;
  void *arg;
};

// A plain job system.
class pool {
public:
  explicit pool(unsigned count) {
    for (unsigned i = 0; i < count; i++) threads.emplace_back([this] { work(); });
  }
  ~pool() {
    {
      std::lock_guard<std::mutex> guard(lock);
      stops = true;
    }
    filled.notify_all();
    for (auto &thread : threads) thread.join();
  }
  pool(const pool &) = delete;
  pool &operator=(const pool &) = delete;

  static int submit(void *user, gevt_host_fn_t run, void *arg) {
    auto *to = static_cast<pool *>(user);
    {
      std::lock_guard<std::mutex> guard(to->lock);
      if (to->stops) return 1;
      to->jobs.push_back({run, arg});
    }
    to->filled.notify_one();
    return 0;
  }

private:
  void work() {
    std::unique_lock<std::mutex> guard(lock);
    for (;;) {
      filled.wait(guard, [this] { return stops || !jobs.empty(); });
      if (jobs.empty()) return;
      const job next = jobs.front();
      jobs.pop_front();
      guard.unlock();
      next.run(next.arg);
      guard.lock();
    }
  }
  std::mutex lock;
  std::condition_variable filled;
  std::deque<job> jobs;
  bool stops = false;
  std::vector<std::thread> threads;
};

// Takes one call in three.
static int submit_few(void *user, gevt_host_fn_t run, void *arg) {
  static std::atomic<int> calls{0};
  return calls++ % 3 ? -1 : pool::submit(user, run, arg);
}

static int refuse(void *, gevt_host_fn_t, void *) {
  return 1;
}

static int run_at_once(void *, gevt_host_fn_t run, void *arg) {
  run(arg);
  return 0;
}

// What run_held runs: all calls that an executor keeps, or a call too many.
static std::vector<job> held_jobs;
static std::mutex held_lock;

static int submit_held(void *, gevt_host_fn_t run, void *arg) {
  std::lock_guard<std::mutex> guard(held_lock);
  held_jobs.push_back({run, arg});
  return 0;
}

static int submit_twice(void *user, gevt_host_fn_t run, void *arg) {
  {
    std::lock_guard<std::mutex> guard(held_lock);
    held_jobs.assign(1, {run, arg});
  }
  const int refused = pool::submit(user, run, arg);
  return refused ? refused : pool::submit(user, run, arg);
}

static long long run_held() {
  std::vector<job> jobs;
  {
    std::lock_guard<std::mutex> guard(held_lock);
    jobs = held_jobs;
  }
  for (const job &each : jobs) each.run(each.arg);
  return (long long)jobs.size();
}

#ifdef TEST_TBB
static int submit_to_arena(void *user, gevt_host_fn_t run, void *arg) {
  static_cast<tbb::task_arena *>(user)->enqueue([run, arg] { run(arg); });
  return 0;
}

// The process's only arena, which stays.
static tbb::task_arena *arena_of(int threads) {
  static auto *const limit = new tbb::global_control(tbb::global_control::max_allowed_parallelism, (size_t)threads + 1);
  static auto *const arena = new tbb::task_arena(threads, 0);
  return limit ? arena : nullptr;
}
#endif

// Ends its threads when the process exits.
static pool &pool_of_main() {
  static pool of_main(2);
  return of_main;
}

// host_set_executor NAME THREADS [with SIZE]
static answer set_executor(const std::string &name, arguments &a) {
  static const std::map<std::string, int (*)(void *, gevt_host_fn_t, void *)> known = {
      {"pool", pool::submit},   {"pool_of_main", pool::submit}, {"few", submit_few},     {"refuses", refuse},
      {"at_once", run_at_once}, {"held", submit_held},          {"twice", submit_twice}, {"none", nullptr},
#ifdef TEST_TBB
      {"tbb", submit_to_arena},
#endif
  };
  if (name == "null") return api::host_set_executor(nullptr);
  gevt_executor_t executor = {sizeof executor, nullptr, known.at(name), (uint32_t)a.number()};
  if (name == "pool_of_main") {
    executor.user = &pool_of_main();
  } else if (executor.submit == pool::submit || executor.submit == submit_few || executor.submit == submit_twice) {
    static auto &pools = *new std::vector<std::unique_ptr<pool>>;
    pools.push_back(std::make_unique<pool>(executor.threads));
    executor.user = pools.back().get();
  }
#ifdef TEST_TBB
  if (name == "tbb") executor.user = arena_of((int)executor.threads);
#endif
  if (a.flags) executor.size = (size_t)a.number(*a.flags);
  return api::host_set_executor(&executor);
}
