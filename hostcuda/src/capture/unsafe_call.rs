//! Calls that may wait or change what captures see.

use super::mode::{GLOBAL, RELAXED, STRICT, THREAD_LOCAL, mode};
use super::{ACTIVE, Capture};
use crate::code::{Code, Result};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Refuses such a call. This invalidates the captures that refuse it.
#[inline]
pub(crate) fn check_unsafe_call() -> Result {
    if STRICT.load(Ordering::Acquire) == 0 { Ok(()) } else { refuse() }
}

#[cold]
fn refuse() -> Result {
    let mode = mode();
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
