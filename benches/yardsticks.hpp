// What a row is measured against: the ordinary tool that a C++ programmer would take instead.
#ifndef GEVT_BENCH_YARDSTICKS_HPP
#define GEVT_BENCH_YARDSTICKS_HPP

#include <gevt.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>

namespace bench {

// The cost of one read of the monotonic clock, in ns.
double clock_read(std::size_t count);

// The cost of one lock and unlock of a std::mutex that nobody else wants, in ns. A thread of the harness is alive
// meanwhile, because the C library leaves the atomic operations out in a process that never had a second one.
double mutex_lock_unlock(std::size_t count);

// A work queue with one thread. It is the stronger of the usual two: the worker takes the whole backlog under one
// lock, and the producer notifies only a worker that sleeps.
class Queue {
public:
  Queue() : worker_([this] { run(); }) {}
  ~Queue();
  Queue(const Queue &) = delete;
  Queue &operator=(const Queue &) = delete;
  void push(gevt_host_fn_t function, void *user);

private:
  struct Task {
    gevt_host_fn_t function;
    void *user;
  };
  void run();

  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<Task> tasks_;
  bool sleeping_ = false;
  bool stopping_ = false;
  std::thread worker_;
};

// The time of one hop, in ns, of two threads that hand a turn to each other by std::promise and std::future. The
// promises are made before the clock starts, which favours the yardstick.
double promise_hop(std::size_t hops);

// The two bare calls under every wait.
void futex_wait(std::atomic<std::uint32_t> &word, std::uint32_t while_it_is);
void futex_wake(std::atomic<std::uint32_t> &word);

} // namespace bench

#endif
