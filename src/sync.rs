//! The one place that switches between std's atomics and loom's model of them.

#[cfg(loom)]
mod modelled;
#[cfg(loom)]
pub(crate) use modelled::{AtomicU32, AtomicU64};
pub(crate) use std::sync::atomic::Ordering;
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64};

/// Gives way to other threads inside a short retry loop.
pub(crate) fn spin() {
    #[cfg(loom)]
    loom::thread::yield_now();
    #[cfg(not(loom))]
    std::hint::spin_loop();
}
