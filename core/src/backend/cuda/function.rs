//! Host functions that are traced.

use super::context::Cuda;
use super::raw;
use crate::backend::{Backend, HostFn, NativeStream};
use crate::error::Result;
use crate::probe::{self, NATIVE_STREAMS, StreamId};
use std::ffi::c_void;

/// The caller's function, and the stream that runs it.
struct Traced {
    call: HostFn,
    stream: StreamId,
}

extern "C" fn run(traced: *mut c_void) {
    // SAFETY: `wrap` made it, and the driver runs a function that it has taken once at the most.
    let traced = unsafe { Box::from_raw(traced.cast::<Traced>()) };
    let _traced = probe::function(|| traced.stream);
    traced.call.call_in_native_order();
}

/// Returns a function that runs `call` and traces it. It must run once, or be passed to [`unwrap`].
fn wrap(call: HostFn, stream: StreamId) -> HostFn {
    probe::release(&NATIVE_STREAMS);
    HostFn { function: run, user: Box::into_raw(Box::new(Traced { call, stream })).cast() }
}

/// Frees a function from [`wrap`] that the driver has not accepted.
fn unwrap(wrapped: HostFn) {
    // SAFETY: `wrap` made it, and it never runs.
    drop(unsafe { Box::from_raw(wrapped.user.cast::<Traced>()) });
}

impl Cuda {
    /// Like [`Backend::launch`], with a function that is traced. One that goes into a graph may run more than once, and
    /// stays as it is.
    pub(super) fn launch_traced(&'static self, stream: NativeStream, function: HostFn) -> Result<()> {
        let wrapped = wrap(function, Backend::traced(&self, stream));
        let mut taken = false;
        let launched = self.on_stream(stream, || {
            let plain = self.is_capturing(stream) != Ok(false);
            let HostFn { function, user } = if plain { function } else { wrapped };
            // SAFETY: the stream lives, and the function is the caller's to vouch for.
            let code = unsafe { (self.driver.launch_host)(raw(stream), function, user) };
            taken = code == 0 && !plain;
            code
        });
        if !taken {
            unwrap(wrapped);
        }
        launched
    }
}
