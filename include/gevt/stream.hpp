/// @file gevt/stream.hpp
/// Streams: queues of work that run in order.
#pragma once

#include "context.hpp"
#include "flags.hpp"
#include "handle.hpp"
#include "info.hpp"
#include "job.hpp"
#include "status.hpp"
#include "timeout.hpp"

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

namespace gevt {

class event_ref;

namespace detail {

/// The functions that stream and stream_ref share.
template <class Self>
class stream_calls {
public:
  /// Returns whether all submitted work has finished: gevt_stream_query().
  [[nodiscard]] bool query() const { return check_unless(GEVT_ERROR_NOT_READY, gevt_stream_query(handle())); }
  /// Like the form above, with the error in `ec`.
  [[nodiscard]] bool query(std::error_code &ec) const noexcept {
    return check_unless(GEVT_ERROR_NOT_READY, gevt_stream_query(handle()), ec);
  }

  /// Blocks until all work submitted before the call has finished: gevt_stream_sync().
  void sync() const { check(gevt_stream_sync(handle())); }
  /// Like the form above, with the error in `ec`.
  void sync(std::error_code &ec) const noexcept { check(gevt_stream_sync(handle()), ec); }

  /// Blocks until all work submitted before the call has finished or the timeout expires, and returns whether it has finished:
  /// gevt_stream_sync_timeout(). The timeout is as for event::sync_for().
  template <class Rep, class Period>
  [[nodiscard]] bool sync_for(std::chrono::duration<Rep, Period> timeout) const {
    return check_unless(GEVT_ERROR_TIMEOUT, gevt_stream_sync_timeout(handle(), timeout_ns(timeout)));
  }
  /// Like the form above, with the error in `ec`.
  template <class Rep, class Period>
  [[nodiscard]] bool sync_for(std::chrono::duration<Rep, Period> timeout, std::error_code &ec) const noexcept {
    return check_unless(GEVT_ERROR_TIMEOUT, gevt_stream_sync_timeout(handle(), timeout_ns(timeout)), ec);
  }

  /// Names the stream: gevt_stream_set_name(). NULL or an empty string removes the name.
  void set_name(const char *name) const { check(gevt_stream_set_name(handle(), name)); }
  /// Like the form above, with the error in `ec`.
  void set_name(const char *name, std::error_code &ec) const noexcept {
    check(gevt_stream_set_name(handle(), name), ec);
  }

  /// Makes all work submitted from now on wait for the event's last record: gevt_stream_wait().
  void wait(event_ref event, wait_flags flags = wait_flags::none) const;
  /// Like the form above, with the error in `ec`.
  void wait(event_ref event, std::error_code &ec) const noexcept;
  /// Like the form above, with the error in `ec`.
  void wait(event_ref event, wait_flags flags, std::error_code &ec) const noexcept;

  /// Calls `fn(user)` in stream order: gevt_stream_launch().
  void launch(gevt_host_fn_t fn, void *user) const { check(gevt_stream_launch(handle(), fn, user)); }
  /// Like the form above, with the error in `ec`.
  void launch(gevt_host_fn_t fn, void *user, std::error_code &ec) const noexcept {
    check(gevt_stream_launch(handle(), fn, user), ec);
  }

  /// Calls `work()` in stream order: gevt_stream_launch().
  ///
  /// `work` is any callable without parameters, also a move-only one. It is copied or moved once; pass `std::ref(work)` to
  /// prevent that. The copy is destroyed on the thread that called it, before the stream continues, or by this call if it
  /// fails. If the process exits first, it is not destroyed.
  ///
  /// An exception that leaves `work` ends the program. So does one from copying it in the noexcept form. A callable that is
  /// larger than a pointer, or not trivially copyable, is allocated: a failure is std::bad_alloc, or errc::out_of_memory in
  /// `ec`. For a stream that is being captured use the form with a function and `user`: a graph may run it many times.
  template <class Work, class = std::enable_if_t<std::is_invocable_v<std::decay_t<Work> &>>>
  void launch(Work &&work) const {
    using packed = job<std::decay_t<Work>>;
    check(start<packed>(packed::pack(std::forward<Work>(work))));
  }
  /// Like the form above, with the error in `ec`.
  template <class Work, class = std::enable_if_t<std::is_invocable_v<std::decay_t<Work> &>>>
  void launch(Work &&work, std::error_code &ec) const noexcept {
    using packed = job<std::decay_t<Work>>;
    void *user = nullptr;
    const bool is_packed = packed::pack(std::forward<Work>(work), user, std::nothrow);
    check(is_packed ? start<packed>(user) : GEVT_ERROR_OUT_OF_MEMORY, ec);
  }

  /// Calls `fn(user, item, worker)` for each of `n` items in parallel, in stream order: gevt_stream_launch_n().
  void launch_n(std::size_t n, gevt_item_fn_t fn, void *user) const {
    check(gevt_stream_launch_n(handle(), n, fn, user));
  }
  /// Like the form above, with the error in `ec`.
  void launch_n(std::size_t n, gevt_item_fn_t fn, void *user, std::error_code &ec) const noexcept {
    check(gevt_stream_launch_n(handle(), n, fn, user), ec);
  }

