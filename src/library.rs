//! The library itself: its version, and what its numbers mean.

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

/// The version of the library that is loaded: major * 10000 + minor * 100 + patch. Cannot fail.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_version() -> u32 {
    VERSION
}

/// The version of the library that is loaded, such as "0.1.0". The string is static. Cannot fail.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_version_string() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// The name of a status as this header spells it, as cuGetErrorName.
///
/// Returns a static string, "GEVT_ERROR_UNRECOGNIZED" for a number that gevt has no name for. Never NULL. Cannot fail.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_status_name(status: gevt_status_t) -> *const c_char {
    Status(status).name().as_ptr()
}

/// One sentence that says what a status means, as cuGetErrorString.
///
/// Returns a static string, also for a number that gevt has no text for. Never NULL. Cannot fail.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_status_string(status: gevt_status_t) -> *const c_char {
    Status(status).text().as_ptr()
}

/// The name of a detail as this header spells it.
///
/// Returns a static string, "GEVT_DETAIL_UNRECOGNIZED" for another number. Never NULL. Cannot fail.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_detail_name(detail: gevt_detail_t) -> *const c_char {
    if detail == 0 {
        return c"GEVT_DETAIL_NONE".as_ptr();
    }
    let known = Detail::ALL.iter().find(|known| **known as i32 == detail);
    known.map_or(c"GEVT_DETAIL_UNRECOGNIZED", |detail| detail.c_name()).as_ptr()
}

/// The number of events that exist: created, adopted or imported, and not destroyed. For leak checks.
///
/// Takes about a nanosecond for each event that ever existed at once. Events that other threads create or destroy
/// meanwhile may or may not be counted. 0 in a forked child and during exit. Cannot fail.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_live_events() -> usize {
    catch_unwind(Event::live).unwrap_or(0)
}
