//! The one way from a C call into the core and back: catches panics, and turns results into statuses.

use super::last;
use super::types::{gevt_context_s, gevt_event_s, gevt_status_t, gevt_stream_s};
use gevt_core::{Context, Error, Event, Handle, Result, Status, Stream, process};
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a call can come to when it does not fail.
pub(super) trait Outcome {
    fn status(&self) -> Status;
}

impl Outcome for () {
    fn status(&self) -> Status {
        Status::SUCCESS
    }
}

/// Done, or not yet.
impl Outcome for bool {
    fn status(&self) -> Status {
        if *self { Status::SUCCESS } else { Status::NOT_READY }
    }
}

/// Runs the body of the exported `function`; `subject` is the event or other object that messages name.
pub(super) fn call<T: Outcome>(
    function: &'static str,
    subject: Handle,
    body: impl FnOnce() -> Result<T>,
) -> gevt_status_t {
    #[cfg(gevt_planted)]
    gevt_core::planted::on_call(function);
    let failed = match catch_unwind(AssertUnwindSafe(body)) {
        #[cfg(gevt_planted)]
        Ok(Ok(outcome)) => return gevt_core::planted::instead_of(function, outcome.status()).0,
        #[cfg(not(gevt_planted))]
        Ok(Ok(outcome)) => return outcome.status().0,
        // A call that the end of the process overtook may fail for reasons that are the end's, not its own.
        Ok(Err(error)) => process::check().err().unwrap_or(error),
        Err(_) => Error::Internal,
    };
    // Not even a message may bring the caller down.
    let _ = catch_unwind(|| last::set(function, subject, failed));
    failed.status().0
}

/// A handle as C holds it.
pub(super) trait CHandle {
    /// What the core calls it.
    type Named;
    /// For messages.
    fn bits(self) -> Handle;
    fn named(self) -> Self::Named;
    fn from_named(named: Self::Named) -> Self;
}

macro_rules! handles {
    ($($target:ty = $named:ty;)*) => {$(
        impl CHandle for *mut $target {
            type Named = $named;
            fn bits(self) -> Handle {
                Handle(self as u64)
            }
            fn named(self) -> $named {
                <$named>::from_bits(self as u64)
            }
            fn from_named(named: $named) -> Self {
                std::ptr::without_provenance_mut(named.to_bits() as usize)
            }
        }
    )*};
}

handles! {
    gevt_event_s = Event;
    gevt_stream_s = Stream;
    gevt_context_s = Context;
}

/// A place of the caller's for a result, which is written on success only.
pub(super) struct Out<T>(*mut T);

impl<T> Out<T> {
    /// Refuses NULL; `name` is the parameter's.
    ///
    /// # Safety
    /// A pointer that is not NULL must be valid for one write until the call returns.
    pub(super) unsafe fn new(pointer: *mut T, name: &'static str) -> Result<Out<T>> {
        if pointer.is_null() { Err(Error::NullPointer(name)) } else { Ok(Out(pointer)) }
    }

    pub(super) fn write(self, value: T) {
        // SAFETY: `new` was promised a place that is valid until now. It may lie anywhere in the caller's memory.
        unsafe { self.0.write_unaligned(value) }
    }
}

/// A caller's argument that goes with it to another thread.
pub(super) struct User(pub(super) *mut c_void);

impl User {
    /// By value, so that a closure takes all of it along.
    pub(super) fn take(self) -> *mut c_void {
        self.0
    }

    /// For a function that is called more than once.
    pub(super) fn get(&self) -> *mut c_void {
        self.0
    }
}

// SAFETY: the caller promises that its function may be called with the argument on another thread.
unsafe impl Send for User {}
// SAFETY: it is only handed on, never followed.
unsafe impl Sync for User {}
