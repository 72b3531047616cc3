//! What the process is up to: one word that the fast path reads and that is zero in good times.

use crate::error::{Error, Result};
use std::sync::atomic::{AtomicU32, Ordering};

/// This is the child of a fork.
pub(crate) const FORKED: u32 = 1;
/// `exit` has begun.
pub(crate) const EXITING: u32 = 2;
/// A context was lost: events ask for their context before they answer from memory.
pub(crate) const CONTEXT_LOST: u32 = 4;

static TROUBLE: AtomicU32 = AtomicU32::new(0);

pub(crate) fn set_trouble(bit: u32) {
    TROUBLE.fetch_or(bit, Ordering::SeqCst);
}

/// May a query answer from memory alone?
#[inline]
pub(crate) fn is_calm() -> bool {
    TROUBLE.load(Ordering::Relaxed) == 0
}

/// Refuses calls in a forked child and during exit.
pub(crate) fn check() -> Result<()> {
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
