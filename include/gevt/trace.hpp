// The trace: a file that shows what events and streams did.
#pragma once

#include "status.hpp"

namespace gevt {

// Begins to write the file, which chrome://tracing and Perfetto open.
inline void trace_start(const char *path) {
  detail::check(gevt_trace_start(path));
}
inline void trace_start(const char *path, std::error_code &ec) noexcept {
  detail::check(gevt_trace_start(path), ec);
}

// Ends it, and waits until the file is written.
inline void trace_stop() {
  detail::check(gevt_trace_stop());
}
inline void trace_stop(std::error_code &ec) noexcept {
  detail::check(gevt_trace_stop(), ec);
}

} // namespace gevt
