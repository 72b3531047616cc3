//! Waits for another device's event by way of an event of our own.
//!
//! The driver crashes where a stream waits for an interprocess event of another device. So a stream of the event's own device
//! waits for it, and then records an ordinary event, which any device's stream may wait for. The driver keeps both until the
//! wait is over, so that they are destroyed at once.

use super::contexts::{ContextId, ours};
use super::function::{Function, driver};
use super::types::{CUevent, CUresult, CUstream};
use gevt_core::process::Uncancelled;
use std::ptr;

static IS_CAPTURING: Function = ours(c"cuStreamIsCapturing");
static EXCHANGE_MODE: Function = ours(c"cuThreadExchangeStreamCaptureMode");
static CREATE_STREAM: Function = ours(c"cuStreamCreate");
static CREATE_EVENT: Function = ours(c"cuEventCreate");
static WAIT: Function = ours(c"cuStreamWaitEvent");
static RECORD: Function = ours(c"cuEventRecord");
static DESTROY_STREAM: Function = ours(c"cuStreamDestroy_v2");
static DESTROY_EVENT: Function = ours(c"cuEventDestroy_v2");

/// The calling thread's own default stream, as a stream argument.
const PER_THREAD: usize = 2;
const NON_BLOCKING: u32 = 1;
const DISABLE_TIMING: u32 = 2;
/// CU_STREAM_CAPTURE_MODE_RELAXED
const RELAXED: i32 = 2;

/// Returns whether the stream is being captured, or the code with which the driver refuses to say. `per_thread`: stream 0 is the
/// calling thread's own.
pub(crate) fn is_captured(stream: CUstream, per_thread: bool) -> Result<bool, CUresult> {
    let own = per_thread && stream.address() == 0;
    let stream = if own { CUstream(ptr::without_provenance_mut(PER_THREAD)) } else { stream };
    let mut status = 0;
    // SAFETY: the driver's signature; the stream is the caller's argument, and the pointer is good.
    match unsafe { driver!(IS_CAPTURING, (stream => CUstream, &raw mut status => *mut i32)) } {
        0 => Ok(status != 0),
        code => Err(code),
    }
}

/// Has the stream wait for the event of that context, as `function`, a form of cuStreamWaitEvent, does.
///
/// The thread is not cancelled inside: the driver's objects would stay.
pub(crate) fn wait(function: &Function, stream: CUstream, context: ContextId, event: CUevent, flags: u32) -> CUresult {
    let _uncancelled = Uncancelled::new();
    let mut relay = Relay { stream: CUstream(ptr::null_mut()), event: CUevent(ptr::null_mut()) };
    let mut code = relaxed(|| context.within(|| relay.record_behind(event)));
    if code == 0 {
        // SAFETY: all forms have this signature; the stream is the caller's argument, and the event is the relay's.
        code = unsafe { driver!(function, (stream => CUstream, relay.event => CUevent, flags => u32)) };
    }
    relaxed(|| context.within(|| relay.destroy()));
    code
}

/// Calls `run`, which must not panic, while captures of this thread forbid nothing.
fn relaxed(run: impl FnOnce() -> CUresult) -> CUresult {
    let mut mode = RELAXED;
    // SAFETY: the driver's signature; the pointer is good.
    let exchange = |mode: &mut i32| unsafe { driver!(EXCHANGE_MODE, (mode => *mut i32)) };
    let exchanged = exchange(&mut mode);
    let code = run();
    if exchanged == 0 {
        exchange(&mut mode);
    }
    code
}

/// A stream and an event of our own; NULL before they are made.
struct Relay {
    stream: CUstream,
    event: CUevent,
}

impl Relay {
    /// Makes both in the current context, and records the event behind `foreign`. The answer is the first code that is not 0.
    fn record_behind(&mut self, foreign: CUevent) -> CUresult {
        // SAFETY: the driver's signature; the pointer is good.
        let mut code = unsafe { driver!(CREATE_STREAM, (&raw mut self.stream => *mut CUstream, NON_BLOCKING => u32)) };
        if code == 0 {
            // SAFETY: as above.
            code = unsafe { driver!(CREATE_EVENT, (&raw mut self.event => *mut CUevent, DISABLE_TIMING => u32)) };
        }
        if code == 0 {
            // SAFETY: the driver's signature; the stream is ours, and the event is the caller's argument.
            code = unsafe { driver!(WAIT, (self.stream => CUstream, foreign => CUevent, 0 => u32)) };
        }
        if code == 0 {
            // SAFETY: the driver's signature; both are ours.
            code = unsafe { driver!(RECORD, (self.event => CUevent, self.stream => CUstream)) };
        }
        code
    }

    /// Destroys what was made. The driver completes the wait all the same.
    fn destroy(&mut self) -> CUresult {
        if !self.event.0.is_null() {
            // SAFETY: the driver's signature; the event is ours, and nobody else knows it.
            unsafe { driver!(DESTROY_EVENT, (self.event => CUevent)) };
        }
        if !self.stream.0.is_null() {
            // SAFETY: as above, of the stream.
            unsafe { driver!(DESTROY_STREAM, (self.stream => CUstream)) };
        }
        0
    }
}
