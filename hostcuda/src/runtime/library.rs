//! Versions, and the lookup of driver functions.

use crate::boundary::{Out, Text, exports};
use crate::code::Result;
use crate::device;
use crate::driver::library::look_up;
use std::ffi::c_void;

/// Looks up a function. A missing function is not an error.
pub(super) fn look_up_form(
    name: Text,
    function: Out<*mut c_void>,
    version: i32,
    flags: u64,
    status: Out<i32>,
) -> Result {
    look_up(name, function, version, flags, status).map(drop)
}

exports! { runtime;
    fn cudaRuntimeGetVersion(to: Out<i32>) {
        to.set(device::VERSION)
    }
    fn cudaGetDriverEntryPoint(name: Text, function: Out<*mut c_void>, flags: u64, status: Out<i32>) {
        look_up_form(name, function, device::VERSION, flags, status)
    }
    fn cudaGetDriverEntryPoint_ptsz(name: Text, function: Out<*mut c_void>, flags: u64, status: Out<i32>) {
        look_up_form(name, function, device::VERSION, if flags == 0 { 2 } else { flags }, status)
    }
    fn cudaGetDriverEntryPointByVersion(name: Text, function: Out<*mut c_void>, version: i32, flags: u64, status: Out<i32>) {
        look_up_form(name, function, version, flags, status)
    }
    fn cudaGetDriverEntryPointByVersion_ptsz(name: Text, function: Out<*mut c_void>, version: i32, flags: u64, status: Out<i32>) {
        look_up_form(name, function, version, if flags == 0 { 2 } else { flags }, status)
    }
    fn cudaProfilerStart() {
        Ok(())
    }
    fn cudaProfilerStop() {
        Ok(())
    }
}
