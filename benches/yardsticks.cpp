#include "yardsticks.hpp"

#include "bench.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <future>
#include <vector>

namespace bench {

double clock_read(std::size_t count) {
  return per_call(count,
                  [](std::size_t) { keep(static_cast<std::uint64_t>(Clock::now().time_since_epoch().count())); });
}

double mutex_lock_unlock(std::size_t count) {
  static std::mutex mutex;
  return per_call(count, [](std::size_t) {
    mutex.lock();
    mutex.unlock();
  });
}

double promise_hop(std::size_t hops) {
  std::vector<std::promise<void>> turns(hops + 1);
  std::uint64_t count = 0; // handed from thread to thread with the turn
  std::promise<void> ready;
  const auto play = [&](std::size_t first) {
    for (std::size_t turn = first; turn < hops; turn += 2) {
      turns[turn].get_future().wait();
      count++;
      turns[turn + 1].set_value();
    }
  };
  std::thread other([&] {
    ready.set_value();
    play(0);
  });
  ready.get_future().wait();
  const auto start = Clock::now();
  turns[0].set_value();
  play(1);
  turns[hops].get_future().wait();
  const auto end = Clock::now();
  other.join();
  if (count != hops) fail("promise_hop", "a turn was lost");
  return ns_between(start, end) / static_cast<double>(hops);
}

namespace {

// The kernel wants the address of a plain 32-bit word, and a lock-free atomic of that size is one.
std::uint32_t *address_of(std::atomic<std::uint32_t> &word) {
  static_assert(sizeof word == sizeof(std::uint32_t), "the atomic is more than its word");
  return reinterpret_cast<std::uint32_t *>(&word);
}

} // namespace

void futex_wait(std::atomic<std::uint32_t> &word, std::uint32_t while_it_is) {
  while (word.load(std::memory_order_acquire) == while_it_is) {
    syscall(SYS_futex, address_of(word), FUTEX_WAIT_PRIVATE, while_it_is, nullptr, nullptr, 0);
  }
}

void futex_wake(std::atomic<std::uint32_t> &word) {
  syscall(SYS_futex, address_of(word), FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

} // namespace bench
