//! The exported functions about the library: its version, the names of its codes, and the number of live events.

use super::types::{gevt_detail_t, gevt_status_t};
use gevt_core::{Detail, Event, Status};
use std::ffi::c_char;
use std::panic::catch_unwind;

const fn number(digits: &str) -> u32 {
    match u32::from_str_radix(digits, 10) {
        Ok(number) => number,
        Err(_) => panic!("a part of the version is no number"),
    }
}

const VERSION: u32 = number(env!("CARGO_PKG_VERSION_MAJOR")) * 10_000
    + number(env!("CARGO_PKG_VERSION_MINOR")) * 100
    + number(env!("CARGO_PKG_VERSION_PATCH"));

/// Returns the version of the loaded library: major * 10000 + minor * 100 + patch. Compare it with GEVT_VERSION. Cannot fail.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_version() -> u32 {
    VERSION
}

/// Returns the version of the loaded library as a static string, such as "0.2.0". Cannot fail.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_version_string() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Returns the name of a status, such as "GEVT_ERROR_TIMEOUT". Like cuGetErrorName.
///
/// The string is static, and "GEVT_ERROR_UNRECOGNIZED" for an unknown code.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_status_name(status: gevt_status_t) -> *const c_char {
    Status(status).name().as_ptr()
}

/// Returns a sentence that describes a status. Like cuGetErrorString. The string is static and never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_status_string(status: gevt_status_t) -> *const c_char {
    Status(status).text().as_ptr()
}

/// Returns the name of a detail, such as "GEVT_DETAIL_STALE_HANDLE".
///
/// The string is static, and "GEVT_DETAIL_UNRECOGNIZED" for an unknown number.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_detail_name(detail: gevt_detail_t) -> *const c_char {
    if detail == 0 {
        return c"GEVT_DETAIL_NONE".as_ptr();
    }
    let known = Detail::ALL.iter().find(|known| **known as i32 == detail);
    known.map_or(c"GEVT_DETAIL_UNRECOGNIZED", |detail| detail.c_name()).as_ptr()
}

/// Returns the number of events that exist in this process, for leak checks. Cannot fail. It is 0 in a forked child and during exit.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_live_events() -> usize {
    catch_unwind(Event::live).unwrap_or(0)
}
