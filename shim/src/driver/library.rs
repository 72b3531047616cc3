//! The real driver: the library that holds it.

use super::address::in_object;
use super::elf::{self, is_ours, marker};
use super::libc_look_up::real_dlsym;
use std::ffi::{CStr, c_void};
use std::ops::ControlFlow;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};

/// The driver's name for the loader.
const LIBRARY: &CStr = c"libcuda.so.1";

/// What the loader calls the driver. It is never closed, so addresses stay valid.
static HANDLE: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// Returns whether there is a driver, or one can be loaded.
pub(crate) fn is_there() -> bool {
    next(c"cuInit").or_else(|| in_library(c"cuInit", true)).is_some()
}

/// Returns whether the driver was loaded here and its functions are looked for in it.
pub(super) fn is_known() -> bool {
    !HANDLE.load(Ordering::Acquire).is_null()
}

/// Returns the function of that name that the program would have reached without this library: the next one in the order
/// of lookups. Its object stays loaded.
pub(super) fn next(name: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: the name is a C string.
    let address = unsafe { real_dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    let address = not_ours(address)?;
    keep(address);
    Some(address)
}

/// Returns the function of that name in the driver's library, which is loaded if it is not and `may_load` says so.
pub(crate) fn in_library(name: &CStr, may_load: bool) -> Option<NonNull<c_void>> {
    let handle = handle(may_load);
    if handle.is_null() {
        return None;
    }
    // SAFETY: the handle is the loader's, and the name a C string.
    let address = unsafe { real_dlsym(handle, name.as_ptr()) };
    not_ours(address)
}

/// Returns whether it is the handle of the program as a whole.
pub(crate) fn is_program(handle: *mut c_void) -> bool {
    // SAFETY: NULL is the program.
    !handle.is_null() && unsafe { libc::dlopen(ptr::null(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) } == handle
}

/// Drops an answer of the loader's that is this library, which may have been loaded as the driver.
fn not_ours(address: *mut c_void) -> Option<NonNull<c_void>> {
    NonNull::new(address).filter(|address| !is_ours(address.as_ptr()))
}

/// Returns the driver's handle; NULL if no driver is found, or if it is not loaded and may not be.
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
    if let Some(info) = in_object(address.as_ptr()).filter(|info| !info.dli_fname.is_null()) {
        // SAFETY: the loader's own name of the object. The handle is not given back on purpose.
        unsafe { libc::dlopen(info.dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    }
}

/// Returns why some programs' calls do not come by here, if an object that is looked through before this library says so.
pub(crate) fn way_round() -> Option<&'static str> {
    let mut reason = None;
    let driver = in_library(c"cuEventRecord", false);
    elf::each(|object| {
        if object.holds(marker()) {
            return ControlFlow::Break(());
        }
        if object.symbol(c"dlsym").is_some() || object.symbol(c"dlvsym").is_some() {
            reason = Some("the drop-in was loaded late, or another library's dlsym stands in front of it");
        } else if driver.is_some() && object.symbol(c"cuEventRecord") == driver {
            reason = Some("the driver is linked in front of the drop-in");
        }
        if reason.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    reason
}
