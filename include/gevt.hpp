/// @file gevt.hpp
/// gevt for C++17, header-only: includes the headers of the folder gevt/, except gevt/vulkan.hpp and gevt/timer.hpp.
#pragma once

/// @addtogroup cpp
///
/// gevt.hpp has the functions of gevt.h as C++ classes. It is header-only and needs C++17.
///
/// @code{.cpp}
/// #include <gevt.hpp>
/// #include <iostream>
///
/// int main() {
///   const gevt::stream stream;
///   const gevt::timed_event start, end;
///   start.record(stream);
///   stream.launch([] { std::cout << "work in stream order\n"; });
///   end.record(stream);
///   end.sync();
///   std::cout << (end - start).count() << " ns\n";
/// }
/// @endcode
///
/// **Owners and references.** gevt::event, gevt::timed_event, gevt::stream and gevt::context own a handle: they can be moved but
/// not copied, and release the handle when they are destroyed. gevt::event_ref, gevt::stream_ref and gevt::context_ref refer
/// to an object that somebody else owns. They are as cheap as a handle, and functions take them as parameters; owners and the
/// handles of gevt.h convert to them.
///
/// **Errors.** Each function that can fail has two forms. One throws gevt::error. The other takes a `std::error_code &` as its
/// last argument, sets or clears it, and is noexcept unless it takes a range of events.
/// In a program that is built without exceptions, what would throw prints the message to stderr and calls std::abort().
///
/// **Costs.** A call compiles to the call of gevt.h. Nothing allocates memory except an exception's text, gevt::log_sink, functions that take
/// a range of events, and gevt::stream::launch(), launch_n() and gevt::event::on_complete() for a callable that is larger than a pointer.
///
/// What gevt.h says about a function, such as its errors, threads and order, applies to the C++ function that names it.

#include "gevt/context.hpp"
#include "gevt/event.hpp"
#include "gevt/log.hpp"
#include "gevt/several.hpp"
#include "gevt/status.hpp"
#include "gevt/stream.hpp"
#include "gevt/threads.hpp"
#include "gevt/timeout.hpp"
#include "gevt/trace.hpp"
