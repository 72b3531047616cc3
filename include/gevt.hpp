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
/// to an object without owning it. They are as cheap as a handle, and functions take them as parameters; owners and the
/// handles of gevt.h convert to them.
///
/// **Errors.** Each function that can fail has two forms. One throws gevt::error. The other takes a `std::error_code &` as its
/// last argument, sets or clears it, and is noexcept unless it takes a range of events. In a program built without exceptions, the
/// throwing form prints the message to stderr and calls std::abort(). gevt::frame_timer's constructor has the throwing form alone.
///
/// **Costs.** A call compiles to the call of gevt.h; one on an owner of a stream or context first compares the handle with NULL. Memory
/// is allocated for the text of an exception, for a callable larger than a pointer, for a gevt::log_sink and for the handles of a range.
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