  /// Calls `work(item, worker)` for each of `n` items in parallel, in stream order: gevt_stream_launch_n().
  ///
  /// `work` takes a `std::size_t` and a `std::uint32_t`. It is copied or moved once; pass `std::ref(work)` to prevent that.
  /// Several threads call the copy at the same time; a callable no larger than a pointer is copied for each item. A callable
  /// that is larger, or not trivially copyable, is allocated. It is destroyed after the items, before the stream continues, or
  /// by this call if it fails. It is not destroyed if the process exits first, or if there is no memory to queue its
  /// destruction. An exception that leaves `work` ends the program.
  template <class Work, class = std::enable_if_t<!std::is_same_v<std::decay_t<Work>, gevt_item_fn_t>>>
  void launch_n(std::size_t n, Work &&work) const {
    using packed = items<std::decay_t<Work>>;
    check(start_items<packed>(n, packed::pack(std::forward<Work>(work))));
  }
  /// Like the form above, with the error in `ec`.
  template <class Work, class = std::enable_if_t<!std::is_same_v<std::decay_t<Work>, gevt_item_fn_t>>>
  void launch_n(std::size_t n, Work &&work, std::error_code &ec) const noexcept {
    using packed = items<std::decay_t<Work>>;
    void *user = nullptr;
    const bool is_packed = packed::pack(std::forward<Work>(work), user, std::nothrow);
    check(is_packed ? start_items<packed>(n, user) : GEVT_ERROR_OUT_OF_MEMORY, ec);
  }

  /// Returns a description of the stream: gevt_stream_get_info().
  [[nodiscard]] stream_info info() const {
    stream_info info;
    check(gevt_stream_get_info(info.out(), handle()));
    return info;
  }
  /// Like the form above, with the error in `ec`.
  [[nodiscard]] stream_info info(std::error_code &ec) const noexcept {
    stream_info info;
    check(gevt_stream_get_info(info.out(), handle()), ec);
    return info;
  }

  /// Returns the CUstream or VkQueue behind the stream: gevt_stream_native().
  [[nodiscard]] void *native_handle() const {
    void *native = nullptr;
    check(gevt_stream_native(&native, handle()));
    return native;
  }
  /// Like the form above, with the error in `ec`.
  [[nodiscard]] void *native_handle(std::error_code &ec) const noexcept {
    void *native = nullptr;
    check(gevt_stream_native(&native, handle()), ec);
    return native;
  }

private:
  gevt_stream_t handle() const noexcept { return static_cast<const Self *>(this)->named(); }
  template <class Items>
  gevt_status_t start_items(std::size_t n, void *user) const noexcept {
    const gevt_status_t status = gevt_stream_launch_n(handle(), n, Items::run, user);
    if (status != GEVT_SUCCESS) {
      Items::drop(user);
    } else if constexpr (Items::is_allocated) {
      // If that fails, the items still have their callable.
      const gevt_status_t ignored = gevt_stream_launch(handle(), Items::drop, user);
      static_cast<void>(ignored);
    }
    return status;
  }
  template <class Job>
  gevt_status_t start(void *user) const noexcept {
    const gevt_status_t status = gevt_stream_launch(handle(), Job::run, user);
    if (status != GEVT_SUCCESS) Job::drop(user);
    return status;
  }
};

} // namespace detail

/// A reference to a stream that another object owns.
/// @ingroup cpp
class stream_ref : public detail::reference<gevt_stream_t>, public detail::stream_calls<stream_ref> {
public:
  using reference::reference;
};

/// Returns the default stream of the current context of the thread that uses it.
/// @ingroup cpp
[[nodiscard]] inline stream_ref default_stream() noexcept {
  return gevt_stream_t{};
}

/// An owner of a stream, which it destroys when it is destroyed itself. Submitted work still runs.
/// @ingroup cpp
class stream : public detail::owner<stream, gevt_stream_t, gevt_stream_destroy>, public detail::stream_calls<stream> {
public:
  /// Creates a stream in the calling thread's current context: gevt_stream_create().
  ///
  /// As in CUDA, a plain stream and the context's default stream wait for each other's earlier work. A stream without that
  /// order is `gevt::stream s(gevt::non_blocking);`
  explicit stream(stream_flags flags = stream_flags::none) { detail::check(create(nullptr, flags)); }
  /// Like the form above, with the error in `ec`.
  explicit stream(stream_flags flags, std::error_code &ec) noexcept { detail::check(create(nullptr, flags), ec); }
  /// Creates a stream in a context: gevt_stream_create(). See above for its order against the default stream.
  explicit stream(context_ref context, stream_flags flags = stream_flags::none) {
    detail::check(create(context.get(), flags));
  }
  /// Like the form above, with the error in `ec`.
  explicit stream(context_ref context, stream_flags flags, std::error_code &ec) noexcept {
    detail::check(create(context.get(), flags), ec);
  }

  /// @private
  explicit stream(no_handle) noexcept {}
  stream(int) = delete;            ///< A literal 0 is no handle.
  stream(std::nullptr_t) = delete; ///< nullptr is no handle.

  /// Returns a handle for a CUstream of the context, which the caller still owns: gevt_stream_wrap().
  [[nodiscard]] static stream wrap(context_ref context, void *native) {
    stream self = none();
    detail::check(gevt_stream_wrap(self.out(), context.get(), native));
    return self;
  }
  /// Like the form above, with the error in `ec`.
  [[nodiscard]] static stream wrap(context_ref context, void *native, std::error_code &ec) noexcept {
    stream self = none();
    detail::check(gevt_stream_wrap(self.out(), context.get(), native), ec);
    return self;
  }

  /// Converts to a reference.
  operator stream_ref() const noexcept { return named(); }

private:
  gevt_status_t create(gevt_context_t context, stream_flags flags) noexcept {
    return gevt_stream_create(out(), context, static_cast<std::uint32_t>(flags));
  }
};

} // namespace gevt
