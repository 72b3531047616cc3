//! What the process is up to: one word that the fast path reads.

use crate::error::{Error, Result};
use std::sync::atomic::{AtomicU32, Ordering};

/// This is the child of a fork.
pub(crate) const FORKED: u32 = 1;
/// `exit` has begun.
pub(crate) const EXITING: u32 = 2;
/// A context was lost: events ask for their context before they answer from memory.
pub(crate) const CONTEXT_LOST: u32 = 4;
/// A trace is being written. No trouble, but in the word that is read anyway.
pub(crate) const TRACING: u32 = 8;

static TROUBLE: AtomicU32 = AtomicU32::new(0);

pub(crate) fn set_trouble(bit: u32) {
    TROUBLE.fetch_or(bit, Ordering::SeqCst);
}

/// May a query answer from memory alone?
#[inline]
pub(crate) fn is_calm() -> bool {
    TROUBLE.load(Ordering::Relaxed) & !TRACING == 0
}

/// Is the process calm, and nothing traced either?
#[inline]
pub(crate) fn is_quiet() -> bool {
    TROUBLE.load(Ordering::Relaxed) == 0
}

/// Is a trace being written, here and still?
#[inline]
pub(crate) fn is_tracing() -> bool {
    TROUBLE.load(Ordering::Relaxed) & (TRACING | FORKED | EXITING) == TRACING
}

pub(crate) fn set_tracing(on: bool) {
    if on {
        TROUBLE.fetch_or(TRACING, Ordering::SeqCst);
    } else {
        TROUBLE.fetch_and(!TRACING, Ordering::SeqCst);
    }
}

/// Is this the child of a fork?
pub(crate) fn is_forked() -> bool {
    TROUBLE.load(Ordering::Acquire) & FORKED != 0
}

/// Refuses calls in a forked child and during exit.
pub fn check() -> Result<()> {
    match TROUBLE.load(Ordering::Acquire) {
        0 => Ok(()),
        bits if bits & FORKED != 0 => Err(Error::Forked),
        bits if bits & EXITING != 0 => Err(Error::Exiting),
        _ => Ok(()),
    }
}

/// True where nothing may be touched any more: a destroy then succeeds and does nothing.
pub(crate) fn is_over() -> bool {
    check().is_err()
}
