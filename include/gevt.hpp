// gevt for C++17: the types and calls of gevt.h with owners, references, durations and std::error_code. Header-only.
//
// event, timed_event, stream and context own what they hold: they can be moved and not copied, and end it when they go.
// event_ref, stream_ref and context_ref own nothing, cost what a handle costs, and are what functions take.
//
// Each call that can fail has two forms. One throws gevt::error. The other has a std::error_code & as its last argument, which
// it sets or clears, and is noexcept. What gevt.h says of a function holds for the call that is named after it.
//
// Nothing here allocates memory, but for the text of an exception.
#pragma once

#include "gevt/context.hpp"
#include "gevt/event.hpp"
#include "gevt/log.hpp"
#include "gevt/several.hpp"
#include "gevt/status.hpp"
#include "gevt/stream.hpp"
#include "gevt/timeout.hpp"
#include "gevt/trace.hpp"
