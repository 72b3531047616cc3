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
mod tests {
    use super::*;

    fn address(name: &str, version: i32, flags: u64) -> usize {
        look_up(name, version, flags).expect("the flags are good").address as usize
    }

    #[test]
    fn versions_and_flags_choose_the_form() {
        assert_ne!(address("cuEventElapsedTime", 3020, 0), address("cuEventElapsedTime", 13000, 0));
        assert_ne!(address("cuEventDestroy", 3020, 0), address("cuEventDestroy", 4000, 0));
        assert_ne!(address("cuEventRecord", 12000, 0), address("cuEventRecord", 12000, 2));
        assert_eq!(address("cuEventQuery", 12000, 0), address("cuEventQuery", 12000, 2));
        assert_eq!(address("cuCtxCreate", 1000, 0), 0);
        assert_eq!(address("cuNothing", 13000, 0), 0);
    }
}
