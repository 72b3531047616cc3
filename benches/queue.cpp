#include "yardsticks.hpp"

#include <utility>

namespace bench {

Queue::~Queue() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  filled_.notify_one();
  worker_.join();
}

void Queue::push(gevt_host_fn_t function, void *user) {
  bool wake;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    tasks_.push_back({function, user});
    wake = std::exchange(sleeping_, false);
  }
  if (wake) filled_.notify_one();
}

void Queue::run() {
  std::deque<Task> batch;
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    while (tasks_.empty() && !stopping_) {
      sleeping_ = true;
      filled_.wait(lock);
    }
    if (tasks_.empty()) return;
    batch.swap(tasks_);
    lock.unlock();
    for (const Task &task : batch) task.function(task.user);
    batch.clear();
    lock.lock();
  }
}

} // namespace bench
