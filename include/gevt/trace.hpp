/// @file gevt/trace.hpp
/// The trace: a file that shows what events and streams did.
#pragma once

#include "status.hpp"

namespace gevt {

/// Starts writing a trace for Perfetto and chrome://tracing: gevt_trace_start().
/// @ingroup cpp
inline void trace_start(const char *path) {
  detail::check(gevt_trace_start(path));
}
/// Like the form above, with the error in `ec`.
/// @ingroup cpp
inline void trace_start(const char *path, std::error_code &ec) noexcept {
  detail::check(gevt_trace_start(path), ec);
}

/// Ends the trace and blocks until its file is written: gevt_trace_stop().
/// @ingroup cpp
inline void trace_stop() {
  detail::check(gevt_trace_stop());
}
/// Like the form above, with the error in `ec`.
/// @ingroup cpp
inline void trace_stop(std::error_code &ec) noexcept {
  detail::check(gevt_trace_stop(), ec);
}

} // namespace gevt
