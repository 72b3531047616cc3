/// @file gevt/status.hpp
/// Statuses of gevt.h as std::error_code, and the exception.
#pragma once

#if __cplusplus < 201703L
#error "gevt.hpp needs C++17"
#endif

#include "../gevt.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>
#include <type_traits>

namespace gevt {

/// A status of gevt.h. Codes without a name here, such as those of a newer driver, are valid values.
/// @ingroup cpp
enum class errc : gevt_status_t {
  /// The call succeeded.
  success = GEVT_SUCCESS,
  /// An argument is out of range, or a required pointer is NULL.
  invalid_value = GEVT_ERROR_INVALID_VALUE,
  /// Memory, threads, handles or file descriptors have run out.
  out_of_memory = GEVT_ERROR_OUT_OF_MEMORY,
  /// The call was made in a forked child.
  not_initialized = GEVT_ERROR_NOT_INITIALIZED,
  /// The process is exiting.
  deinitialized = GEVT_ERROR_DEINITIALIZED,
  /// The backend has no driver or no device.
  no_device = GEVT_ERROR_NO_DEVICE,
  /// The backend has no device with this number.
  invalid_device = GEVT_ERROR_INVALID_DEVICE,
  /// The context cannot be used for this call.
  invalid_context = GEVT_ERROR_INVALID_CONTEXT,
  /// The bytes are not those of an event that can be opened.
  map_failed = GEVT_ERROR_MAP_FAILED,
  /// A system call failed.
  operating_system = GEVT_ERROR_OPERATING_SYSTEM,
  /// A handle is NULL, stale or of the wrong kind, or does not fit the other arguments.
  invalid_handle = GEVT_ERROR_INVALID_HANDLE,
  /// The object is not in a state that allows the call.
  illegal_state = GEVT_ERROR_ILLEGAL_STATE,
  /// The work has not finished yet.
  not_ready = GEVT_ERROR_NOT_READY,
  /// The context was destroyed by its owner, or the process that made the last record has ended.
  context_is_destroyed = GEVT_ERROR_CONTEXT_IS_DESTROYED,
  /// Work on the device failed, or the device was lost: the context cannot recover.
  launch_failed = GEVT_ERROR_LAUNCH_FAILED,
  /// The backend does not support this.
  not_supported = GEVT_ERROR_NOT_SUPPORTED,
  /// The call is not allowed while a stream is being captured.
  stream_capture_unsupported = GEVT_ERROR_STREAM_CAPTURE_UNSUPPORTED,
  /// An earlier error invalidated the capture of the stream.
  stream_capture_invalidated = GEVT_ERROR_STREAM_CAPTURE_INVALIDATED,
  /// The call would merge two captures.
  stream_capture_merge = GEVT_ERROR_STREAM_CAPTURE_MERGE,
  /// The capture was not started on this stream.
  stream_capture_unmatched = GEVT_ERROR_STREAM_CAPTURE_UNMATCHED,
  /// The capture has work that was not joined to the stream on which it was started.
  stream_capture_unjoined = GEVT_ERROR_STREAM_CAPTURE_UNJOINED,
  /// A captured stream would depend on work outside the capture.
  stream_capture_isolation = GEVT_ERROR_STREAM_CAPTURE_ISOLATION,
  /// The call would make a captured stream depend on the default stream.
  stream_capture_implicit = GEVT_ERROR_STREAM_CAPTURE_IMPLICIT,
  /// The event was last recorded in a capture.
  captured_event = GEVT_ERROR_CAPTURED_EVENT,
  /// The capture was started by another thread.
  stream_capture_wrong_thread = GEVT_ERROR_STREAM_CAPTURE_WRONG_THREAD,
  /// The timeout expired before the work finished.
  timeout = GEVT_ERROR_TIMEOUT,
  /// The cause is unknown.
  unknown = GEVT_ERROR_UNKNOWN,
};

namespace detail {

/// The category of statuses. It has default visibility, because all libraries of a process must share one.
class __attribute__((visibility("default"))) status_category final : public std::error_category {
public:
  /// Returns "gevt".
  const char *name() const noexcept override { return "gevt"; }
  /// Returns gevt_status_string().
  std::string message(int status) const override { return gevt_status_string(status); }
  /// Returns the std::errc of a status that has one.
  std::error_condition default_error_condition(int status) const noexcept override {
    switch (errc{status}) {
    case errc::invalid_value:
      return std::errc::invalid_argument;
    case errc::out_of_memory:
      return std::errc::not_enough_memory;
    case errc::no_device:
    case errc::invalid_device:
      return std::errc::no_such_device;
    case errc::not_ready:
      return std::errc::resource_unavailable_try_again;
    case errc::not_supported:
      return std::errc::not_supported;
    case errc::timeout:
      return std::errc::timed_out;
    default:
      return {status, *this};
    }
  }
};

/// Initialized by the compiler and never destroyed: error codes may be compared and printed while a process exits.
union __attribute__((visibility("default"))) immortal_category {
  status_category value; ///< The category.
  /// Makes the category.
  constexpr immortal_category() noexcept : value() {}
  /// Does nothing.
  ~immortal_category() {}
};

/// The category of a process.
__attribute__((visibility("default"))) inline immortal_category the_category;

} // namespace detail

/// Returns the category of error codes whose values are statuses.
/// @ingroup cpp
inline const std::error_category &category() noexcept {
  return detail::the_category.value;
}

/// Returns a status as a std::error_code.
/// @ingroup cpp
inline std::error_code make_error_code(errc status) noexcept {
  return {static_cast<int>(status), category()};
}

} // namespace gevt

