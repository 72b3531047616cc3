//! The driver's version, and the lookup of its functions.

use crate::boundary::{Out, Text, exports};
use crate::code::{Code, Result};
use crate::{boundary, context, device, symbols};
use std::ffi::{CStr, c_char, c_void};

/// Looks up a function for a caller built for `version`.
fn look_up(name: Text, function: Out<*mut c_void>, version: i32, flags: u64, status: Out<i32>) -> Result {
    function.check()?;
    let found = symbols::look_up(name.get()?, version, flags)?;
    function.set(found.address)?;
    status.offer(found.status);
    if found.address.is_null() { Err(Code::NOT_FOUND) } else { Ok(()) }
}

exports! { always, runtime;
    fn cuDriverGetVersion = cudaDriverGetVersion(version: Out<i32>) { version.set(device::VERSION) }
}

exports! { always;
    /// NVIDIA's libraries use these tables to bypass the driver API. They do not exist here.
    fn cuGetExportTable(table: Out<*const c_void>, _id: *const c_void) {
        table.set(std::ptr::null())?;
        Err(Code::NOT_FOUND)
    }
    fn cuInit(flags: u32) { if flags != 0 { Err(Code::INVALID_VALUE) } else { boundary::initialize() } }
    fn cuGetErrorName(error: i32, name: Out<*const c_char>) {
        let known = cuda_abi::driver_name(error);
        name.set(known.map_or(std::ptr::null(), CStr::as_ptr))?;
        known.map(drop).ok_or(Code::INVALID_VALUE)
    }
    fn cuGetErrorString(error: i32, text: Out<*const c_char>) {
        let known = cuda_abi::text(error);
        text.set(known.map_or(std::ptr::null(), CStr::as_ptr))?;
        known.map(drop).ok_or(Code::INVALID_VALUE)
    }
    fn cuGetProcAddress(name: Text, function: Out<*mut c_void>, version: i32, flags: u64) { look_up(name, function, version, flags, Out::NONE) }
    fn cuGetProcAddress_v2(name: Text, function: Out<*mut c_void>, version: i32, flags: u64, status: Out<i32>) {
        look_up(name, function, version, flags, status)
    }
}

exports! { driver;
    fn cuProfilerStart() { context::current().map(drop) }
    fn cuProfilerStop() { context::current().map(drop) }
}
