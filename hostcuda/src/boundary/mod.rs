//! The C boundary: converts arguments and results, and stops panics.

mod entry_point;
mod exports;
pub(crate) mod list;
mod out;

pub(crate) use entry_point::EntryPoint;
pub(crate) use exports::{all, export, exports, prefix, through, through_at, twin};
pub(crate) use out::{Out, Text};

pub(crate) use crate::stream_arg::StreamArg;

use crate::code::{Code, Result};
use crate::report::{report, report_once};
use crate::{device, primary};
use gevt_core::{lifecycle, process};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

static INITIALIZED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static LAST: Cell<i32> = const { Cell::new(0) };
}

/// Marks the driver as initialized.
pub(crate) fn initialize() -> Result {
    process::check()?;
    if device::count() == 0 {
        return Err(Code::NO_DEVICE);
    }
    gevt_trace::install();
    lifecycle::begin()?;
    INITIALIZED.store(true, Ordering::Release);
    Ok(())
}

/// Runs the body of the exported function `name`, which works before cuInit. The name makes each function different, so the linker does not
/// fold two into one address.
#[inline]
pub(crate) fn always(name: &'static str, body: impl FnOnce() -> Result) -> i32 {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => 0,
        Ok(Err(code)) => code.0,
        Err(_) => panicked(name),
    }
}

#[cold]
fn panicked(name: &'static str) -> i32 {
    report(format_args!("{name} met an internal error"));
    Code::UNKNOWN.0
}

/// Runs a driver call.
#[inline]
pub(crate) fn driver(name: &'static str, body: impl FnOnce() -> Result) -> i32 {
    always(name, || {
        if !INITIALIZED.load(Ordering::Acquire) {
            return Err(Code::NOT_INITIALIZED);
        }
        process::check()?;
        body()
    })
}

/// Runs a runtime call. Initializes the driver first, and keeps a failure for cudaGetLastError.
#[inline]
pub(crate) fn runtime(name: &'static str, body: impl FnOnce() -> Result) -> i32 {
    let code = always(name, || {
        if !INITIALIZED.load(Ordering::Acquire) {
            initialize()?;
        }
        process::check()?;
        body()
    });
    set_last(code);
    code
}

// The ways of functions with an own export.
pub(crate) use self::{
    always as runtime_always, always as runtime_always_12, inside as inside_12, runtime as runtime_12,
};

/// Runs a runtime call that needs a context. A thread without one gets its device's primary context.
#[inline]
pub(crate) fn inside(name: &'static str, body: impl FnOnce() -> Result) -> i32 {
    runtime(name, || {
        primary::enter()?;
        body()
    })
}

fn set_last(code: i32) {
    if code != 0 && code != Code::NOT_READY.0 {
        LAST.set(code);
    }
}

/// Returns the calling thread's last runtime error; `clear` resets it.
pub(crate) fn last(clear: bool) -> i32 {
    if clear { LAST.replace(0) } else { LAST.get() }
}

/// Reports an unserved function once.
fn complain(name: &'static str) {
    report_once(name, || report(format_args!("{name} needs a GPU, or is not served: it answers NOT_SUPPORTED")));
}

/// Runs a driver function that is not served.
#[cold]
pub(crate) fn absent_driver(name: &'static str) -> i32 {
    always(name, || {
        complain(name);
        Err(Code::NOT_SUPPORTED)
    })
}

/// Runs a runtime function that is not served.
#[cold]
pub(crate) fn absent_runtime(name: &'static str) -> i32 {
    runtime(name, || {
        complain(name);
        Err(Code::NOT_SUPPORTED)
    })
}
