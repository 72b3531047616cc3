//! What `cuGetProcAddress`, the driver's own lookup, hands out.
//!
//! The addresses that it gives are not those of the exported symbols, so the name, the version and the flags tell which
//! function it is.

use crate::driver::function::Function;
use crate::driver::types::CUresult;
use crate::process;
use cuda_abi::{GET_PROC_ADDRESS_PER_THREAD, LISTED};
use std::ffi::{CStr, c_char, c_void};
use std::mem::transmute;
use std::ptr::{self, NonNull};

/// Why the driver is asked about every event from now on.
pub(super) const NEW_FORM: &str = "the driver has a function around events that the drop-in does not know";

type GetProcAddress = unsafe extern "C-unwind" fn(*const c_char, *mut *mut c_void, i32, u64) -> CUresult;

/// Replaces the driver's function that a lookup has returned with ours.
///
/// # Safety
/// `name` is a C string, and `out` can be read and written.
pub(super) unsafe fn exchange(
    functions: &'static [Function],
    name: *const c_char,
    out: *mut *mut c_void,
    version: i32,
    flags: u64,
) {
    // SAFETY: the caller's promise.
    let (name, given) = unsafe { (CStr::from_ptr(name), out.read_unaligned()) };
    let Ok(asked) = name.to_str() else { return };
    if given.is_null() {
        return;
    }
    // The newest form that the caller may have and the driver has.
    let per_thread = flags & GET_PROC_ADDRESS_PER_THREAD != 0;
    let row = |symbol: &str| functions.iter().find(|function| function.name.to_bytes() == symbol.as_bytes());
    let form =
        cuda_abi::newest(asked, version, per_thread, |form| row(form.symbol).is_some_and(|row| row.loaded().is_some()));
    // A later driver may have a later form of the function, with other parameters, that callers of its version get.
    let is_new = version > LISTED && at(functions, name, flags) != Some(given);
    match form.and_then(|form| row(form.symbol)).filter(|_| !is_new) {
        // SAFETY: the caller's promise.
        Some(function) => unsafe { out.write_unaligned(function.ours()) },
        None if is_events(functions, asked) => process::distrust(NEW_FORM),
        None => {}
    }
}

/// Returns whether the driver's function of that name, which is not one of ours, may make, record or end events unseen.
pub(super) fn is_events(functions: &[Function], asked: &str) -> bool {
    functions.iter().any(|function| function.form().is_some_and(|form| form.name == asked))
        || asked.contains("Event") && !asked.ends_with("GetEvent")
}

/// Returns what the driver gives for that name to callers of the last version that is listed.
fn at(functions: &[Function], name: &CStr, flags: u64) -> Option<*mut c_void> {
    let look_up = functions.iter().find(|function| function.name == c"cuGetProcAddress")?.real()?;
    // SAFETY: the driver's function of this name, which has this signature.
    let look_up = unsafe { transmute::<NonNull<c_void>, GetProcAddress>(look_up) };
    let mut given = ptr::null_mut();
    // SAFETY: the name is a C string, and `given` can be written.
    let code = unsafe { look_up(name.as_ptr(), &raw mut given, LISTED, flags) };
    (code == 0).then_some(given)
}
