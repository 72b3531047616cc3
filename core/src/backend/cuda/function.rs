//! Host functions that a trace is told of.

use crate::backend::HostFn;
use crate::sanitizer::{self, NATIVE_STREAMS};
use crate::trace::{self, StreamId};
use std::ffi::c_void;

/// A function of the caller's, and the stream that runs it.
struct Traced {
    call: HostFn,
    stream: StreamId,
}

extern "C" fn run(traced: *mut c_void) {
    // SAFETY: `wrap` made it, and the driver runs a function that it has taken once at the most.
    let traced = unsafe { Box::from_raw(traced.cast::<Traced>()) };
    let _traced = trace::function(|| traced.stream);
    sanitizer::acquire(&NATIVE_STREAMS);
    traced.call.call();
    sanitizer::release(&NATIVE_STREAMS);
}

/// A function that runs `call` and tells of it. It has to run once, or to be given to [`unwrap`].
pub(super) fn wrap(call: HostFn, stream: StreamId) -> HostFn {
    sanitizer::release(&NATIVE_STREAMS);
    HostFn { function: run, user: Box::into_raw(Box::new(Traced { call, stream })).cast() }
}

/// Ends what [`wrap`] made, which the driver has not taken.
pub(super) fn unwrap(wrapped: HostFn) {
    // SAFETY: `wrap` made it, and it never runs.
    drop(unsafe { Box::from_raw(wrapped.user.cast::<Traced>()) });
}
