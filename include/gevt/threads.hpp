/// @file gevt/threads.hpp
/// The number of gevt's threads, and the program's job system instead of them.
#pragma once

#include <cstdint>

#include "status.hpp"

namespace gevt {

/// Returns how many functions gevt runs at once on its own threads: gevt_host_get_threads().
/// @ingroup cpp
[[nodiscard]] inline std::uint32_t host_threads() {
  std::uint32_t threads = 0;
  detail::check(gevt_host_get_threads(&threads));
  return threads;
}
/// Like the form above, with the error in `ec`; 0 then.
/// @ingroup cpp
[[nodiscard]] inline std::uint32_t host_threads(std::error_code &ec) noexcept {
  std::uint32_t threads = 0;
  detail::check(gevt_host_get_threads(&threads), ec);
  return threads;
}

/// Sets how many functions gevt runs at once on its own threads, 0 for the default: gevt_host_set_threads().
/// @ingroup cpp
inline void set_host_threads(std::uint32_t threads) {
  detail::check(gevt_host_set_threads(threads));
}
/// Like the form above, with the error in `ec`.
/// @ingroup cpp
inline void set_host_threads(std::uint32_t threads, std::error_code &ec) noexcept {
  detail::check(gevt_host_set_threads(threads), ec);
}

/// Sets the program's job system, which then runs functions and callbacks instead of gevt's threads: gevt_host_set_executor().
///
/// `submit(user, run, arg)` arranges that `run(arg)` is called soon on one of `threads` threads, and returns 0 if it will be. Both must
/// last until the process ends.
/// @ingroup cpp
inline void set_executor(int (*submit)(void *user, gevt_host_fn_t run, void *arg), void *user,
                         std::uint32_t threads = 0) {
  const gevt_executor_t executor{sizeof executor, user, submit, threads};
  detail::check(gevt_host_set_executor(&executor));
}
/// Like the form above, with the error in `ec`.
/// @ingroup cpp
inline void set_executor(int (*submit)(void *user, gevt_host_fn_t run, void *arg), void *user, std::uint32_t threads,
                         std::error_code &ec) noexcept {
  const gevt_executor_t executor{sizeof executor, user, submit, threads};
  detail::check(gevt_host_set_executor(&executor), ec);
}

} // namespace gevt
