/// @file gevt/event.hpp
/// Events: points in a stream that can be queried, waited for and timed.
#pragma once

#include "context.hpp"
#include "handle.hpp"
#include "status.hpp"
#include "stream.hpp"
#include "timeout.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace gevt {

/// The kind of a record.
/// @ingroup cpp
enum class record_flags : std::uint32_t {
  none = GEVT_RECORD_DEFAULT,     ///< An ordinary record.
  external = GEVT_RECORD_EXTERNAL ///< In a stream capture, adds a record node to the graph.
};

/// The properties of an event. Whether it has timing is decided by its type: gevt::event or gevt::timed_event.
/// @ingroup cpp
enum class event_flags : std::uint32_t {
  none = GEVT_EVENT_DEFAULT,                ///< None of the others.
  blocking_sync = GEVT_EVENT_BLOCKING_SYNC, ///< sync() sleeps at once instead of spinning.
  interprocess = GEVT_EVENT_INTERPROCESS,   ///< The event can be shared with other processes; gevt::event only.
  strict = GEVT_EVENT_STRICT,               ///< Querying or waiting for an event that was never recorded is an error.
  host_signaled = GEVT_EVENT_HOST_SIGNALED, ///< The event is pending until signal(), and cannot be recorded.
};
/// Combines flags.
/// @ingroup cpp
constexpr event_flags operator|(event_flags a, event_flags b) noexcept {
  return event_flags{static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b)};
}

namespace detail {

/// The functions that events and event_ref share.
template <class Self>
class event_calls {
public:
  /// Records the event on a stream: gevt_record().
  void record(stream_ref stream) const { check(gevt_record(handle(), stream.get())); }
  /// Like the form above, with the error in `ec`.
  void record(stream_ref stream, std::error_code &ec) const noexcept { check(gevt_record(handle(), stream.get()), ec); }
  /// Records the event on a stream, with flags: gevt_record_with_flags().
  void record(stream_ref stream, record_flags flags) const {
    check(gevt_record_with_flags(handle(), stream.get(), static_cast<std::uint32_t>(flags)));
  }
  /// Like the form above, with the error in `ec`.
  void record(stream_ref stream, record_flags flags, std::error_code &ec) const noexcept {
    check(gevt_record_with_flags(handle(), stream.get(), static_cast<std::uint32_t>(flags)), ec);
  }

  /// Completes an event of event_flags::host_signaled, with a success or a failure: gevt_signal().
  void signal(gevt_status_t status = GEVT_SUCCESS) const { check(gevt_signal(handle(), status)); }
  /// Like the form above, with the error in `ec`.
  void signal(gevt_status_t status, std::error_code &ec) const noexcept { check(gevt_signal(handle(), status), ec); }
  /// Makes an event of event_flags::host_signaled pending again: gevt_reset().
  void reset_signal() const { check(gevt_reset(handle())); }
  /// Like the form above, with the error in `ec`.
  void reset_signal(std::error_code &ec) const noexcept { check(gevt_reset(handle()), ec); }

  /// Returns whether the last record is complete: gevt_query().
  [[nodiscard]] bool query() const { return check_unless(GEVT_ERROR_NOT_READY, gevt_query(handle())); }
  /// Like the form above, with the error in `ec`.
  [[nodiscard]] bool query(std::error_code &ec) const noexcept {
    return check_unless(GEVT_ERROR_NOT_READY, gevt_query(handle()), ec);
  }

  /// Blocks until the last record is complete: gevt_sync().
  void sync() const { check(gevt_sync(handle())); }
  /// Like the form above, with the error in `ec`.
  void sync(std::error_code &ec) const noexcept { check(gevt_sync(handle()), ec); }

  /// Blocks until the last record is complete, and meanwhile runs functions of host streams on the calling thread:
  /// gevt_sync_working(). Only for a thread that holds no lock that such functions may take.
  void sync_working() const { check(gevt_sync_working(handle(), GEVT_TIMEOUT_INFINITE)); }
  /// Like the form above, with the error in `ec`.
  void sync_working(std::error_code &ec) const noexcept {
    check(gevt_sync_working(handle(), GEVT_TIMEOUT_INFINITE), ec);
  }
  /// As sync_working(), until the timeout expires; returns whether the record is complete.
  template <class Rep, class Period>
  [[nodiscard]] bool sync_working_for(std::chrono::duration<Rep, Period> timeout) const {
    return check_unless(GEVT_ERROR_TIMEOUT, gevt_sync_working(handle(), timeout_ns(timeout)));
  }
  /// Like the form above, with the error in `ec`.
  template <class Rep, class Period>
  [[nodiscard]] bool sync_working_for(std::chrono::duration<Rep, Period> timeout, std::error_code &ec) const noexcept {
    return check_unless(GEVT_ERROR_TIMEOUT, gevt_sync_working(handle(), timeout_ns(timeout)), ec);
  }

