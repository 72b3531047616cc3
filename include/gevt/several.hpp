// Waiting for several events at once. Lists are given as {a, b, c}, or as an array of handles and its length.
#pragma once

#include "event.hpp"

#include <optional>

namespace gevt {

namespace detail {

template <std::size_t N>
struct handles {
  explicit handles(const event_ref (&events)[N]) noexcept {
    for (std::size_t i = 0; i < N; i++) array[i] = events[i].get();
  }
  gevt_event_t array[N];
};

} // namespace detail

// Waits until all of the events are done, for the timeout at the most, and tells whether they are.
template <class Rep, class Period>
[[nodiscard]] bool sync_all_for(const gevt_event_t *events, std::size_t n, std::chrono::duration<Rep, Period> timeout) {
  return detail::check_unless(GEVT_ERROR_TIMEOUT, gevt_sync_all(events, n, detail::timeout_ns(timeout)));
}
template <class Rep, class Period>
[[nodiscard]] bool sync_all_for(const gevt_event_t *events, std::size_t n, std::chrono::duration<Rep, Period> timeout,
                                std::error_code &ec) noexcept {
  return detail::check_unless(GEVT_ERROR_TIMEOUT, gevt_sync_all(events, n, detail::timeout_ns(timeout)), ec);
}
template <std::size_t N, class Rep, class Period>
[[nodiscard]] bool sync_all_for(const event_ref (&events)[N], std::chrono::duration<Rep, Period> timeout) {
  return sync_all_for(detail::handles(events).array, N, timeout);
}
template <std::size_t N, class Rep, class Period>
[[nodiscard]] bool sync_all_for(const event_ref (&events)[N], std::chrono::duration<Rep, Period> timeout,
                                std::error_code &ec) noexcept {
  return sync_all_for(detail::handles(events).array, N, timeout, ec);
}

// Waits until one of the events is done, for the timeout at the most. Tells the place of the first that is; nothing where
// none is.
template <class Rep, class Period>
[[nodiscard]] std::optional<std::size_t> sync_any_for(const gevt_event_t *events, std::size_t n,
                                                      std::chrono::duration<Rep, Period> timeout) {
  std::size_t index = 0;
  const gevt_status_t status = gevt_sync_any(&index, events, n, detail::timeout_ns(timeout));
  return detail::check_unless(GEVT_ERROR_TIMEOUT, status) ? std::optional(index) : std::nullopt;
}
template <class Rep, class Period>
[[nodiscard]] std::optional<std::size_t> sync_any_for(const gevt_event_t *events, std::size_t n,
                                                      std::chrono::duration<Rep, Period> timeout,
                                                      std::error_code &ec) noexcept {
  std::size_t index = 0;
  const gevt_status_t status = gevt_sync_any(&index, events, n, detail::timeout_ns(timeout));
  return detail::check_unless(GEVT_ERROR_TIMEOUT, status, ec) ? std::optional(index) : std::nullopt;
}
template <std::size_t N, class Rep, class Period>
[[nodiscard]] std::optional<std::size_t> sync_any_for(const event_ref (&events)[N],
                                                      std::chrono::duration<Rep, Period> timeout) {
  return sync_any_for(detail::handles(events).array, N, timeout);
}
template <std::size_t N, class Rep, class Period>
[[nodiscard]] std::optional<std::size_t>
sync_any_for(const event_ref (&events)[N], std::chrono::duration<Rep, Period> timeout, std::error_code &ec) noexcept {
  return sync_any_for(detail::handles(events).array, N, timeout, ec);
}

} // namespace gevt
