//! The one place that switches between what threads share in the process, and loom's models of it.

#[cfg(loom)]
mod locks;
#[cfg(loom)]
mod modelled;
#[cfg(not(loom))]
mod signal;
#[cfg(not(loom))]
pub(crate) use crate::lock::{Mutex, MutexGuard};
#[cfg(loom)]
pub(crate) use locks::{Lazy, Mutex, MutexGuard, Signal, thread_local};
#[cfg(loom)]
pub(crate) use loom::sync::atomic::fence;
#[cfg(loom)]
pub(crate) use modelled::{AtomicU32, AtomicU64, AtomicUsize};
#[cfg(not(loom))]
pub(crate) use signal::Signal;
pub(crate) use std::sync::atomic::Ordering;
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::fence;
#[cfg(not(loom))]
pub(crate) use std::sync::{
    LazyLock as Lazy,
    atomic::{AtomicU32, AtomicU64, AtomicUsize},
};
#[cfg(not(loom))]
pub(crate) use std::thread_local;

/// Waits a little for a step that another thread is about to make, before the caller checks again. That thread may have been
/// preempted by this one, at a lower priority, and gets the core here.
#[cold]
pub(crate) fn wait_for_another(tries: u32) {
    #[cfg(loom)]
    loom::thread::yield_now();
    match tries {
        _ if cfg!(loom) => {}
        0..64 => std::hint::spin_loop(),
        64..96 => std::thread::yield_now(),
        _ => crate::lock::sleep(std::time::Duration::from_micros(50)),
    }
}

/// Returns how often to poll before parking. A model polls once: more would show it nothing new.
pub(crate) const fn looks(times: u32) -> u32 {
    if cfg!(loom) { 1 } else { times }
}
