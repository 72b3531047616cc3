/// @file gevt/flags.hpp
/// Backends and flags.
#pragma once

#include "status.hpp"

#include <cstdint>

namespace gevt {

/// A backend.
/// @ingroup cpp
enum class backend : gevt_backend_t {
  automatic = GEVT_BACKEND_AUTO, ///< CUDA if there is a driver and a device, else the host; see GEVT_BACKEND_AUTO.
  host = GEVT_BACKEND_HOST,      ///< Threads of the host.
  cuda = GEVT_BACKEND_CUDA,      ///< NVIDIA GPUs.
  vulkan = GEVT_BACKEND_VULKAN   ///< Devices of Vulkan.
};

/// The kind of a stream.
/// @ingroup cpp
enum class stream_flags : std::uint32_t {
  none = GEVT_STREAM_DEFAULT,             ///< Ordered against the default stream, both ways.
  non_blocking = GEVT_STREAM_NON_BLOCKING ///< Not ordered against the default stream.
};

/// Short for stream_flags::non_blocking: `gevt::stream s(gevt::non_blocking);`
/// @ingroup cpp
inline constexpr stream_flags non_blocking = stream_flags::non_blocking;

/// The kind of a wait.
/// @ingroup cpp
enum class wait_flags : std::uint32_t {
  none = GEVT_WAIT_DEFAULT,     ///< An ordinary wait.
  external = GEVT_WAIT_EXTERNAL ///< In a stream capture, adds a wait node to the graph.
};

/// The kind of a record.
/// @ingroup cpp
enum class record_flags : std::uint32_t {
  none = GEVT_RECORD_DEFAULT,     ///< An ordinary record.
  external = GEVT_RECORD_EXTERNAL ///< In a stream capture, adds a record node to the graph.
};

/// The properties of an event. Whether it has timing is decided by its type: gevt::event or gevt::timed_event.
/// @ingroup cpp
enum class event_flags : std::uint32_t {
  none = GEVT_EVENT_DEFAULT,                ///< None of the others.
  blocking_sync = GEVT_EVENT_BLOCKING_SYNC, ///< sync() sleeps at once instead of spinning.
  interprocess = GEVT_EVENT_INTERPROCESS,   ///< The event can be shared with other processes; gevt::event only.
  strict = GEVT_EVENT_STRICT,               ///< Querying or waiting for an event that was never recorded is an error.
  host_signaled = GEVT_EVENT_HOST_SIGNALED, ///< The event is pending until signal(), and cannot be recorded.
};
/// Combines flags.
/// @ingroup cpp
constexpr event_flags operator|(event_flags a, event_flags b) noexcept {
  return event_flags{static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b)};
}

} // namespace gevt
