// The C++ objects of the Python classes. Each owns a handle of gevt.h and keeps it after close(), so that later calls return
// gevt's error for a stale handle.
#pragma once

#include "gil.hpp"

#include <gevt.hpp>

#include <atomic>

namespace gevt_py {

template <class Handle, auto End>
class owner {
public:
  explicit owner(Handle handle, bool is_bound = true) noexcept : handle_(handle), is_bound_(is_bound) {}
  ~owner() { close(); }
  owner(const owner &) = delete;
  owner &operator=(const owner &) = delete;

  Handle get() const noexcept { return handle_; }
  bool is_closed() const noexcept { return closed_.load(std::memory_order_relaxed); }

  void close() noexcept {
    if (closed_.exchange(true)) return;
    if (!is_bound_.load(std::memory_order_relaxed)) {
      static_cast<void>(End(handle_));
      return;
    }
    // The end of the last object of a context may wait for its driver.
    unlocked released;
    static_cast<void>(End(handle_));
  }

  // Notes that the object may belong to a context. An event does not before its first record.
  void bind() const noexcept { is_bound_.store(true, std::memory_order_relaxed); }

private:
  const Handle handle_;
  std::atomic<bool> closed_{false};
  mutable std::atomic<bool> is_bound_;
};

struct context : owner<gevt_context_t, gevt_context_close> {
  context(gevt_context_t handle, gevt::backend backend, int device) noexcept
      : owner(handle), backend(backend), device(device) {}
  gevt::context_ref ref() const noexcept { return get(); }

  const gevt::backend backend;
  const int device;
};

struct stream : owner<gevt_stream_t, gevt_stream_destroy> {
  using owner::owner;
  gevt::stream_ref ref() const noexcept { return get(); }
};

struct event : owner<gevt_event_t, gevt_destroy> {
  using owner::owner;
  gevt::event_ref ref() const noexcept { return get(); }
  gevt_event_info_t info() const { return ref().info().get(); }
};

} // namespace gevt_py
