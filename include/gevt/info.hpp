/// @file gevt/info.hpp
/// Descriptions of events, streams and contexts.
#pragma once

#include "flags.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace gevt {

/// The state of an event.
/// @ingroup cpp
enum class event_state : gevt_event_state_t {
  unrecorded = GEVT_STATE_UNRECORDED, ///< It was never recorded.
  pending = GEVT_STATE_PENDING,       ///< Its stream has not reached the last record yet.
  complete = GEVT_STATE_COMPLETE,     ///< Its stream has reached the last record.
  captured = GEVT_STATE_CAPTURED,     ///< It was last recorded in a stream capture.
  failed = GEVT_STATE_FAILED          ///< The last record can no longer complete, or it failed.
};

namespace detail {

/// A description as gevt.h fills it in.
template <class Info>
class description {
public:
  description() noexcept { info_.size = sizeof info_; }
  /// Returns the structure of gevt.h.
  const Info &get() const noexcept { return info_; }
  /// @private
  Info *out() noexcept { return &info_; }
  /// Returns the name, empty if there is none. It lives as long as this object.
  std::string_view name() const noexcept { return {info_.name, std::strlen(info_.name)}; }
  /// Returns the backend.
  gevt::backend backend() const noexcept { return gevt::backend{info_.backend}; }

protected:
  Info info_ = {}; ///< @private
};

} // namespace detail

/// A description of an event and its state: gevt_event_info_t.
/// @ingroup cpp
class event_info : public detail::description<gevt_event_info_t> {
public:
  /// Returns the state.
  event_state state() const noexcept { return event_state{info_.state}; }
  /// Returns whether the event has timing.
  bool has_timing() const noexcept { return (info_.flags & GEVT_EVENT_DISABLE_TIMING) == 0; }
  /// Returns the flags of the event's creation, without timing.
  event_flags flags() const noexcept { return event_flags{info_.flags & ~std::uint32_t{GEVT_EVENT_DISABLE_TIMING}}; }
  /// Returns the device number, or nothing while the event is not bound to a context.
  std::optional<int> device() const noexcept {
    return info_.device < 0 ? std::nullopt : std::optional<int>(info_.device);
  }
  /// Returns the handle of the context through which the event was bound, or NULL before that.
  gevt_context_t context() const noexcept { return info_.context; }
  /// Returns whether the event was imported from another process.
  bool is_imported() const noexcept { return info_.imported != 0; }
  /// Returns the number of records and resets.
  std::uint64_t record_count() const noexcept { return info_.record_count; }
};

/// A description of a stream: gevt_stream_info_t.
/// @ingroup cpp
class stream_info : public detail::description<gevt_stream_info_t> {
public:
  /// Returns the flags of the stream's creation.
  stream_flags flags() const noexcept { return stream_flags{info_.flags}; }
  /// Returns the device number.
  int device() const noexcept { return info_.device; }
  /// Returns the handle of the context in which the stream was made.
  gevt_context_t context() const noexcept { return info_.context; }
  /// Returns the queue family, on Vulkan.
  std::optional<std::uint32_t> queue_family() const noexcept {
    return info_.queue_family == GEVT_NO_QUEUE_FAMILY ? std::nullopt : std::optional<std::uint32_t>(info_.queue_family);
  }
};

/// An address on the PCI bus.
/// @ingroup cpp
struct pci_address {
  std::uint32_t domain;   ///< The domain.
  std::uint32_t bus;      ///< The bus.
  std::uint32_t device;   ///< The device on the bus.
  std::uint32_t function; ///< The function of the device.
};

/// A description of a context and its device: gevt_context_info_t.
/// @ingroup cpp
class context_info : public detail::description<gevt_context_info_t> {
public:
  /// Returns the device number, or nothing if the backend does not list the device.
  std::optional<int> device() const noexcept {
    return info_.device < 0 ? std::nullopt : std::optional<int>(info_.device);
  }
  /// Returns the UUID of the device, the same in CUDA and in Vulkan.
  std::optional<std::array<std::uint8_t, 16>> uuid() const noexcept { return known<GEVT_CONTEXT_HAS_UUID>(info_.uuid); }
  /// Returns the locally unique identifier of the device, on Windows.
  std::optional<std::array<std::uint8_t, 8>> luid() const noexcept { return known<GEVT_CONTEXT_HAS_LUID>(info_.luid); }
  /// Returns the address of the device on the PCI bus.
  std::optional<pci_address> pci() const noexcept {
    if ((info_.known & GEVT_CONTEXT_HAS_PCI) == 0) return std::nullopt;
    return pci_address{info_.pci_domain, info_.pci_bus, info_.pci_device, info_.pci_function};
  }

private:
  template <std::uint32_t bit, std::size_t N>
  std::optional<std::array<std::uint8_t, N>> known(const std::uint8_t (&bytes)[N]) const noexcept {
    if ((info_.known & bit) == 0) return std::nullopt;
    std::array<std::uint8_t, N> copy = {};
    std::memcpy(copy.data(), bytes, N);
    return copy;
  }
};

} // namespace gevt
