/// @file gevt/log.hpp
/// The log: a function that receives messages about failures and about what gevt chooses.
#pragma once

#include "status.hpp"

namespace gevt {

/// The importance of a log message.
/// @ingroup cpp
enum class log_level : gevt_log_level_t {
  off = GEVT_LOG_OFF,     ///< No messages.
  error = GEVT_LOG_ERROR, ///< A context was lost, or gevt caught a bug of its own.
  warn = GEVT_LOG_WARN,   ///< A call failed, or a trace is incomplete.
  info = GEVT_LOG_INFO,   ///< What gevt chose or started.
};

/// Sets the function that receives log messages as important as `level` or more so: gevt_set_log_callback().
/// @ingroup cpp
inline void set_log_callback(gevt_log_fn_t fn, void *user, log_level level) {
  detail::check(gevt_set_log_callback(fn, user, static_cast<gevt_log_level_t>(level)));
}
/// Like the form above, with the error in `ec`.
/// @ingroup cpp
inline void set_log_callback(gevt_log_fn_t fn, void *user, log_level level, std::error_code &ec) noexcept {
  detail::check(gevt_set_log_callback(fn, user, static_cast<gevt_log_level_t>(level)), ec);
}

} // namespace gevt