  /// Blocks until the last record is complete or the timeout expires, and returns whether it is complete: gevt_sync_timeout().
  ///
  /// A timeout of zero or less checks once; the duration's max() never expires.
  template <class Rep, class Period>
  [[nodiscard]] bool sync_for(std::chrono::duration<Rep, Period> timeout) const {
    return check_unless(GEVT_ERROR_TIMEOUT, gevt_sync_timeout(handle(), timeout_ns(timeout)));
  }
  /// Like the form above, with the error in `ec`.
  template <class Rep, class Period>
  [[nodiscard]] bool sync_for(std::chrono::duration<Rep, Period> timeout, std::error_code &ec) const noexcept {
    return check_unless(GEVT_ERROR_TIMEOUT, gevt_sync_timeout(handle(), timeout_ns(timeout)), ec);
  }

  /// Calls `fn(user, status)` when the last record completes or fails: gevt_on_complete(). The callback is not part of the stream:
  /// it may run after sync() has returned.
  void on_complete(gevt_complete_fn_t fn, void *user) const { check(gevt_on_complete(handle(), fn, user)); }
  /// Like the form above, with the error in `ec`.
  void on_complete(gevt_complete_fn_t fn, void *user, std::error_code &ec) const noexcept {
    check(gevt_on_complete(handle(), fn, user), ec);
  }

  /// Names the event: gevt_set_name(). NULL or an empty string removes the name.
  void set_name(const char *name) const { check(gevt_set_name(handle(), name)); }
  /// Like the form above, with the error in `ec`.
  void set_name(const char *name, std::error_code &ec) const noexcept { check(gevt_set_name(handle(), name), ec); }

  /// Returns a description of the event and its state: gevt_get_info().
  gevt_event_info_t info() const {
    gevt_event_info_t info = {};
    info.size = sizeof info;
    check(gevt_get_info(&info, handle()));
    return info;
  }
  /// Like the form above, with the error in `ec`.
  gevt_event_info_t info(std::error_code &ec) const noexcept {
    gevt_event_info_t info = {};
    info.size = sizeof info;
    check(gevt_get_info(&info, handle()), ec);
    return info;
  }

  /// Returns the bytes with which other processes can open the event: gevt_ipc_export(). The event must have been created with
  /// event_flags::interprocess.
  gevt_ipc_handle_t ipc_export() const {
    gevt_ipc_handle_t bytes = {};
    check(gevt_ipc_export(&bytes, handle()));
    return bytes;
  }
  /// Like the form above, with the error in `ec`.
  gevt_ipc_handle_t ipc_export(std::error_code &ec) const noexcept {
    gevt_ipc_handle_t bytes = {};
    check(gevt_ipc_export(&bytes, handle()), ec);
    return bytes;
  }

  /// Returns the CUevent, which belongs to the event: gevt_native().
  void *native_handle() const {
    void *native = nullptr;
    check(gevt_native(&native, handle()));
    return native;
  }
  /// Like the form above, with the error in `ec`.
  void *native_handle(std::error_code &ec) const noexcept {
    void *native = nullptr;
    check(gevt_native(&native, handle()), ec);
    return native;
  }

private:
  gevt_event_t handle() const noexcept { return static_cast<const Self *>(this)->get(); }
};

} // namespace detail

/// A reference to an event that somebody else owns.
/// @ingroup cpp
class event_ref : public detail::reference<gevt_event_t>, public detail::event_calls<event_ref> {
public:
  using reference::reference;
};

namespace detail {

/// The members that event and timed_event share. `always` is the flag that tells them apart.
template <class Self, std::uint32_t always>
class event_owner : public owner<Self, gevt_event_t, gevt_destroy>, public event_calls<Self> {
  using base = owner<Self, gevt_event_t, gevt_destroy>;

public:
  /// Creates an event: gevt_create(). The first record binds it to the stream's context.
  explicit event_owner(event_flags flags = event_flags::none) { check(gevt_create(this->out(), bits(flags))); }
  /// Like the form above, with the error in `ec`.
  explicit event_owner(event_flags flags, std::error_code &ec) noexcept {
    check(gevt_create(this->out(), bits(flags)), ec);
  }
  /// Creates an event in a context: gevt_create_in().
  explicit event_owner(context_ref context, event_flags flags = event_flags::none) {
    check(gevt_create_in(this->out(), context.get(), bits(flags)));
  }
  /// Like the form above, with the error in `ec`.
  explicit event_owner(context_ref context, event_flags flags, std::error_code &ec) noexcept {
    check(gevt_create_in(this->out(), context.get(), bits(flags)), ec);
  }

  /// @private
  explicit event_owner(typename base::no_handle) noexcept {}
  event_owner(int) = delete;            ///< A literal 0 is no handle.
  event_owner(std::nullptr_t) = delete; ///< nullptr is no handle.

