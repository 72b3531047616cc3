#include "gil.hpp"

#include <atomic>
#include <cstdint>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

namespace gevt_py {

namespace {

constexpr std::uint32_t closed = 0x80000000;

// The threads inside, and whether the gate is closed.
std::atomic<std::uint32_t> gate{0};
// How often this thread is inside: a callback may call functions that wait.
thread_local std::uint32_t depth = 0;
// The thread that ends the interpreter. It may still enter.
std::atomic<pthread_t> closer{};

// A forked child has the forking thread only.
void forked() {
  gate.store((gate.load() & closed) | (depth > 0 ? 1u : 0u));
}
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, forked);

} // namespace

bool enter() noexcept {
  if (depth == 0 && (gate.fetch_add(1) & closed) != 0 && !pthread_equal(closer.load(), pthread_self())) {
    gate.fetch_sub(1);
    return false;
  }
  ++depth;
  return true;
}

void leave() noexcept {
  if (--depth == 0) gate.fetch_sub(1);
}

void close_gate() {
  closer.store(pthread_self());
  gate.fetch_or(closed);
  PyThreadState *state = PyEval_SaveThread();
  const timespec pause = {0, 1000000};
  while ((gate.load() & ~closed) > (depth > 0 ? 1u : 0u)) nanosleep(&pause, nullptr);
  PyEval_RestoreThread(state);
}

unlocked::~unlocked() {
  if (!enter()) {
    for (;;) pause();
  }
  PyEval_RestoreThread(state_);
  leave();
}

} // namespace gevt_py
