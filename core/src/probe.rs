//! The core's reports to a [`Probe`]: entries for a trace, and the order of threads for a data race detector.
//!
//! The libraries set the probe of the crate gevt-trace. While reports are off, one costs a test of the process's word.
//! Its closure must capture copies, as a reference would force a value from a register into memory.

mod order;
mod report;

pub use order::{Inside, Order, Scope};
pub(crate) use order::{NATIVE_STREAMS, acquire, acquire_name, outside, release, release_name, release_native_record};
pub use report::{Call, EventId, Obstacle, Place, StreamId, What};

pub use crate::clock::now;
pub use crate::process::{is_tracing as is_on, set_tracing};

use std::sync::OnceLock;

/// Takes the core's reports.
pub trait Probe: Send + Sync {
    /// Returns whether the program has a sanitizer of data races, which wants [`Probe::order`] and [`Probe::pass`].
    fn wants_order(&self) -> bool;
    /// The process has begun to use gevt.
    fn begin(&self);
    /// The process exits. The backends have ended.
    fn end(&self);
    /// Something happened on the calling thread.
    fn note(&self, what: What);
    /// The calling thread begins a call, or the program's function.
    fn begin_call(&self, call: Call) -> Begun;
    /// The calling thread ends that call.
    fn end_call(&self, call: Begun);
    /// A happens-before relation through an address.
    fn order(&self, order: Order, address: usize);
    /// The calling thread passes from the program's code to the library's, or back. Scopes end in the reverse order of their beginnings.
    fn pass(&self, scope: Scope, begins: bool);
}

static PROBE: OnceLock<&'static dyn Probe> = OnceLock::new();

/// Sets the probe, once, before the process begins to use gevt.
pub fn set(probe: &'static dyn Probe) {
    let _ = PROBE.set(probe);
}

pub(crate) fn get() -> Option<&'static dyn Probe> {
    PROBE.get().copied()
}

/// Reports something that happened.
#[inline]
pub fn put(what: impl FnOnce() -> What) {
    if is_on() {
        put_now(what);
    }
}

#[cold]
#[inline(never)]
fn put_now(what: impl FnOnce() -> What) {
    if let Some(probe) = get() {
        probe.note(what());
    }
}

/// When a call began, and the one that it is inside of.
#[derive(Clone, Copy)]
pub struct Begun {
    /// When the call began.
    pub since: i64,
    /// When the one around it began; 0 for none.
    pub inside: i64,
}

/// A call in progress on this thread, which ends with the value.
#[must_use]
pub(crate) struct Slice(Option<Begun>);

/// Reports a call, or the program's function, which lasts until the value is dropped.
#[inline]
pub(crate) fn slice(call: impl FnOnce() -> Call) -> Slice {
    Slice(if is_on() { begin(call) } else { None })
}

#[cold]
#[inline(never)]
fn begin(call: impl FnOnce() -> Call) -> Option<Begun> {
    get().map(|probe| probe.begin_call(call()))
}

impl Drop for Slice {
    #[inline]
    fn drop(&mut self) {
        if let Some(begun) = self.0 {
            end(begun);
        }
    }
}

#[cold]
#[inline(never)]
fn end(begun: Begun) {
    get().inspect(|probe| probe.end_call(begun));
}

/// A stream's current activity. It ends with the value.
#[must_use]
pub(crate) struct StreamSlice(Option<StreamId>);

/// Reports that a stream runs a function, until the value is dropped.
#[inline]
pub(crate) fn function(stream: impl FnOnce() -> StreamId) -> StreamSlice {
    StreamSlice(is_on().then(|| {
        let stream = stream();
        put_now(|| What::StreamRuns(stream, "function"));
        stream
    }))
}

impl Drop for StreamSlice {
    #[inline]
    fn drop(&mut self) {
        if let Some(stream) = self.0 {
            put(|| What::StreamGoesOn(stream));
        }
    }
}