  /// Returns a handle for a CUevent of the context, which the caller still owns: gevt_adopt(). `flags` are those with which it was
  /// created.
  static Self from_native_handle(context_ref context, void *native, event_flags flags = event_flags::none) {
    Self self = base::none();
    check(gevt_adopt(self.out(), context.get(), native, bits(flags)));
    return self;
  }
  /// Like the form above, with the error in `ec`.
  static Self from_native_handle(context_ref context, void *native, event_flags flags, std::error_code &ec) noexcept {
    Self self = base::none();
    check(gevt_adopt(self.out(), context.get(), native, bits(flags)), ec);
    return self;
  }

  /// Converts to a reference.
  operator event_ref() const noexcept { return this->get(); }

private:
  static constexpr std::uint32_t bits(event_flags flags) noexcept { return static_cast<std::uint32_t>(flags) | always; }
};

} // namespace detail

/// An owner of an event without timing, which it destroys when it is destroyed itself.
/// @ingroup cpp
class event : public detail::event_owner<event, GEVT_EVENT_DISABLE_TIMING> {
public:
  using event_owner::event_owner;

  /// Opens an event of another process in a context: gevt_ipc_import().
  static event ipc_import(context_ref context, const gevt_ipc_handle_t &bytes) {
    event self = none();
    detail::check(gevt_ipc_import(self.out(), context.get(), &bytes));
    return self;
  }
  /// Like the form above, with the error in `ec`.
  static event ipc_import(context_ref context, const gevt_ipc_handle_t &bytes, std::error_code &ec) noexcept {
    event self = none();
    detail::check(gevt_ipc_import(self.out(), context.get(), &bytes), ec);
    return self;
  }
  /// Opens an event of another process in the calling thread's current context: gevt_ipc_import().
  static event ipc_import(const gevt_ipc_handle_t &bytes) { return ipc_import(gevt_context_t{}, bytes); }
  /// Like the form above, with the error in `ec`.
  static event ipc_import(const gevt_ipc_handle_t &bytes, std::error_code &ec) noexcept {
    return ipc_import(gevt_context_t{}, bytes, ec);
  }
};

/// An owner of an event with timing, which it destroys when it is destroyed itself.
/// @ingroup cpp
class timed_event : public detail::event_owner<timed_event, GEVT_EVENT_DEFAULT> {
public:
  using event_owner::event_owner;

  /// Returns the time from `start` to this event: gevt_elapsed_ns(). It is negative if `start` came later.
  std::chrono::nanoseconds since(const timed_event &start) const {
    std::int64_t ns = 0;
    detail::check(gevt_elapsed_ns(&ns, start.get(), get()));
    return std::chrono::nanoseconds(ns);
  }
  /// Like the form above, with the error in `ec`.
  std::chrono::nanoseconds since(const timed_event &start, std::error_code &ec) const noexcept {
    std::int64_t ns = 0;
    detail::check(gevt_elapsed_ns(&ns, start.get(), get()), ec);
    return std::chrono::nanoseconds(ns);
  }

  /// A time on the host's clock, and how far it may be wrong.
  struct host_time_point {
    std::chrono::nanoseconds time;  ///< Since the begin of CLOCK_MONOTONIC, as std::chrono::steady_clock on Linux.
    std::chrono::nanoseconds error; ///< Up or down.
  };
  /// Returns when the event completed, on the host's clock: gevt_host_time().
  host_time_point host_time() const {
    std::int64_t ns = 0;
    std::uint64_t error = 0;
    detail::check(gevt_host_time(&ns, &error, get()));
    return {std::chrono::nanoseconds(ns), std::chrono::nanoseconds(static_cast<std::int64_t>(error))};
  }
  /// Like the form above, with the error in `ec`.
  host_time_point host_time(std::error_code &ec) const noexcept {
    std::int64_t ns = 0;
    std::uint64_t error = 0;
    detail::check(gevt_host_time(&ns, &error, get()), ec);
    return {std::chrono::nanoseconds(ns), std::chrono::nanoseconds(static_cast<std::int64_t>(error))};
  }

  /// Returns the time from `start` to `end`, like end.since(start).
  friend std::chrono::nanoseconds operator-(const timed_event &end, const timed_event &start) {
    return end.since(start);
  }
};

template <class Self>
void detail::stream_calls<Self>::wait(event_ref event, wait_flags flags) const {
  check(gevt_stream_wait(handle(), event.get(), static_cast<std::uint32_t>(flags)));
}
template <class Self>
void detail::stream_calls<Self>::wait(event_ref event, std::error_code &ec) const noexcept {
  wait(event, wait_flags::none, ec);
}
template <class Self>
void detail::stream_calls<Self>::wait(event_ref event, wait_flags flags, std::error_code &ec) const noexcept {
  check(gevt_stream_wait(handle(), event.get(), static_cast<std::uint32_t>(flags)), ec);
}

} // namespace gevt
