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

fn announce(order: Order, address: usize) {
    super::get().inspect(|probe| probe.order(order, address));
}

fn pass(scope: Scope, begins: bool) {
    super::get().inspect(|probe| probe.pass(scope, begins));
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
    // Announcements count only where accesses do.
    heed(|| announce(Order::Release, address));
}

/// Like [`acquire`], in the same way.
#[cold]
pub(crate) fn acquire_name(address: usize) {
    heed(|| announce(Order::Acquire, address));
}

/// Runs the program's function, whose accesses count.
#[inline]
pub(crate) fn outside<R>(function: impl FnOnce() -> R) -> R {
    if process::is_sanitized() { heed(function) } else { function() }
}

#[cold]
fn heed<R>(function: impl FnOnce() -> R) -> R {
    /// The function may unwind.
    struct Heeded(bool);
    impl Drop for Heeded {
        fn drop(&mut self) {
            if self.0 {
                pass(Scope::Program, false);
                IGNORED.set(true);
            }
        }
    }
    let _heeded = Heeded(IGNORED.replace(false));
    if _heeded.0 {
        pass(Scope::Program, true);
    }
    function()
}

/// The calling thread is inside the library until this is dropped.
#[must_use]
pub struct Inside(bool);

impl Inside {
    /// Leaves the calling thread's accesses out from now on, if there is a sanitizer.
    #[inline]
    pub fn enter() -> Inside {
        Inside(process::is_sanitized() && begin())
    }
}

#[cold]
fn begin() -> bool {
    let is_outermost = !IGNORED.replace(true);
    if is_outermost {
        pass(Scope::Library, true);
    }
    is_outermost
}

impl Drop for Inside {
    #[inline]
    fn drop(&mut self) {
        if self.0 {
            IGNORED.set(false);
            pass(Scope::Library, false);
        }
    }
}
