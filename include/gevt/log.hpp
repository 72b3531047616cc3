// The log: a function that is told of failures and of what gevt chooses.
#pragma once

#include "status.hpp"

namespace gevt {

enum class log_level : gevt_log_level_t {
  off = GEVT_LOG_OFF,
  error = GEVT_LOG_ERROR,
  warn = GEVT_LOG_WARN,
  info = GEVT_LOG_INFO,
};

// Sets fn(user, level, message) in place of those before, which nothing calls any more once this returns. NULL ends the
// log.
inline void set_log_callback(gevt_log_fn_t fn, void *user, log_level level) {
  detail::check(gevt_set_log_callback(fn, user, static_cast<gevt_log_level_t>(level)));
}
inline void set_log_callback(gevt_log_fn_t fn, void *user, log_level level, std::error_code &ec) noexcept {
  detail::check(gevt_set_log_callback(fn, user, static_cast<gevt_log_level_t>(level)), ec);
}

} // namespace gevt
