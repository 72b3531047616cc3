//! The lookup functions that come after our own: libc's, or another library's that took libc's over.
//!
//! A reference to `dlsym` would find ours, with a version or without, so they are read out of the loaded objects.

use super::elf::{self, marker};
use std::ffi::{CStr, c_char, c_void};
use std::ops::ControlFlow;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};

type Dlsym = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;
type Dlvsym = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> *mut c_void;

/// A lookup function, once it was looked for.
pub(crate) struct LookUp(&'static CStr, AtomicPtr<c_void>);

pub(crate) static DLOPEN: LookUp = LookUp(c"dlopen", AtomicPtr::new(ptr::null_mut()));
pub(crate) static DLSYM: LookUp = LookUp(c"dlsym", AtomicPtr::new(ptr::null_mut()));
pub(crate) static DLVSYM: LookUp = LookUp(c"dlvsym", AtomicPtr::new(ptr::null_mut()));

impl LookUp {
    /// Returns the real function's address.
    pub(crate) fn real(&self) -> *mut c_void {
        let known = self.1.load(Ordering::Acquire);
        if !known.is_null() {
            return known;
        }
        let found = behind_us(self.0).map_or(none as *mut c_void, NonNull::as_ptr);
        self.1.store(found, Ordering::Release);
        found
    }
}

/// # Safety
/// As `dlsym`. The caller that it sees is this library.
#[inline(never)]
pub(crate) unsafe fn real_dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void {
    // SAFETY: `DLSYM` is a function of that signature; the rest is the caller's promise.
    unsafe { std::mem::transmute::<*mut c_void, Dlsym>(DLSYM.real())(handle, name) }
}

/// # Safety
/// As `dlvsym`. The caller that it sees is this library.
#[inline(never)]
pub(crate) unsafe fn real_dlvsym(handle: *mut c_void, name: *const c_char, version: *const c_char) -> *mut c_void {
    // SAFETY: `DLVSYM` is a function of that signature; the rest is the caller's promise.
    unsafe { std::mem::transmute::<*mut c_void, Dlvsym>(DLVSYM.real())(handle, name, version) }
}

/// Returns the first function of that name in an object after this library, or else in one before it.
fn behind_us(name: &CStr) -> Option<NonNull<c_void>> {
    let (mut is_behind, mut before) = (false, None);
    let mut found = None;
    elf::each(|object| {
        if object.holds(marker()) {
            is_behind = true;
            return ControlFlow::Continue(());
        }
        if is_behind {
            found = object.symbol(name);
        } else if before.is_none() {
            before = object.symbol(name);
        }
        if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    found.or(before)
}

/// Stands for a function that no object has. It takes no notice of its arguments.
extern "C" fn none() -> *mut c_void {
    ptr::null_mut()
}
