//! A function that both the driver and this library export: its row of the table, and its address in the driver.

use super::library;
use super::types::CUresult;
use super::types::code::{NOT_FOUND, NOT_INITIALIZED};
use cuda_abi::DriverFunction;
use std::ffi::{CStr, c_void};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// Kept in `real` if the driver was asked and has no such function.
const ABSENT: *mut c_void = ptr::without_provenance_mut(1);

/// Calls a driver function, which must have this signature; without it, the answer is NOT_SUPPORTED. The thread is not cancelled inside,
/// as the callers catch panics.
macro_rules! driver {
    ($function:expr, ($($argument:expr => $type:ty),*)) => {
        match $function.loaded() {
            Some(address) => {
                let _uncancelled = gevt_core::process::Uncancelled::new();
                std::mem::transmute::<std::ptr::NonNull<std::ffi::c_void>, unsafe extern "C" fn($($type),*) -> CUresult>(address)($($argument),*)
            }
            None => $crate::driver::types::code::NOT_SUPPORTED,
        }
    };
}
pub(super) use driver;

/// A row of the table.
pub(crate) struct Function {
    pub(crate) name: &'static CStr,
    /// For GEVT_STATS=1: how many calls the program has made, and how many of them reached the driver.
    pub(crate) calls: [AtomicU64; 2],
    ours: fn() -> *mut c_void,
    /// The driver's function, once it was looked for.
    real: AtomicPtr<c_void>,
}

impl Function {
    pub(crate) const fn new(name: &'static CStr, ours: fn() -> *mut c_void) -> Function {
        let calls = [const { AtomicU64::new(0) }; 2];
        Function { name, calls, ours, real: AtomicPtr::new(ptr::null_mut()) }
    }

    /// Returns the address of this library's function.
    pub(crate) fn ours(&self) -> *mut c_void {
        (self.ours)()
    }

    /// Returns the driver's function. Loads the driver if it is not loaded, for a program that is linked to this library alone.
    #[inline]
    pub(crate) fn real(&self) -> Option<NonNull<c_void>> {
        let known = self.real.load(Ordering::Acquire);
        if known > ABSENT { NonNull::new(known) } else { self.find(true) }
    }

    /// Returns the driver's function, if a driver is loaded and has it.
    pub(crate) fn loaded(&self) -> Option<NonNull<c_void>> {
        let known = self.real.load(Ordering::Acquire);
        if known > ABSENT { NonNull::new(known) } else { self.find(false) }
    }

    #[cold]
    fn find(&self, may_load: bool) -> Option<NonNull<c_void>> {
        if self.real.load(Ordering::Acquire) == ABSENT {
            return None;
        }
        let found = library::next(self.name).or_else(|| library::in_library(self.name, may_load));
        match found {
            Some(address) => self.real.store(address.as_ptr(), Ordering::Release),
            // A driver that has the function may be loaded later.
            None if !library::is_known() => {}
            None => self.real.store(ABSENT, Ordering::Release),
        }
        found
    }

    /// Returns whether it is the driver's own function of that name, rather than one that another library has under it.
    pub(crate) fn is_drivers(&self, address: NonNull<c_void>) -> bool {
        self.loaded() == Some(address) || library::in_library(self.name, false) == Some(address)
    }

    /// Returns the form of the function that this row is. The functions that the drop-in asks for itself have none.
    pub(crate) fn form(&self) -> Option<&'static DriverFunction> {
        cuda_abi::driver(self.name.to_str().ok()?)
    }

    /// Returns whether the function blocks until something is done.
    pub(crate) fn waits(&self) -> bool {
        self.name.to_bytes().windows(11).any(|part| part == b"Synchronize")
    }

    /// Returns whether the function takes stream 0 as the calling thread's own.
    pub(crate) fn is_per_thread(&self) -> bool {
        self.form().is_some_and(|form| form.per_thread)
    }
}

/// The answer of a function that the driver does not have.
#[cold]
pub(crate) fn absent() -> CUresult {
    if library::is_there() { NOT_FOUND } else { NOT_INITIALIZED }
}
