/// @file gevt/context.hpp
/// Contexts: the devices of a backend.
#pragma once

#include "flags.hpp"
#include "handle.hpp"
#include "info.hpp"
#include "status.hpp"
#include "timeout.hpp"

#include <cstdint>

namespace gevt {

/// Returns the number of devices of a backend: gevt_device_count().
/// @ingroup cpp
[[nodiscard]] inline int device_count(backend backend) {
  std::int32_t count = 0;
  detail::check(gevt_device_count(&count, static_cast<gevt_backend_t>(backend)));
  return count;
}
/// Like the form above; returns 0 on failure.
/// @ingroup cpp
[[nodiscard]] inline int device_count(backend backend, std::error_code &ec) noexcept {
  std::int32_t count = 0;
  detail::check(gevt_device_count(&count, static_cast<gevt_backend_t>(backend)), ec);
  return count;
}

namespace detail {

/// The functions that context and context_ref share.
template <class Self>
class context_calls {
public:
  /// Makes the context the calling thread's current one: gevt_context_set_current().
  void set_current() const { check(gevt_context_set_current(handle())); }
  /// Like the form above, with the error in `ec`.
  void set_current(std::error_code &ec) const noexcept { check(gevt_context_set_current(handle()), ec); }

  /// Compares the context's clock with the host's now: gevt_context_calibrate().
  void calibrate() const { check(gevt_context_calibrate(handle())); }
  /// Like the form above, with the error in `ec`.
  void calibrate(std::error_code &ec) const noexcept { check(gevt_context_calibrate(handle()), ec); }

  /// Blocks until all streams of the context have finished: gevt_context_sync().
  void sync() const { check(gevt_context_sync(handle())); }
  /// Like the form above, with the error in `ec`.
  void sync(std::error_code &ec) const noexcept { check(gevt_context_sync(handle()), ec); }

  /// Blocks until all streams of the context have finished or the timeout expires, and returns whether they have:
  /// gevt_context_sync_timeout(). The timeout is as for event::sync_for().
  template <class Rep, class Period>
  [[nodiscard]] bool sync_for(std::chrono::duration<Rep, Period> timeout) const {
    return check_unless(GEVT_ERROR_TIMEOUT, gevt_context_sync_timeout(handle(), timeout_ns(timeout)));
  }
  /// Like the form above, with the error in `ec`.
  template <class Rep, class Period>
  [[nodiscard]] bool sync_for(std::chrono::duration<Rep, Period> timeout, std::error_code &ec) const noexcept {
    return check_unless(GEVT_ERROR_TIMEOUT, gevt_context_sync_timeout(handle(), timeout_ns(timeout)), ec);
  }

  /// Returns a description of the context: gevt_context_get_info().
  [[nodiscard]] context_info info() const {
    context_info info;
    check(gevt_context_get_info(info.out(), handle()));
    return info;
  }
  /// Like the form above, with the error in `ec`.
  [[nodiscard]] context_info info(std::error_code &ec) const noexcept {
    context_info info;
    check(gevt_context_get_info(info.out(), handle()), ec);
    return info;
  }

  /// Returns the CUcontext or VkDevice behind the context: gevt_context_native().
  [[nodiscard]] void *native_handle() const {
    void *native = nullptr;
    check(gevt_context_native(&native, handle()));
    return native;
  }
  /// Like the form above, with the error in `ec`.
  [[nodiscard]] void *native_handle(std::error_code &ec) const noexcept {
    void *native = nullptr;
    check(gevt_context_native(&native, handle()), ec);
    return native;
  }

private:
  gevt_context_t handle() const noexcept { return static_cast<const Self *>(this)->named(); }
};

} // namespace detail

/// A reference to a context that another object owns.
/// @ingroup cpp
class context_ref : public detail::reference<gevt_context_t>, public detail::context_calls<context_ref> {
public:
  using reference::reference;

  /// Returns the calling thread's current context: gevt_context_get_current().
  [[nodiscard]] static context_ref current() {
    gevt_context_t handle = nullptr;
    detail::check(gevt_context_get_current(&handle));
    return handle;
  }
  /// Like the form above, with the error in `ec`.
  [[nodiscard]] static context_ref current(std::error_code &ec) noexcept {
    gevt_context_t handle = nullptr;
    detail::check(gevt_context_get_current(&handle), ec);
    return handle;
  }

  /// Restores the calling thread's default context: gevt_context_set_current() with NULL.
  static void reset_current() { detail::check(gevt_context_set_current(nullptr)); }
  /// Like the form above, with the error in `ec`.
  static void reset_current(std::error_code &ec) noexcept { detail::check(gevt_context_set_current(nullptr), ec); }
};

/// An owner of a context handle, which it closes when it is destroyed. Streams and events of the context live on.
/// @ingroup cpp
class context : public detail::owner<context, gevt_context_t, gevt_context_close>,
                public detail::context_calls<context> {
public:
  /// Opens a device of a backend: gevt_context_open().
  explicit context(backend backend, std::int32_t device = 0) {
    detail::check(gevt_context_open(out(), static_cast<gevt_backend_t>(backend), device));
  }
  /// Like the form above, with the error in `ec`.
  context(backend backend, std::int32_t device, std::error_code &ec) noexcept {
    detail::check(gevt_context_open(out(), static_cast<gevt_backend_t>(backend), device), ec);
  }

  /// @private
  explicit context(no_handle) noexcept {}

  /// Returns a handle for a CUcontext, which the caller still owns: gevt_context_wrap().
  [[nodiscard]] static context wrap(backend backend, void *native) {
    context self = none();
    detail::check(gevt_context_wrap(self.out(), static_cast<gevt_backend_t>(backend), native));
    return self;
  }
  /// Like the form above, with the error in `ec`.
  [[nodiscard]] static context wrap(backend backend, void *native, std::error_code &ec) noexcept {
    context self = none();
    detail::check(gevt_context_wrap(self.out(), static_cast<gevt_backend_t>(backend), native), ec);
    return self;
  }

  /// Converts to a reference.
  operator context_ref() const noexcept { return named(); }
};

} // namespace gevt
