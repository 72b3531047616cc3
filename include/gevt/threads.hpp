/// @file gevt/threads.hpp
/// How many functions run at once on gevt's threads.
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

} // namespace gevt
