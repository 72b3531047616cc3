//! Capture modes: how strictly calls are refused during captures.

use std::cell::Cell;
use std::sync::atomic::AtomicUsize;

/// The capture modes, as CUDA numbers them.
pub(crate) const GLOBAL: u32 = 0;
pub(super) const THREAD_LOCAL: u32 = 1;
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

/// Returns the calling thread's mode.
pub(super) fn mode() -> u32 {
    MODE.get()
}
