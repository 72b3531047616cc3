//! The real driver: the library that holds it.

use super::libc_look_up::real_dlsym;
use super::own::is_ours;
use std::ffi::{CStr, c_char, c_void};
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

/// Returns the driver's handle; NULL if there is none, or none is loaded and none may be.
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
    let mut info = libc::Dl_info {
        dli_fname: ptr::null::<c_char>(),
        dli_fbase: ptr::null_mut(),
        dli_sname: ptr::null(),
        dli_saddr: ptr::null_mut(),
    };
    // SAFETY: `info` can be written.
    let is_known = unsafe { libc::dladdr(address.as_ptr(), &raw mut info) } != 0;
    if is_known && !info.dli_fname.is_null() {
        // SAFETY: the loader's own name of the object. The handle is not given back on purpose.
        unsafe { libc::dlopen(info.dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    }
}