/// @cond
template <>
struct std::is_error_code_enum<gevt::errc> : std::true_type {};
/// @endcond

namespace gevt {

/// The exception of the throwing forms. what() has the text of gevt_last_message() and the meaning of the status.
/// @ingroup cpp
class __attribute__((visibility("default"))) error : public std::system_error {
public:
  /// Makes the exception for a status, its detail and a message.
  error(errc status, gevt_detail_t cause, const char *message) : system_error(status, message), detail_(cause) {}

  /// Returns the cause behind the status: one of the GEVT_DETAIL_... values.
  gevt_detail_t detail() const noexcept { return detail_; }

private:
  gevt_detail_t detail_;
};

namespace detail {

/// Throws the error of a failed call. Without exceptions it prints the message and ends the program.
[[noreturn, gnu::cold, gnu::noinline]] inline void fail(gevt_status_t status) {
  // NOT_READY does not set a message: the last one belongs to another call.
#if defined(__cpp_exceptions)
  if (status == GEVT_ERROR_NOT_READY) throw error(errc{status}, GEVT_DETAIL_NONE, "gevt");
  throw error(errc{status}, gevt_last_detail(), gevt_last_message());
#else
  std::fprintf(stderr, "%s\n", status == GEVT_ERROR_NOT_READY ? "gevt: not ready" : gevt_last_message());
  std::abort();
#endif
}

/// Throws unless a call succeeded.
inline void check(gevt_status_t status) {
  if (status != GEVT_SUCCESS) fail(status);
}

/// Sets or clears `ec`.
inline void check(gevt_status_t status, std::error_code &ec) noexcept {
  ec = errc{status};
}

/// Returns true for success and false for the status `no`; throws any other one.
inline bool check_unless(gevt_status_t no, gevt_status_t status) {
  if (status == GEVT_SUCCESS) return true;
  if (status != no) fail(status);
  return false;
}

/// Returns true for success; sets `ec` unless the status is `no`.
inline bool check_unless(gevt_status_t no, gevt_status_t status, std::error_code &ec) noexcept {
  check(status == no ? GEVT_SUCCESS : status, ec);
  return status == GEVT_SUCCESS;
}

} // namespace detail

} // namespace gevt
