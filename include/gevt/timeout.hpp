/// @file gevt/timeout.hpp
/// Durations of std::chrono as timeouts of gevt.h.
#pragma once

#include "../gevt.h"

#include <chrono>
#include <cstdint>
#include <limits>
#include <ratio>
#include <type_traits>

namespace gevt::detail {

/// Returns a duration in nanoseconds. Fractions are rounded up, because a short wait must not become a poll. A negative
/// duration is 0; one that does not fit, and the longest value of its own type, is GEVT_TIMEOUT_INFINITE.
template <class Rep, class Period>
constexpr std::uint64_t timeout_ns(std::chrono::duration<Rep, Period> timeout) noexcept {
  using duration = std::chrono::duration<Rep, Period>;
  constexpr bool has_ratio = Period::num <= std::numeric_limits<std::intmax_t>::max() / std::nano::den;
  using ratio = std::ratio_divide<std::conditional_t<has_ratio, Period, std::ratio<1>>, std::nano>;
  constexpr std::uint64_t num = ratio::num, den = ratio::den, most = GEVT_TIMEOUT_INFINITE;
  if (!(timeout > duration::zero())) return 0;
  if (timeout >= duration::max()) return GEVT_TIMEOUT_INFINITE;
  if constexpr (std::is_integral_v<Rep> && sizeof(Rep) <= sizeof num && has_ratio && num <= most / den) {
    const auto count = static_cast<std::uint64_t>(timeout.count());
    const std::uint64_t rest = count % den * num;
    const std::uint64_t part = rest / den + (rest % den != 0);
    return count / den > (most - part) / num ? most : count / den * num + part;
  } else {
    const long double ns = static_cast<long double>(timeout.count()) * Period::num / Period::den * std::nano::den;
    if (ns >= static_cast<long double>(most)) return most;
    const auto whole = static_cast<std::uint64_t>(ns);
    return whole + (static_cast<long double>(whole) < ns);
  }
}

} // namespace gevt::detail
