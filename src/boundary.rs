//! The boundary of the C API: catches panics, and turns results into statuses.

use super::out::Writer;
use super::types::gevt_status_t;
use super::{last, log_variable};
use gevt_core::{Error, Event, Failure, Handle, Inside, Result, Status, process};
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
    out: Result<Writer<T>>,
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
        log_variable::read();
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
    event: Event,
    body: impl FnOnce(Event) -> Result<T>,
) -> gevt_status_t {
    if event.is_known_done() { Status::SUCCESS.0 } else { call_pending(function, event, body) }
}

/// Not inlined: the path of a completed event saves no registers.
#[inline(never)]
fn call_pending<T: Outcome>(
    function: &'static str,
    event: Event,
    body: impl FnOnce(Event) -> Result<T>,
) -> gevt_status_t {
    call(function, event.handle(), move || body(event))
}

/// The `user` argument of a callback, on its way to another thread.
pub(super) struct User(pub(super) *mut c_void);

impl User {
    /// Returns the argument. A closure that calls this captures the whole struct, which is Send, and not the pointer, which is not.
    pub(super) fn get(&self) -> *mut c_void {
        self.0
    }
}

// SAFETY: each exported function that takes a callback requires it to be callable with the argument on another thread.
unsafe impl Send for User {}
// SAFETY: gevt never dereferences it, so sharing it shares only a number.
unsafe impl Sync for User {}
