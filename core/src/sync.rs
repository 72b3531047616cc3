//! The one place that switches between what threads share in std and parking_lot, and loom's models of it.

#[cfg(loom)]
mod locks;
#[cfg(loom)]
mod modelled;
#[cfg(not(loom))]
mod signal;
#[cfg(loom)]
pub(crate) use locks::{Condvar, Lazy, Mutex, Signal, looks, spawn, thread_local};
#[cfg(loom)]
pub(crate) use loom::sync::atomic::fence;
#[cfg(loom)]
pub(crate) use modelled::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize};
#[cfg(not(loom))]
pub(crate) use parking_lot::{Condvar, Mutex};
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

/// Gives way to other threads inside a short retry loop.
#[cfg(loom)]
pub(crate) fn spin() {
    loom::thread::yield_now();
}

/// How often to look before parking. A model looks once: more would show it nothing new.
#[cfg(not(loom))]
pub(crate) const fn looks(times: u32) -> u32 {
    times
}

/// Starts a thread; false if the system has none to give. Models start their threads themselves.
#[cfg(not(loom))]
pub(crate) fn spawn(name: &str, stack: usize, body: impl FnOnce() + Send + 'static) -> bool {
    crate::os::spawn(name, stack, Box::new(body))
}
