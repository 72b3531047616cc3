// Statuses of gevt.h as Python exceptions.
#pragma once

#include <gevt.hpp>

#include <nanobind/nanobind.h>

namespace gevt_py {

// Throws the thread's last failure.
[[noreturn]] inline void fail(gevt_status_t status) {
  throw gevt::error(gevt::errc{status}, gevt_last_detail(), gevt_last_message());
}

inline void expect_in_time(bool is_done) {
  if (!is_done) fail(GEVT_ERROR_TIMEOUT);
}

// The exception for a status, as an object.
nanobind::object exception_of(gevt_status_t status, gevt_detail_t detail, const char *message);

void register_errors();

} // namespace gevt_py
