//! Reports the order of threads to a sanitizer of data races (ThreadSanitizer), if the program has one.
//!
//! The library is not instrumented, so the sanitizer does not see how it orders threads. It does see accesses of the C library's functions, and would
//! report them. So the library announces releases and acquires of addresses, and its own accesses are ignored. Without the sanitizer a call tests a
//! bit of the process's word, which it reads anyway.

use crate::process;
use std::cell::Cell;

/// An announcement about an address.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The calling thread's work so far happens before the work of threads that acquire the address later.
    Release,
    /// Work before earlier releases of the address has happened.
    Acquire,
}

/// Whose accesses a thread makes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The library's: they are left out.
    Library,
    /// Within the library, the program's: they count.
    Program,
}

thread_local! {
    /// The calling thread is inside the library, and its accesses are left out.
    static IGNORED: Cell<bool> = const { Cell::new(false) };
}

/// The address that functions of native streams release and acquire: gevt does not see how far each stream has come.
pub(crate) static NATIVE_STREAMS: u64 = 0;

/// Announces that the calling thread's work so far happens before work after a later [`acquire`] of the same address.
#[inline]
pub(crate) fn release<T>(through: &T) {
    if process::is_sanitized() {
        release_name(std::ptr::from_ref(through).addr());
    }
}

/// Like [`release`], of an event that is about to be recorded on a native stream.
#[inline]
pub(crate) fn release_native_record<T>(event: &T) {
    if process::is_sanitized() {
        release(event);
        release(&NATIVE_STREAMS);
    }
}

/// Announces that the work before each earlier [`release`] of the same address has happened.
#[inline]
pub(crate) fn acquire<T>(through: &T) {
    if process::is_sanitized() {
        acquire_name(std::ptr::from_ref(through).addr());
    }
}

/// Like [`release`], where there is a sanitizer, by the address that is a name for what is handed over through.
#[cold]
pub(crate) fn release_name(address: usize) {
    announce(Order::Release, address);
}

/// Like [`acquire`], in the same way.
#[cold]
pub(crate) fn acquire_name(address: usize) {
    announce(Order::Acquire, address);
}

fn announce(order: Order, address: usize) {
    // Announcements count only where accesses do.
    let _outside = Inside::pass(Scope::Program);
    super::get().inspect(|probe| probe.order(order, address));
}

/// Runs the program's function, whose accesses count.
#[inline]
pub(crate) fn outside<R>(function: impl FnOnce() -> R) -> R {
    let _outside = process::is_sanitized().then(|| Inside::pass(Scope::Program));
    function()
}

/// The calling thread is inside the library, or again outside of it, until this is dropped.
#[must_use]
pub struct Inside(Option<Scope>);

impl Inside {
    /// Leaves the calling thread's accesses out from now on, if there is a sanitizer.
    #[inline]
    pub fn enter() -> Inside {
        if process::is_sanitized() { Inside::pass(Scope::Library) } else { Inside(None) }
    }

    /// Passes to the scope, unless the thread is there.
    #[cold]
    fn pass(scope: Scope) -> Inside {
        let is_ignored = scope == Scope::Library;
        let passes = IGNORED.replace(is_ignored) != is_ignored;
        if passes {
            super::get().inspect(|probe| probe.pass(scope, true));
        }
        Inside(passes.then_some(scope))
    }
}

impl Drop for Inside {
    #[inline]
    fn drop(&mut self) {
        if let Some(scope) = self.0 {
            IGNORED.set(scope == Scope::Program);
            super::get().inspect(|probe| probe.pass(scope, false));
        }
    }
}
