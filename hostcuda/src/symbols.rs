//! The lookup of driver functions.

use crate::code::{Code, Result};
use cuda_abi::{DRIVER, GET_PROC_ADDRESS_PER_THREAD, forms, newest};
use std::ffi::c_void;

/// The result of a lookup.
pub(crate) struct Found {
    /// NULL if the caller cannot have the function.
    pub(crate) address: *mut c_void,
    /// As CUDA numbers it: 0 found, 1 no such function, 2 only for callers built for a later version.
    pub(crate) status: i32,
}

/// Returns the newest form of a function that a caller built for `version` can have. Flags: 0, 1 the legacy default stream, 2 the
/// per-thread one.
pub(crate) fn look_up(name: &str, version: i32, flags: u64) -> Result<Found> {
    if flags > GET_PROC_ADDRESS_PER_THREAD {
        return Err(Code::INVALID_VALUE);
    }
    let form = newest(name, version, flags == GET_PROC_ADDRESS_PER_THREAD, |_| true);
    let at = form.and_then(|form| DRIVER.binary_search_by(|other| other.symbol.cmp(form.symbol)).ok());
    Ok(match at.and_then(|at| table::ADDRESSES.get(at)) {
        Some(address) => Found { address: *address as *mut c_void, status: 0 },
        None => Found { address: std::ptr::null_mut(), status: if forms(name).next().is_some() { 2 } else { 1 } },
    })
}

/// The addresses of the driver functions, in the order of cuda-abi's table.
mod table {
    include!(concat!(env!("OUT_DIR"), "/functions.rs"));
}

#[cfg(test)]
#[path = "symbols_tests.rs"]
mod tests;
