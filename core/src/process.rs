//! What state the process is in: one word that the fast path reads.

use crate::error::{Error, Result};
use crate::{os, trace};
use once_cell::sync::OnceCell;
use std::sync::atomic::{AtomicU32, Ordering};

/// This is the child of a fork.
pub(crate) const FORKED: u32 = 1;
/// `exit` has begun.
pub(crate) const EXITING: u32 = 2;
/// A context was lost: events check their context before they answer from memory.
pub(crate) const CONTEXT_LOST: u32 = 4;
/// A trace is being written.
const TRACING: u32 = 8;

/// The conditions that hold.
static CONDITIONS: AtomicU32 = AtomicU32::new(0);

/// Sets a condition for good.
pub(crate) fn set_condition(bit: u32) {
    CONDITIONS.fetch_or(bit, Ordering::SeqCst);
}

pub(crate) fn set_tracing(on: bool) {
    if on {
        CONDITIONS.fetch_or(TRACING, Ordering::SeqCst);
    } else {
        CONDITIONS.fetch_and(!TRACING, Ordering::SeqCst);
    }
}

/// Returns whether an event's word may be believed without asking its context.
#[inline]
pub(crate) fn is_normal() -> bool {
    CONDITIONS.load(Ordering::Relaxed) & !TRACING == 0
}

/// Returns whether the process [is normal](is_normal) and no trace is being written.
#[inline]
pub(crate) fn is_normal_and_untraced() -> bool {
    CONDITIONS.load(Ordering::Relaxed) == 0
}

/// Returns whether a trace is being written by this process.
#[inline]
pub(crate) fn is_tracing() -> bool {
    CONDITIONS.load(Ordering::Relaxed) & (TRACING | FORKED | EXITING) == TRACING
}

/// Returns whether this is the child of a fork.
pub(crate) fn is_forked() -> bool {
    CONDITIONS.load(Ordering::Acquire) & FORKED != 0
}

/// Fails in a forked child and while the process exits.
pub fn check() -> Result<()> {
    match CONDITIONS.load(Ordering::Acquire) {
        0 => Ok(()),
        bits if bits & FORKED != 0 => Err(Error::Forked),
        bits if bits & EXITING != 0 => Err(Error::Exiting),
        _ => Ok(()),
    }
}

/// Returns whether the process was forked or exits. A destroy then succeeds and does nothing.
pub(crate) fn is_over() -> bool {
    check().is_err()
}

extern "C" fn in_child() {
    set_condition(FORKED);
}

extern "C" fn at_exit() {
    // The handler is registered more than once, and the trace is waited for once. The child of a fork has neither the thread
    // that writes nor any business with the file.
    let is_first = !is_over();
    set_condition(EXITING);
    if is_first {
        trace::finish();
    }
}

/// Registers the fork and exit handlers, once. Exit handlers run in reverse order: what was set up before the first use of gevt
/// is torn down after gevt has ended, and finds destroy calls that succeed and touch nothing.
pub fn watch() -> Result<()> {
    static WATCHED: OnceCell<()> = OnceCell::new();
    let register = || if os::on_fork(in_child) { watch_exit() } else { Err(Error::OutOfMemory) };
    WATCHED.get_or_try_init(register).copied()
}

/// Registers for exit (once more): what was registered before, such as a driver's own handler, runs after gevt's.
pub(crate) fn watch_exit() -> Result<()> {
    if os::on_exit(at_exit) { Ok(()) } else { Err(Error::OutOfMemory) }
}
