/// @file gevt/event.hpp
/// Events: points in a stream that can be queried, waited for and timed.
#pragma once

#include "context.hpp"
#include "flags.hpp"
#include "handle.hpp"
#include "info.hpp"
#include "job.hpp"
#include "status.hpp"
#include "stream.hpp"
#include "timeout.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace gevt {

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
  void reset() const { check(gevt_reset(handle())); }
  /// Like the form above, with the error in `ec`.
  void reset(std::error_code &ec) const noexcept { check(gevt_reset(handle()), ec); }

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
  /// gevt_sync_helping(). Only for a thread that holds no lock that such functions may take.
  void sync_helping() const { check(gevt_sync_helping(handle(), GEVT_TIMEOUT_INFINITE)); }
  /// Like the form above, with the error in `ec`.
  void sync_helping(std::error_code &ec) const noexcept {
    check(gevt_sync_helping(handle(), GEVT_TIMEOUT_INFINITE), ec);
  }
  /// As sync_helping(), until the timeout expires; returns whether the record is complete.
  template <class Rep, class Period>
  [[nodiscard]] bool sync_helping_for(std::chrono::duration<Rep, Period> timeout) const {
    return check_unless(GEVT_ERROR_TIMEOUT, gevt_sync_helping(handle(), timeout_ns(timeout)));
  }
  /// Like the form above, with the error in `ec`.
  template <class Rep, class Period>
  [[nodiscard]] bool sync_helping_for(std::chrono::duration<Rep, Period> timeout, std::error_code &ec) const noexcept {
    return check_unless(GEVT_ERROR_TIMEOUT, gevt_sync_helping(handle(), timeout_ns(timeout)), ec);
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
  /// Calls `work(status)` once, when the last record completes or fails: gevt_on_complete().
  ///
  /// `work` takes a gevt_status_t. It is copied or moved, once, and destroyed after the call, or by this call if it fails; in that case it
  /// is not called. It is not destroyed if the process exits before the call. An exception that leaves `work` ends the program.
  template <class Work, class = std::enable_if_t<std::is_invocable_v<std::decay_t<Work> &, gevt_status_t>>>
  void on_complete(Work &&work) const {
    using packed = completion<std::decay_t<Work>>;
    check(begin<packed>(packed::pack(std::forward<Work>(work))));
  }
  /// Like the form above, with the error in `ec`.
  template <class Work, class = std::enable_if_t<std::is_invocable_v<std::decay_t<Work> &, gevt_status_t>>>
  void on_complete(Work &&work, std::error_code &ec) const noexcept {
    using packed = completion<std::decay_t<Work>>;
    void *user = nullptr;
    const bool is_packed = packed::pack(std::forward<Work>(work), user, std::nothrow);
    check(is_packed ? begin<packed>(user) : GEVT_ERROR_OUT_OF_MEMORY, ec);
  }

  /// Names the event: gevt_set_name(). NULL or an empty string removes the name.
  void set_name(const char *name) const { check(gevt_set_name(handle(), name)); }
  /// Like the form above, with the error in `ec`.
  void set_name(const char *name, std::error_code &ec) const noexcept { check(gevt_set_name(handle(), name), ec); }

  /// Returns a description of the event and its state: gevt_get_info().
  [[nodiscard]] event_info info() const {
    event_info info;
    check(gevt_get_info(info.out(), handle()));
    return info;
  }
  /// Like the form above, with the error in `ec`.
  [[nodiscard]] event_info info(std::error_code &ec) const noexcept {
    event_info info;
    check(gevt_get_info(info.out(), handle()), ec);
    return info;
  }

  /// Returns the bytes with which other processes can open the event: gevt_ipc_export(). The event must have been created with
  /// event_flags::interprocess.
  [[nodiscard]] gevt_ipc_handle_t ipc_export() const {
    gevt_ipc_handle_t bytes = {};
    check(gevt_ipc_export(&bytes, handle()));
    return bytes;
  }
  /// Like the form above, with the error in `ec`.
  [[nodiscard]] gevt_ipc_handle_t ipc_export(std::error_code &ec) const noexcept {
    gevt_ipc_handle_t bytes = {};
    check(gevt_ipc_export(&bytes, handle()), ec);
    return bytes;
  }

  /// Returns the CUevent, which belongs to the event: gevt_native().
  [[nodiscard]] void *native_handle() const {
    void *native = nullptr;
    check(gevt_native(&native, handle()));
    return native;
  }
  /// Like the form above, with the error in `ec`.
  [[nodiscard]] void *native_handle(std::error_code &ec) const noexcept {
    void *native = nullptr;
    check(gevt_native(&native, handle()), ec);
    return native;
  }

private:
  gevt_event_t handle() const noexcept { return static_cast<const Self *>(this)->get(); }
  template <class Completion>
  gevt_status_t begin(void *user) const noexcept {
    const gevt_status_t status = gevt_on_complete(handle(), Completion::run, user);
    if (status != GEVT_SUCCESS) Completion::drop(user);
    return status;
  }
};

} // namespace detail

/// The clock of gevt's times on the host: std::chrono::steady_clock where both are CLOCK_MONOTONIC.
/// @ingroup cpp
#ifdef __linux__
using host_clock = std::chrono::steady_clock;
#else
struct host_clock {
  using duration = std::chrono::nanoseconds;              ///< Nanoseconds.
  using rep = duration::rep;                              ///< Their number.
  using period = duration::period;                        ///< One in 10^9 of a second.
  using time_point = std::chrono::time_point<host_clock>; ///< A time on this clock.
  static constexpr bool is_steady = true;                 ///< It never goes back.
};
#endif

