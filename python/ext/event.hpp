// What the classes of events have in common.
#pragma once

#include "arguments.hpp"

namespace gevt_py {

// A new handle. An event without a context is bound to one by its first record.
gevt_event_t create(std::uint32_t flags, gevt_context_t context = nullptr);

inline std::uint32_t flags_of(bool timing, bool blocking, bool interprocess) noexcept {
  return (timing ? GEVT_EVENT_DEFAULT : GEVT_EVENT_DISABLE_TIMING) | (blocking ? GEVT_EVENT_BLOCKING_SYNC : 0) |
         (interprocess ? GEVT_EVENT_INTERPROCESS : 0);
}

// Records with the EXTERNAL flag where that is asked for.
void record(const event &event, const stream_use &stream, bool external);

nb::bytes ipc_export(const event &event);
gevt_event_t ipc_import(nb::bytes bytes, gevt_context_t context);

} // namespace gevt_py
