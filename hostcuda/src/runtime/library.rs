//! Versions, and the look-up of driver functions.

use crate::boundary::{Out, exports};
use crate::code::{Code, Result};
use crate::symbols::{self, Found};
use crate::{device, shared};
use std::ffi::{CStr, c_char, c_void};

/// The version that the process was built with, as far as its libraries tell.
fn version() -> i32 {
    if shared::is_needed(c"libcudart.so.12") && !shared::is_needed(c"libcudart.so.13") {
        12090
    } else {
        device::VERSION
    }
}

fn entry_point(name: *const c_char, function: Out<*mut c_void>, version: i32, flags: u64, status: Out<i32>) -> Result {
    if name.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    // SAFETY: the caller promises a C string.
    let name = unsafe { CStr::from_ptr(name) }.to_str().unwrap_or_default();
    let (address, found) = match symbols::look_up(name, version, flags)? {
        Found::Yes(address) => (address, 0),
        Found::No => (std::ptr::null_mut(), 1),
        Found::Later => (std::ptr::null_mut(), 2),
    };
    function.set(address)?;
    status.offer(found);
    Ok(())
}

exports! { runtime;
    fn cudaDriverGetVersion(to: Out<i32>) {
        to.set(device::VERSION)
    }
    fn cudaRuntimeGetVersion(to: Out<i32>) {
        to.set(version())
    }
    fn cudaGetDriverEntryPoint(name: *const c_char, function: Out<*mut c_void>, flags: u64, status: Out<i32>) {
        entry_point(name, function, version(), flags, status)
    }
    fn cudaGetDriverEntryPoint_ptsz(name: *const c_char, function: Out<*mut c_void>, flags: u64, status: Out<i32>) {
        entry_point(name, function, version(), if flags == 0 { 2 } else { flags }, status)
    }
    fn cudaGetDriverEntryPointByVersion(name: *const c_char, function: Out<*mut c_void>, version: i32, flags: u64, status: Out<i32>) {
        entry_point(name, function, version, flags, status)
    }
    fn cudaGetDriverEntryPointByVersion_ptsz(name: *const c_char, function: Out<*mut c_void>, version: i32, flags: u64, status: Out<i32>) {
        entry_point(name, function, version, if flags == 0 { 2 } else { flags }, status)
    }
    fn cudaProfilerStart() {
        Ok(())
    }
    fn cudaProfilerStop() {
        Ok(())
    }
}
