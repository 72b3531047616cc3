//! `cuGetProcAddress`: the driver's own look-up.
//!
//! The addresses that it gives are not those of the exported symbols, so the name, the version and the flags tell which
//! function it is.

use crate::driver::types::Code;
use crate::driver::{self, real};
use crate::table::{LISTED, Symbol};
use std::ffi::{CStr, c_char, c_void};

/// In the flags: functions whose default stream is the calling thread's own.
const PER_THREAD: u64 = 2;

/// The driver's function of that name; ours for those that this library has.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuGetProcAddress(
    name: *const c_char,
    out: *mut *mut c_void,
    version: i32,
    flags: u64,
) -> Code {
    // SAFETY: the caller's own arguments.
    let code = unsafe { real!(cuGetProcAddress(name, out, version, flags)) };
    if code == 0 {
        // SAFETY: the driver has taken the arguments for good.
        unsafe { exchange(name, out, version, flags) };
    }
    code
}

/// The same, and says why where there is no such function.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuGetProcAddress_v2(
    name: *const c_char,
    out: *mut *mut c_void,
    version: i32,
    flags: u64,
    found: *mut i32,
) -> Code {
    // SAFETY: the caller's own arguments.
    let code = unsafe { real!(cuGetProcAddress_v2(name, out, version, flags, found)) };
    if code == 0 {
        // SAFETY: the driver has taken the arguments for good.
        unsafe { exchange(name, out, version, flags) };
    }
    code
}

/// Puts our function in the place of the driver's that a look-up just gave.
///
/// # Safety
/// `name` is a C string, and `out` can be read and written.
unsafe fn exchange(name: *const c_char, out: *mut *mut c_void, version: i32, flags: u64) {
    // SAFETY: the caller's promise.
    let (asked, given) = unsafe { (CStr::from_ptr(name), out.read_unaligned()) };
    if given.is_null() {
        return;
    }
    let Some(symbol) = form(asked.to_bytes(), version, flags) else { return };
    // A later driver may have a later form of the function, with other parameters, that callers of its version get.
    if version > LISTED && at(name, LISTED, flags) != Some(given) {
        return;
    }
    // SAFETY: the caller's promise.
    unsafe { out.write_unaligned(symbol.ours()) };
}

/// The form of a function that the driver gives to callers of a version: the newest that they may have and it has.
fn form(asked: &[u8], version: i32, flags: u64) -> Option<Symbol> {
    let forms = || Symbol::ALL.iter().copied().filter(|symbol| symbol.asked() == asked);
    let newest = |per_thread: bool| {
        let fit = forms().filter(|symbol| symbol.is_per_thread() == per_thread && symbol.row().since <= version);
        fit.filter(|symbol| driver::loaded(*symbol).is_some()).max_by_key(|symbol| symbol.row().since)
    };
    let own = if flags & PER_THREAD != 0 { newest(true) } else { None };
    own.or_else(|| newest(false))
}

/// What the driver gives for that name to callers of that version.
fn at(name: *const c_char, version: i32, flags: u64) -> Option<*mut c_void> {
    let mut given = std::ptr::null_mut();
    // SAFETY: the name is the caller's C string, which the driver has just read, and `given` can be written.
    let code = unsafe { real!(cuGetProcAddress(name, &raw mut given, version, flags)) };
    (code == 0).then_some(given)
}
