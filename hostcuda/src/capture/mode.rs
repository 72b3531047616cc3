//! Capture modes: how strictly calls are refused during captures.

use super::{ACTIVE, Capture};
use crate::code::{Code, Result};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The capture modes, as CUDA numbers them.
pub(crate) const GLOBAL: u32 = 0;
const THREAD_LOCAL: u32 = 1;
pub(super) const RELAXED: u32 = 2;

/// The number of active captures that refuse calls.
pub(super) static STRICT: AtomicUsize = AtomicUsize::new(0);
thread_local! {
    static MODE: Cell<u32> = const { Cell::new(GLOBAL) };
}

/// Sets the calling thread's mode and returns the previous one. An unknown number counts as the strictest mode.
pub(crate) fn exchange_mode(mode: u32) -> u32 {
    MODE.replace(mode)
}

/// Refuses a call that may wait or change what captures see. This invalidates the captures that refuse it.
#[inline]
pub(crate) fn check_unsafe_call() -> Result {
    if STRICT.load(Ordering::Acquire) == 0 { Ok(()) } else { refuse() }
}

#[cold]
fn refuse() -> Result {
    let mode = MODE.get();
    let thread = std::thread::current().id();
    let refuses = |capture: &&Arc<Capture>| match mode {
        RELAXED => false,
        _ if capture.mode == RELAXED => false,
        _ if capture.thread == thread => true,
        THREAD_LOCAL => false,
        _ => capture.mode == GLOBAL,
    };
    close_destroyed();
    let active = ACTIVE.lock();
    let mut refused = Ok(());
    for capture in active.iter().filter(refuses) {
        capture.invalidate();
        refused = Err(Code::STREAM_CAPTURE_UNSUPPORTED);
    }
    refused
}

/// Ends captures whose contexts were destroyed, because cuStreamEndCapture fails there.
fn close_destroyed() {
    let is_destroyed = |capture: &&Arc<Capture>| capture.origin.context().is_ok_and(|context| context.check().is_err());
    let destroyed: Vec<_> = ACTIVE.lock().iter().filter(is_destroyed).cloned().collect();
    for capture in destroyed {
        capture.invalidate();
        capture.close();
    }
}
