//! What `cuGetProcAddress`, the driver's own look-up, hands out.
//!
//! The addresses that it gives are not those of the exported symbols, so the name, the version and the flags tell which
//! function it is.

use crate::driver::function::Function;
use crate::driver::types::CUresult;
use crate::process;
use std::ffi::{CStr, c_char, c_void};
use std::mem::transmute;
use std::ptr::{self, NonNull};

/// The CUDA version up to which all forms of the functions are listed.
pub(super) const LISTED: i32 = 13050;

/// Why the driver is asked about every event from now on.
pub(super) const NEW_FORM: &str = "the driver has a function around events that the drop-in does not know";

/// In the flags: functions whose default stream is the calling thread's own.
const PER_THREAD: u64 = 2;

type GetProcAddress = unsafe extern "C-unwind" fn(*const c_char, *mut *mut c_void, i32, u64) -> CUresult;

/// Puts our function in the place of the driver's that a look-up just gave.
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
    let (asked, given) = unsafe { (CStr::from_ptr(name), out.read_unaligned()) };
    if given.is_null() {
        return;
    }
    let function = form(functions, asked.to_bytes(), version, flags);
    // A later driver may have a later form of the function, with other parameters, that callers of its version get.
    let is_new = version > LISTED && at(functions, asked, flags) != Some(given);
    match function.filter(|_| !is_new) {
        // SAFETY: the caller's promise.
        Some(function) => unsafe { out.write_unaligned(function.ours()) },
        None if is_events(functions, asked.to_bytes()) => process::distrust(NEW_FORM),
        None => {}
    }
}

/// Returns whether the driver's function of that name, which is not one of ours, may make, record or end events unseen.
pub(super) fn is_events(functions: &[Function], asked: &[u8]) -> bool {
    functions.iter().any(|function| function.asked() == asked)
        || asked.windows(5).any(|part| part == b"Event") && !asked.ends_with(b"GetEvent")
}

/// Returns the form of a function that the driver gives to callers of a version: the newest that they may have and it has.
fn form(functions: &'static [Function], asked: &[u8], version: i32, flags: u64) -> Option<&'static Function> {
    let forms = || functions.iter().filter(|function| function.asked() == asked);
    let newest = |per_thread: bool| {
        let fit = forms().filter(|function| function.is_per_thread() == per_thread && function.since <= version);
        fit.filter(|function| function.loaded().is_some()).max_by_key(|function| function.since)
    };
    let own = if flags & PER_THREAD != 0 { newest(true) } else { None };
    own.or_else(|| newest(false))
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
