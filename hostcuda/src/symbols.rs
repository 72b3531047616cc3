//! The table of the driver's functions, and the look-up in it.

use crate::code::{Code, Result};
use std::ffi::c_void;

/// One form of a driver function.
pub(crate) struct Symbol {
    /// The name to ask for, which several forms share.
    name: &'static str,
    /// The first CUDA version whose callers get this form.
    version: i32,
    /// Whether its default stream is the calling thread's own.
    per_thread: bool,
    address: unsafe extern "C" fn(),
}

/// The result of a look-up.
pub(crate) struct Found {
    /// NULL if there is no such function for the caller.
    pub(crate) address: *mut c_void,
    /// As CUDA numbers it: 0 found, 1 no such function, 2 only for callers that were built for a later version.
    pub(crate) status: i32,
}

/// Returns the newest form of a function that a caller built for `version` can have. Flags: 0, 1 the legacy default stream, 2 the
/// per-thread one.
pub(crate) fn look_up(name: &str, version: i32, flags: u64) -> Result<Found> {
    if flags > 2 {
        return Err(Code::INVALID_VALUE);
    }
    let first = DRIVER.partition_point(|symbol| symbol.name < name);
    let forms = || DRIVER[first..].iter().take_while(|symbol| symbol.name == name);
    let newest = |per_thread: bool| {
        let fit = forms().filter(|symbol| symbol.per_thread == per_thread && symbol.version <= version);
        fit.max_by_key(|symbol| symbol.version)
    };
    let own = if flags == 2 { newest(true) } else { None };
    Ok(match own.or_else(|| newest(false)) {
        Some(symbol) => Found { address: symbol.address as *mut c_void, status: 0 },
        None => Found { address: std::ptr::null_mut(), status: if forms().next().is_some() { 2 } else { 1 } },
    })
}

mod table {
    use super::Symbol;
    include!(concat!(env!("OUT_DIR"), "/symbols.rs"));
}
use table::DRIVER;

#[cfg(test)]
mod tests {
    use super::*;

    fn address(name: &str, version: i32, flags: u64) -> usize {
        look_up(name, version, flags).expect("the flags are good").address as usize
    }

    #[test]
    fn the_table_is_in_the_order_of_names() {
        assert!(DRIVER.is_sorted_by_key(|symbol| symbol.name));
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
