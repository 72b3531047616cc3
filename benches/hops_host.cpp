#include "hops.hpp"

#include "yardsticks.hpp"

#include <atomic>
#include <thread>

namespace bench {

namespace {

// go() wakes the thread by a futex, and the thread wakes who waits by another; without a thread go() does the latter.
class HostLane : public Lane {
public:
  explicit HostLane(HostWork work) {
    if (work == HostWork::on_own_thread) thread_ = std::thread([this] { run(); });
  }

  ~HostLane() override {
    if (!thread_.joinable()) return;
    is_over_ = true;
    go();
    thread_.join();
  }

  void prepare() override {
    begin_ = 0;
    end_ = 0;
  }

  void go() override {
    std::atomic<std::uint32_t> &word = thread_.joinable() ? begin_ : end_;
    word = 1;
    futex_wake(word);
  }

  void wait() override { futex_wait(end_, 0); }

  void at_end(std::function<void()>) override {} // the host itself goes on with the next lane

private:
  void run() {
    while (!is_over_) {
      futex_wait(begin_, 0);
      begin_ = 0;
      end_ = 1;
      futex_wake(end_);
    }
  }

  std::atomic<std::uint32_t> begin_{0}, end_{0};
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

} // namespace

std::unique_ptr<Lane> host_lane(HostWork work) {
  return std::make_unique<HostLane>(work);
}

} // namespace bench
