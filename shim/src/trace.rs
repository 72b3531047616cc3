//! The trace that GEVT_TRACE asks for: each call that waits for the driver, and what it is about.

use crate::driver::function::Function;
use crate::driver::types::{CUevent, CUstream};
use cuda_abi::STREAM_PER_THREAD;
use gevt_trace::driver_calls::{DriverCall, Subject};
use std::cell::Cell;

thread_local! {
    /// The event and the stream of this thread's present call; nothing if the call is not to be drawn.
    static SUBJECT: Cell<Option<Subject>> = const { Cell::new(None) };
}

/// Forgets the call before.
pub(crate) fn forget() {
    SUBJECT.set(None);
}

/// Has the present call drawn, with its event and stream.
#[cold]
pub(crate) fn note(function: &Function, event: Option<CUevent>, stream: Option<CUstream>, records: bool) {
    let per_thread = function.is_per_thread();
    let stream = stream.map(|stream| match stream.address() {
        0 if per_thread => STREAM_PER_THREAD,
        address => address,
    });
    SUBJECT.set(Some(Subject { event: event.map_or(0, |event| event.address()), stream, records }));
}

/// The call is about to reach the driver.
pub(crate) fn begin(function: &'static Function) -> Option<DriverCall> {
    DriverCall::begin(function.name.to_str().unwrap_or_default(), SUBJECT.take()?)
}
