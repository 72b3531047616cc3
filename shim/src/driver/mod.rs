//! The real driver: where it is, and its functions.

pub(crate) mod call;
pub(crate) mod call_site;
pub(crate) mod elf;
pub(crate) mod handlers;
mod libc_look_up;
pub(crate) mod memory;
pub(crate) mod types;

use crate::table::Symbol;
use std::ffi::{CStr, c_char, c_void};
use std::ops::ControlFlow;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};

pub(crate) use call::real;
pub(crate) use libc_look_up::{dlsym, dlvsym, real_dlsym, real_dlvsym};

/// The driver's name for the loader.
const LIBRARY: &CStr = c"libcuda.so.1";

/// Kept in a row where the driver was asked and has no such function.
const ABSENT: *mut c_void = ptr::without_provenance_mut(1);

/// What the loader calls the driver. It is never given back, so that the addresses stay good.
static HANDLE: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// The driver's function of that name, for one of ours that was called. Loads the driver where nobody did: a program that
/// is linked to the drop-in alone.
#[inline]
pub(crate) fn real(symbol: Symbol) -> Option<NonNull<c_void>> {
    let known = symbol.row().real.load(Ordering::Acquire);
    if known > ABSENT { NonNull::new(known) } else { find(symbol, true) }
}

/// The driver's function of that name, where a driver is loaded.
pub(crate) fn loaded(symbol: Symbol) -> Option<NonNull<c_void>> {
    let known = symbol.row().real.load(Ordering::Acquire);
    if known > ABSENT { NonNull::new(known) } else { find(symbol, false) }
}

/// Is there a driver, or can one be loaded?
pub(crate) fn is_there() -> bool {
    next(c"cuInit").or_else(|| in_library(c"cuInit", true)).is_some()
}

/// Is it the driver's own function of that name, rather than one that another library has under it?
pub(crate) fn is_drivers(symbol: Symbol, address: NonNull<c_void>) -> bool {
    loaded(symbol) == Some(address) || in_library(symbol.name(), false) == Some(address)
}

/// Does the address lie in this library?
pub(crate) fn is_ours(address: *const c_void) -> bool {
    let mut is_ours = false;
    elf::each(|object| {
        is_ours = object.holds(marker());
        if !is_ours {
            return ControlFlow::Continue(());
        }
        is_ours = object.holds(address);
        ControlFlow::Break(())
    });
    is_ours
}

/// Is it the handle of the program as a whole?
pub(crate) fn is_program(handle: *mut c_void) -> bool {
    // SAFETY: NULL is the program.
    !handle.is_null() && unsafe { libc::dlopen(ptr::null(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) } == handle
}

/// An address in this library.
pub(crate) fn marker() -> *const c_void {
    (&raw const HANDLE).cast()
}

#[cold]
fn find(symbol: Symbol, may_load: bool) -> Option<NonNull<c_void>> {
    let real = &symbol.row().real;
    if real.load(Ordering::Acquire) == ABSENT {
        return None;
    }
    let found = next(symbol.name()).or_else(|| in_library(symbol.name(), may_load));
    match found {
        Some(address) => real.store(address.as_ptr(), Ordering::Release),
        // Whoever comes later may load a driver that has it.
        None if HANDLE.load(Ordering::Acquire).is_null() => {}
        None => real.store(ABSENT, Ordering::Release),
    }
    found
}

/// The function of that name that the program would have reached without us: the next one in the order of look-ups.
fn next(name: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: the name is a C string.
    let address = unsafe { real_dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    let address = not_ours(address)?;
    keep(address);
    Some(address)
}

fn in_library(name: &CStr, may_load: bool) -> Option<NonNull<c_void>> {
    let handle = handle(may_load);
    if handle.is_null() {
        return None;
    }
    // SAFETY: the handle is the loader's, and the name a C string.
    let address = unsafe { real_dlsym(handle, name.as_ptr()) };
    not_ours(address)
}

/// An answer of the loader's, unless it is this library, which may have been loaded as the driver.
fn not_ours(address: *mut c_void) -> Option<NonNull<c_void>> {
    NonNull::new(address).filter(|address| !is_ours(address.as_ptr()))
}

/// The driver's handle; NULL where there is none, or none is loaded and none may be.
fn handle(may_load: bool) -> *mut c_void {
    let known = HANDLE.load(Ordering::Acquire);
    if !known.is_null() {
        return known;
    }
    let how = if may_load { libc::RTLD_LAZY } else { libc::RTLD_LAZY | libc::RTLD_NOLOAD };
    // SAFETY: the name is a C string. Loading a driver is what the program's own call would do.
    let handle = unsafe { libc::dlopen(LIBRARY.as_ptr(), how) };
    if !handle.is_null() {
        HANDLE.store(handle, Ordering::Release);
    }
    handle
}

/// Keeps the object at that address loaded.
fn keep(address: NonNull<c_void>) {
    let mut place = libc::Dl_info {
        dli_fname: ptr::null::<c_char>(),
        dli_fbase: ptr::null_mut(),
        dli_sname: ptr::null(),
        dli_saddr: ptr::null_mut(),
    };
    // SAFETY: `place` can be written.
    let is_known = unsafe { libc::dladdr(address.as_ptr(), &raw mut place) } != 0;
    if is_known && !place.dli_fname.is_null() {
        // SAFETY: the loader's own name of the object. The handle is not given back on purpose.
        unsafe { libc::dlopen(place.dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    }
}