/// A time on the host's clock, and how far it may be wrong.
/// @ingroup cpp
struct host_time_point {
  host_clock::time_point time;    ///< The time.
  std::chrono::nanoseconds error; ///< Up or down.
};

class timed_event_ref;

namespace detail {

/// The functions that timed_event and timed_event_ref share.
template <class Self>
class timed_calls {
public:
  /// Returns the time from `start` to this event: gevt_elapsed_ns(). It is negative if `start` came later.
  [[nodiscard]] std::chrono::nanoseconds since(timed_event_ref start) const;
  /// Like the form above, with the error in `ec`.
  [[nodiscard]] std::chrono::nanoseconds since(timed_event_ref start, std::error_code &ec) const noexcept;

  /// Returns when the event completed, on the host's clock: gevt_host_time().
  [[nodiscard]] host_time_point host_time() const {
    std::int64_t ns = 0;
    std::uint64_t error = 0;
    check(gevt_host_time(&ns, &error, handle()));
    return point(ns, error);
  }
  /// Like the form above, with the error in `ec`.
  [[nodiscard]] host_time_point host_time(std::error_code &ec) const noexcept {
    std::int64_t ns = 0;
    std::uint64_t error = 0;
    check(gevt_host_time(&ns, &error, handle()), ec);
    return point(ns, error);
  }

private:
  gevt_event_t handle() const noexcept { return static_cast<const Self *>(this)->get(); }
  static host_time_point point(std::int64_t ns, std::uint64_t error) noexcept {
    const auto time = std::chrono::duration_cast<host_clock::duration>(std::chrono::nanoseconds(ns));
    return {host_clock::time_point(time), std::chrono::nanoseconds(static_cast<std::int64_t>(error))};
  }
};

} // namespace detail

/// A reference to an event that another object owns.
/// @ingroup cpp
class event_ref : public detail::reference<gevt_event_t>, public detail::event_calls<event_ref> {
public:
  using reference::reference;
};

/// A reference to an event with timing that another object owns.
/// @ingroup cpp
class timed_event_ref : public detail::reference<gevt_event_t>,
                        public detail::event_calls<timed_event_ref>,
                        public detail::timed_calls<timed_event_ref> {
public:
  using reference::reference;
  /// Converts to a reference to any event.
  operator event_ref() const noexcept { return get(); }
};

template <class Self>
std::chrono::nanoseconds detail::timed_calls<Self>::since(timed_event_ref start) const {
  std::int64_t ns = 0;
  check(gevt_elapsed_ns(&ns, start.get(), handle()));
  return std::chrono::nanoseconds(ns);
}
template <class Self>
std::chrono::nanoseconds detail::timed_calls<Self>::since(timed_event_ref start, std::error_code &ec) const noexcept {
  std::int64_t ns = 0;
  check(gevt_elapsed_ns(&ns, start.get(), handle()), ec);
  return std::chrono::nanoseconds(ns);
}

/// Returns the time from `start` to `end`, like end.since(start).
/// @ingroup cpp
[[nodiscard]] inline std::chrono::nanoseconds operator-(timed_event_ref end, timed_event_ref start) {
  return end.since(start);
}

namespace detail {

/// The members that event and timed_event share. `always` is the flag in which they differ.
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

  /// Returns a handle for a CUevent of the context, which the caller still owns: gevt_wrap(). `flags` are those with which it was
  /// created.
  [[nodiscard]] static Self wrap(context_ref context, void *native, event_flags flags = event_flags::none) {
    Self self = base::none();
    check(gevt_wrap(self.out(), context.get(), native, bits(flags)));
    return self;
  }
  /// Like the form above, with the error in `ec`.
  [[nodiscard]] static Self wrap(context_ref context, void *native, event_flags flags, std::error_code &ec) noexcept {
    Self self = base::none();
    check(gevt_wrap(self.out(), context.get(), native, bits(flags)), ec);
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
  [[nodiscard]] static event ipc_import(context_ref context, const gevt_ipc_handle_t &bytes) {
    event self = none();
    detail::check(gevt_ipc_import(self.out(), context.get(), &bytes));
    return self;
  }
  /// Like the form above, with the error in `ec`.
  [[nodiscard]] static event ipc_import(context_ref context, const gevt_ipc_handle_t &bytes,
                                        std::error_code &ec) noexcept {
    event self = none();
    detail::check(gevt_ipc_import(self.out(), context.get(), &bytes), ec);
    return self;
  }
  /// Opens an event of another process in the calling thread's current context: gevt_ipc_import().
  [[nodiscard]] static event ipc_import(const gevt_ipc_handle_t &bytes) { return ipc_import(gevt_context_t{}, bytes); }
  /// Like the form above, with the error in `ec`.
  [[nodiscard]] static event ipc_import(const gevt_ipc_handle_t &bytes, std::error_code &ec) noexcept {
    return ipc_import(gevt_context_t{}, bytes, ec);
  }
};

/// An owner of an event with timing, which it destroys when it is destroyed itself.
/// @ingroup cpp
class timed_event : public detail::event_owner<timed_event, GEVT_EVENT_DEFAULT>,
                    public detail::timed_calls<timed_event> {
public:
  using event_owner::event_owner;

  /// Converts to a reference.
  operator timed_event_ref() const noexcept { return get(); }
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
