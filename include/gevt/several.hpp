/// @file gevt/several.hpp
/// Waiting for several events at once.
#pragma once

#include "event.hpp"

#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace gevt {

namespace detail {

/// The handles of a list of events.
template <std::size_t N>
struct handles {
  /// Copies the handles.
  explicit handles(const event_ref (&events)[N]) noexcept {
    for (std::size_t i = 0; i < N; i++) array[i] = events[i].get();
  }
  gevt_event_t array[N]; ///< The handles.
};

/// Whether a type is a range whose elements refer to events.
template <class Range, class = void>
inline constexpr bool is_range_of_events = false;
template <class Range>
inline constexpr bool is_range_of_events<
    Range, std::enable_if_t<std::is_convertible_v<decltype(*std::begin(std::declval<const Range &>())), event_ref>>> =
    true;

/// Copies the handles of a range.
template <class Range>
std::vector<gevt_event_t> handles_of(const Range &events) {
  std::vector<gevt_event_t> handles;
  for (const auto &event : events) handles.push_back(static_cast<event_ref>(event).get());
  return handles;
}

} // namespace detail

/// Blocks until all events are complete or the timeout expires, and returns whether they are complete: gevt_sync_all().
///
/// The events are a list such as `{a, b, c}`, a range such as std::vector<gevt::event>, or an array of handles and its length.
/// The timeout is as for event::sync_for().
/// @ingroup cpp
template <class Rep, class Period>
[[nodiscard]] bool sync_all_for(const gevt_event_t *events, std::size_t n, std::chrono::duration<Rep, Period> timeout) {
  return detail::check_unless(GEVT_ERROR_TIMEOUT, gevt_sync_all(events, n, detail::timeout_ns(timeout)));
}
/// Like the first form.
/// @ingroup cpp
template <class Rep, class Period>
[[nodiscard]] bool sync_all_for(const gevt_event_t *events, std::size_t n, std::chrono::duration<Rep, Period> timeout,
                                std::error_code &ec) noexcept {
  return detail::check_unless(GEVT_ERROR_TIMEOUT, gevt_sync_all(events, n, detail::timeout_ns(timeout)), ec);
}
/// Like the first form.
/// @ingroup cpp
template <std::size_t N, class Rep, class Period>
[[nodiscard]] bool sync_all_for(const event_ref (&events)[N], std::chrono::duration<Rep, Period> timeout) {
  return sync_all_for(detail::handles(events).array, N, timeout);
}
/// Like the first form.
/// @ingroup cpp
template <std::size_t N, class Rep, class Period>
[[nodiscard]] bool sync_all_for(const event_ref (&events)[N], std::chrono::duration<Rep, Period> timeout,
                                std::error_code &ec) noexcept {
  return sync_all_for(detail::handles(events).array, N, timeout, ec);
}
/// Like the first form, for a range of events or references. Allocates a copy of the handles.
/// @ingroup cpp
template <class Range, class Rep, class Period, class = std::enable_if_t<detail::is_range_of_events<Range>>>
[[nodiscard]] bool sync_all_for(const Range &events, std::chrono::duration<Rep, Period> timeout) {
  const std::vector<gevt_event_t> handles = detail::handles_of(events);
  return sync_all_for(handles.data(), handles.size(), timeout);
}
/// Like the form above, with the error in `ec`.
/// @ingroup cpp
template <class Range, class Rep, class Period, class = std::enable_if_t<detail::is_range_of_events<Range>>>
[[nodiscard]] bool sync_all_for(const Range &events, std::chrono::duration<Rep, Period> timeout, std::error_code &ec) {
  const std::vector<gevt_event_t> handles = detail::handles_of(events);
  return sync_all_for(handles.data(), handles.size(), timeout, ec);
}

/// Blocks until one of the events is complete or the timeout expires: gevt_sync_any(). Returns the position of the first event
/// that is complete, or nothing. If an event failed, the forms with `ec` return its position.
///
/// The events are a list such as `{a, b, c}`, a range such as std::vector<gevt::event>, or an array of handles and its length.
/// The timeout is as for event::sync_for().
/// @ingroup cpp
template <class Rep, class Period>
[[nodiscard]] std::optional<std::size_t> sync_any_for(const gevt_event_t *events, std::size_t n,
                                                      std::chrono::duration<Rep, Period> timeout) {
  std::size_t index = 0;
  const gevt_status_t status = gevt_sync_any(&index, events, n, detail::timeout_ns(timeout));
  return detail::check_unless(GEVT_ERROR_TIMEOUT, status) ? std::optional(index) : std::nullopt;
}
/// Like the first form.
/// @ingroup cpp
template <class Rep, class Period>
[[nodiscard]] std::optional<std::size_t> sync_any_for(const gevt_event_t *events, std::size_t n,
                                                      std::chrono::duration<Rep, Period> timeout,
                                                      std::error_code &ec) noexcept {
  std::size_t index = n;
  const gevt_status_t status = gevt_sync_any(&index, events, n, detail::timeout_ns(timeout));
  static_cast<void>(detail::check_unless(GEVT_ERROR_TIMEOUT, status, ec));
  return index < n ? std::optional(index) : std::nullopt;
}
/// Like the first form.
/// @ingroup cpp
template <std::size_t N, class Rep, class Period>
[[nodiscard]] std::optional<std::size_t> sync_any_for(const event_ref (&events)[N],
                                                      std::chrono::duration<Rep, Period> timeout) {
  return sync_any_for(detail::handles(events).array, N, timeout);
}
/// Like the first form.
/// @ingroup cpp
template <std::size_t N, class Rep, class Period>
[[nodiscard]] std::optional<std::size_t>
sync_any_for(const event_ref (&events)[N], std::chrono::duration<Rep, Period> timeout, std::error_code &ec) noexcept {
  return sync_any_for(detail::handles(events).array, N, timeout, ec);
}
/// Like the first form, for a range of events or references. Allocates a copy of the handles.
/// @ingroup cpp
template <class Range, class Rep, class Period, class = std::enable_if_t<detail::is_range_of_events<Range>>>
[[nodiscard]] std::optional<std::size_t> sync_any_for(const Range &events, std::chrono::duration<Rep, Period> timeout) {
  const std::vector<gevt_event_t> handles = detail::handles_of(events);
  return sync_any_for(handles.data(), handles.size(), timeout);
}
/// Like the form above, with the error in `ec`.
/// @ingroup cpp
template <class Range, class Rep, class Period, class = std::enable_if_t<detail::is_range_of_events<Range>>>
[[nodiscard]] std::optional<std::size_t> sync_any_for(const Range &events, std::chrono::duration<Rep, Period> timeout,
                                                      std::error_code &ec) {
  const std::vector<gevt_event_t> handles = detail::handles_of(events);
  return sync_any_for(handles.data(), handles.size(), timeout, ec);
}

} // namespace gevt
