// Python functions that gevt's threads call.
#pragma once

#include <gevt.hpp>

#include <nanobind/nanobind.h>

namespace gevt_py {

// Calls function(error) once the event is complete: None, or the exception that says why it can no longer be.
void on_complete(gevt::event_ref event, nanobind::callable function);

// Calls function() in the stream's order.
void launch(gevt::stream_ref stream, nanobind::callable function);

// Calls function(item, worker) for each item below n in the stream's order, several at once.
void launch_n(gevt::stream_ref stream, std::size_t n, nanobind::callable function);

} // namespace gevt_py
