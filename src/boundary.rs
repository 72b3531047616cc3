//! The boundary of the C API: converts handles and outputs, catches panics, and turns results into statuses.

use super::types::{gevt_context_s, gevt_event_s, gevt_event_t, gevt_status_t, gevt_stream_s};
use super::{last, log};
use gevt_core::{Context, Error, Event, Failure, Handle, Inside, Result, Status, Stream, process};
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The result of a call that did not fail.
pub(super) trait Outcome {
    fn status(&self) -> Status;
}

impl Outcome for () {
    fn status(&self) -> Status {
        Status::SUCCESS
    }
}

/// Success, or not ready yet.
impl Outcome for bool {
    fn status(&self) -> Status {
        if *self { Status::SUCCESS } else { Status::NOT_READY }
    }
}

/// Runs the body of the exported `function` and returns its status. `subject` is the object that messages name.
pub(super) fn call<T: Outcome>(
    function: &'static str,
    subject: Handle,
    body: impl FnOnce() -> Result<T>,
) -> gevt_status_t {
    let _inside = if process::is_ordinary() { None } else { Some(begin()) };
    #[cfg(gevt_planted)]
    super::fault_injection::on_call(function);
    // The failure is passed beside the result: loading a whole Result just after one byte of it was stored stalls the processor.
    let mut failed = Error::Internal;
    let done = catch_unwind(AssertUnwindSafe(|| match body() {
        #[cfg(gevt_planted)]
        Ok(outcome) => Some(super::fault_injection::instead_of(function, outcome.status())),
        #[cfg(not(gevt_planted))]
        Ok(outcome) => Some(outcome.status()),
        Err(error) => {
            failed = error;
            None
        }
    }));
    match done {
        Ok(Some(status)) => status.0,
        Ok(None) | Err(_) => fail(function, subject, failed),
    }
}

/// Like [`call`], for a body whose result is the one output.
pub(super) fn call_for<T>(
    function: &'static str,
    subject: Handle,
    out: Result<Out<T>>,
    body: impl FnOnce() -> Result<T>,
) -> gevt_status_t {
    call(function, subject, || {
        let out = out?;
        body().map(|value| out.write(value))
    })
}

/// Begins a call before the process uses gevt, or in a program with a sanitizer.
#[cold]
fn begin() -> Inside {
    gevt_trace::install();
    if !process::is_in_use() {
        log::read_variable();
    }
    Inside::enter()
}

/// Keeps a failure for the calling thread and returns its status.
#[cold]
fn fail(function: &'static str, subject: Handle, error: Error) -> gevt_status_t {
    // A call during which exit() begins may fail for that reason, which is then the one to report.
    let error = process::check().err().unwrap_or(error);
    // Composing the message must not unwind into C either.
    let _ = catch_unwind(|| last::set(Failure::new(function, subject, error)));
    error.status().0
}

/// Like [`call`], for a call that has nothing to do if the event is known to be complete. It then costs a lookup and a load.
#[inline]
pub(super) fn call_unless_done<T: Outcome>(
    function: &'static str,
    event: gevt_event_t,
    body: impl FnOnce(Event) -> Result<T>,
) -> gevt_status_t {
    if event.named().is_known_done() { Status::SUCCESS.0 } else { call_pending(function, event, body) }
}

/// Not inlined: the path of a completed event saves no registers.
#[inline(never)]
fn call_pending<T: Outcome>(
    function: &'static str,
    event: gevt_event_t,
    body: impl FnOnce(Event) -> Result<T>,
) -> gevt_status_t {
    call(function, event.bits(), move || body(event.named()))
}

/// A handle as C holds it, and as the core holds it.
pub(super) trait CHandle {
    /// The core's type.
    type Named;
    /// Returns the bits, for messages.
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

/// An output parameter, which is written only on success.
pub(super) struct Out<T>(*mut T);

impl<T> Out<T> {
    /// Takes an output parameter called `name`; NULL is an error.
    ///
    /// # Safety
    /// A pointer that is not NULL must be valid for one write until the call returns.
    pub(super) unsafe fn new(pointer: *mut T, name: &'static str) -> Result<Out<T>> {
        if pointer.is_null() { Err(Error::NullPointer(name)) } else { Ok(Out(pointer)) }
    }

    pub(super) fn write(self, value: T) {
        // SAFETY: not NULL, so `new` requires it to be valid for a write until the call returns; it need not be aligned.
        unsafe { self.0.write_unaligned(value) }
    }
}

/// Returns what writes an element of the caller's array called `name`, which need not be aligned.
///
/// # Safety
/// `array` must be NULL or have `n` elements that are valid for writes for as long as the function is used.
pub(super) unsafe fn outs<T>(array: *mut T, n: usize, name: &'static str) -> Result<impl Fn(usize, T)> {
    if n > 0 && array.is_null() {
        return Err(Error::NullPointer(name));
    }
    if n > isize::MAX as usize / size_of::<T>() {
        return Err(Error::BadArgument("n"));
    }
    Ok(move |place: usize, value| {
        assert!(place < n, "no such element");
        // SAFETY: the place is below `n`, and so within the array by this function's requirement.
        unsafe { array.add(place).write_unaligned(value) }
    })
}

/// The `user` argument of a callback, on its way to another thread.
pub(super) struct User(pub(super) *mut c_void);

impl User {
    /// Takes `self` by value: a closure then captures the whole struct, which is Send, and not the pointer, which is not.
    pub(super) fn take(self) -> *mut c_void {
        self.0
    }

    /// Returns the argument of a function that is called more than once.
    pub(super) fn get(&self) -> *mut c_void {
        self.0
    }
}

// SAFETY: each exported function that takes a callback requires it to be callable with the argument on another thread.
unsafe impl Send for User {}
// SAFETY: gevt never dereferences it, so sharing it shares only a number.
unsafe impl Sync for User {}
