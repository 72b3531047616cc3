// A status of gevt.h as a std::error_code, and the exception.
#pragma once

#include "../gevt.h"

#include <string>
#include <system_error>
#include <type_traits>

namespace gevt {

// A status of gevt.h. Every number is a value of it: one that has no name here passes through unchanged.
enum class errc : gevt_status_t {
  success = GEVT_SUCCESS,
  invalid_value = GEVT_ERROR_INVALID_VALUE,
  out_of_memory = GEVT_ERROR_OUT_OF_MEMORY,
  not_initialized = GEVT_ERROR_NOT_INITIALIZED,
  deinitialized = GEVT_ERROR_DEINITIALIZED,
  no_device = GEVT_ERROR_NO_DEVICE,
  invalid_device = GEVT_ERROR_INVALID_DEVICE,
  invalid_context = GEVT_ERROR_INVALID_CONTEXT,
  map_failed = GEVT_ERROR_MAP_FAILED,
  operating_system = GEVT_ERROR_OPERATING_SYSTEM,
  invalid_handle = GEVT_ERROR_INVALID_HANDLE,
  illegal_state = GEVT_ERROR_ILLEGAL_STATE,
  not_ready = GEVT_ERROR_NOT_READY,
  context_is_destroyed = GEVT_ERROR_CONTEXT_IS_DESTROYED,
  not_supported = GEVT_ERROR_NOT_SUPPORTED,
  stream_capture_unsupported = GEVT_ERROR_STREAM_CAPTURE_UNSUPPORTED,
  stream_capture_invalidated = GEVT_ERROR_STREAM_CAPTURE_INVALIDATED,
  stream_capture_merge = GEVT_ERROR_STREAM_CAPTURE_MERGE,
  stream_capture_unmatched = GEVT_ERROR_STREAM_CAPTURE_UNMATCHED,
  stream_capture_unjoined = GEVT_ERROR_STREAM_CAPTURE_UNJOINED,
  stream_capture_isolation = GEVT_ERROR_STREAM_CAPTURE_ISOLATION,
  stream_capture_implicit = GEVT_ERROR_STREAM_CAPTURE_IMPLICIT,
  captured_event = GEVT_ERROR_CAPTURED_EVENT,
  stream_capture_wrong_thread = GEVT_ERROR_STREAM_CAPTURE_WRONG_THREAD,
  timeout = GEVT_ERROR_TIMEOUT,
  unknown = GEVT_ERROR_UNKNOWN,
};

namespace detail {

// Visible from every library of a process, so that all of them have one category.
class [[gnu::visibility("default")]] status_category final
    : public std::error_category{public : const char * name() const noexcept override{return "gevt";
}
std::string message(int status) const override {
  return gevt_status_string(status);
}
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

// Initialized by the compiler and never torn down: error codes may be compared and printed while a process exits.
union [[gnu::visibility("default")]] immortal_category {
  status_category value;
  constexpr immortal_category() noexcept : value() {}
  ~immortal_category() {}
};

[[gnu::visibility("default")]] inline immortal_category the_category;

} // namespace detail

// The category of the error codes whose values are statuses.
inline const std::error_category &category() noexcept {
  return detail::the_category.value;
}

inline std::error_code make_error_code(errc status) noexcept {
  return {static_cast<int>(status), category()};
}

} // namespace gevt

template <>
struct std::is_error_code_enum<gevt::errc> : std::true_type {};

namespace gevt {

// What the throwing forms throw. what() has gevt_last_message() of the failed call and the meaning of the status.
class [[gnu::visibility("default")]] error : public std::system_error {
public:
  error(errc status, gevt_detail_t cause, const char *message) : system_error(status, message), detail_(cause) {}

  // The GEVT_DETAIL_... that tells the causes of one status apart.
  gevt_detail_t detail() const noexcept {
    return detail_;
  }

private:
  gevt_detail_t detail_;
};

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void fail(gevt_status_t status) {
  // This answer leaves the last message alone, which is then another call's.
  if (status == GEVT_ERROR_NOT_READY) throw error(errc{status}, GEVT_DETAIL_NONE, "gevt");
  throw error(errc{status}, gevt_last_detail(), gevt_last_message());
}

inline void check(gevt_status_t status) {
  if (status != GEVT_SUCCESS) fail(status);
}

inline void check(gevt_status_t status, std::error_code &ec) noexcept {
  ec = errc{status};
}

// For calls where one status says no.
inline bool check_unless(gevt_status_t no, gevt_status_t status) {
  if (status == GEVT_SUCCESS) return true;
  if (status != no) fail(status);
  return false;
}

inline bool check_unless(gevt_status_t no, gevt_status_t status, std::error_code &ec) noexcept {
  check(status == no ? GEVT_SUCCESS : status, ec);
  return status == GEVT_SUCCESS;
}

} // namespace detail

} // namespace gevt
