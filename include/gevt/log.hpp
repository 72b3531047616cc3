/// @file gevt/log.hpp
/// The log: functions that receive messages about failures and choices of gevt.
#pragma once

#include "status.hpp"

#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

namespace gevt {

/// The importance of a log message.
/// @ingroup cpp
enum class log_level : gevt_log_level_t {
  off = GEVT_LOG_OFF,     ///< No messages.
  error = GEVT_LOG_ERROR, ///< A context was lost, or gevt caught a bug of its own.
  warn = GEVT_LOG_WARN,   ///< A call failed, or a trace is incomplete.
  info = GEVT_LOG_INFO,   ///< What gevt chose or started.
};

/// Adds a log callback, changes its level, or removes it: gevt_set_log_callback(). See gevt::log_sink for callables.
/// @ingroup cpp
inline void set_log_callback(gevt_log_fn_t fn, void *user, log_level level) {
  detail::check(gevt_set_log_callback(fn, user, static_cast<gevt_log_level_t>(level)));
}
/// Like the form above, with the error in `ec`.
/// @ingroup cpp
inline void set_log_callback(gevt_log_fn_t fn, void *user, log_level level, std::error_code &ec) noexcept {
  detail::check(gevt_set_log_callback(fn, user, static_cast<gevt_log_level_t>(level)), ec);
}

/// An owner of a log callback, which it removes when it is destroyed. A process can have any number of them.
///
/// @code{.cpp}
/// const gevt::log_sink sink(gevt::log_level::warn, [](gevt::log_level, std::string_view message) { std::clog << message << '\n'; });
/// @endcode
/// @ingroup cpp
class log_sink {
  template <class Fn>
  using callable = std::enable_if_t<std::is_invocable_v<std::decay_t<Fn> &, log_level, std::string_view> &&
                                    std::is_constructible_v<std::decay_t<Fn>, Fn>>;

public:
  /// Calls `fn` with messages as important as `level` or more so. `fn` is copied or moved. It may run on several threads in parallel; an
  /// exception that leaves it ends the program. It must not destroy its own sink.
  template <class Fn, class = callable<Fn>>
  log_sink(log_level level, Fn &&fn) : log_sink(new std::decay_t<Fn>(std::forward<Fn>(fn))) {
    const gevt_status_t status = set(level);
    if (status == GEVT_SUCCESS) return;
    drop();
    detail::fail(status);
  }
  /// Like the form above, with the error in `ec`; owns nothing then.
  template <class Fn, class = callable<Fn>>
  log_sink(log_level level, Fn &&fn, std::error_code &ec) noexcept
      : log_sink(new (std::nothrow) std::decay_t<Fn>(std::forward<Fn>(fn))) {
    const gevt_status_t status = user_ != nullptr ? set(level) : GEVT_ERROR_OUT_OF_MEMORY;
    if (status != GEVT_SUCCESS) drop();
    detail::check(status, ec);
  }
  /// Takes over the callback of another sink, which then owns nothing.
  log_sink(log_sink &&other) noexcept
      : user_(std::exchange(other.user_, nullptr)), call_(other.call_), delete_(other.delete_) {}
  /// Removes the own callback and takes over that of another sink.
  log_sink &operator=(log_sink &&other) noexcept {
    log_sink taken(std::move(other));
    std::swap(user_, taken.user_);
    std::swap(call_, taken.call_);
    std::swap(delete_, taken.delete_);
    return *this;
  }
  /// Removes the callback. Blocks until no thread is inside of it.
  ~log_sink() { destroy(); }

  /// Returns whether there is a callback.
  explicit operator bool() const noexcept { return user_ != nullptr; }
  /// Removes the callback now.
  void destroy() noexcept {
    // While the process exits, and in a forked child, a thread may still be inside: the callable is left alone.
    if (user_ != nullptr && set(log_level::off) == GEVT_SUCCESS) drop();
    user_ = nullptr;
  }

private:
  template <class Fn>
  explicit log_sink(Fn *fn) noexcept
      : user_(fn), call_(call<Fn>), delete_([](void *user) { delete static_cast<Fn *>(user); }) {}
  template <class Fn>
  static void call(void *user, gevt_log_level_t level, const char *message) noexcept {
    static_cast<void>((*static_cast<Fn *>(user))(log_level{level}, std::string_view(message)));
  }
  gevt_status_t set(log_level level) const noexcept {
    return gevt_set_log_callback(call_, user_, static_cast<gevt_log_level_t>(level));
  }
  void drop() noexcept {
    if (user_ != nullptr) delete_(std::exchange(user_, nullptr));
  }

  void *user_;
  gevt_log_fn_t call_;
  void (*delete_)(void *user);
};

} // namespace gevt
