//! The lookup functions that stand behind our own: libc's, or those of another library that took libc's over.
//!
//! A reference to `dlsym` would find ours, with a version or without, so they are read out of the loaded objects.

use super::elf;
use super::own::marker;
use std::ffi::{CStr, c_char, c_void};
use std::ops::ControlFlow;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};

type Dlsym = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;
type Dlvsym = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> *mut c_void;

static DLOPEN: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
static DLSYM: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
static DLVSYM: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// The real `dlsym`'s address.
pub(crate) fn dlsym() -> *mut c_void {
    known(&DLSYM, c"dlsym")
}

/// The real `dlvsym`'s address.
pub(crate) fn dlvsym() -> *mut c_void {
    known(&DLVSYM, c"dlvsym")
}

/// The real `dlopen`'s address.
pub(crate) fn dlopen() -> *mut c_void {
    known(&DLOPEN, c"dlopen")
}

/// # Safety
/// As `dlsym`. The caller that it sees is this library.
#[inline(never)]
pub(crate) unsafe fn real_dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void {
    // SAFETY: `dlsym` gives the address of a function of that signature; the rest is the caller's promise.
    unsafe { std::mem::transmute::<*mut c_void, Dlsym>(dlsym())(handle, name) }
}

/// # Safety
/// As `dlvsym`. The caller that it sees is this library.
#[inline(never)]
pub(crate) unsafe fn real_dlvsym(handle: *mut c_void, name: *const c_char, version: *const c_char) -> *mut c_void {
    // SAFETY: `dlvsym` gives the address of a function of that signature; the rest is the caller's promise.
    unsafe { std::mem::transmute::<*mut c_void, Dlvsym>(dlvsym())(handle, name, version) }
}

fn known(place: &AtomicPtr<c_void>, name: &CStr) -> *mut c_void {
    let known = place.load(Ordering::Acquire);
    if !known.is_null() {
        return known;
    }
    let found = behind_us(name).map_or(none as *mut c_void, NonNull::as_ptr);
    place.store(found, Ordering::Release);
    found
}

/// The first function of that name behind this library, or else before it.
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
