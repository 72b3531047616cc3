//! Initialisation, errors, and the look-up of functions.

use crate::boundary::{self, Out, exports};
use crate::code::{self, Code};
use crate::device;
use crate::symbols::{self, Found};
use std::ffi::{CStr, c_char, c_void};

fn look_up(
    name: *const c_char,
    function: Out<*mut c_void>,
    version: i32,
    flags: u64,
    status: Out<i32>,
) -> code::Result {
    if name.is_null() || function.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    // SAFETY: the caller promises a C string.
    let name = unsafe { CStr::from_ptr(name) }.to_str().unwrap_or_default();
    let found = symbols::look_up(name, version, flags)?;
    let address = if let Found::Yes(address) = found { address } else { std::ptr::null_mut() };
    function.set(address)?;
    status.offer(match found {
        Found::Yes(_) => 0,
        Found::No => 1,
        Found::Later => 2,
    });
    if address.is_null() { Err(Code::NOT_FOUND) } else { Ok(()) }
}

exports! { always;
    fn cuInit(flags: u32) {
        if flags != 0 { Err(Code::INVALID_VALUE) } else { boundary::initialize() }
    }
    fn cuDriverGetVersion(version: Out<i32>) {
        version.set(device::VERSION)
    }
    fn cuGetErrorName(error: i32, name: Out<*const c_char>) {
        let known = code::driver_name(error);
        name.set(known.map_or(std::ptr::null(), CStr::as_ptr))?;
        known.map(drop).ok_or(Code::INVALID_VALUE)
    }
    fn cuGetErrorString(error: i32, text: Out<*const c_char>) {
        let known = code::text(error);
        text.set(known.map_or(std::ptr::null(), CStr::as_ptr))?;
        known.map(drop).ok_or(Code::INVALID_VALUE)
    }
    fn cuGetProcAddress(name: *const c_char, function: Out<*mut c_void>, version: i32, flags: u64) {
        look_up(name, function, version, flags, Out::NONE)
    }
    fn cuGetProcAddress_v2(name: *const c_char, function: Out<*mut c_void>, version: i32, flags: u64, status: Out<i32>) {
        look_up(name, function, version, flags, status)
    }
    /// The tables by which NVIDIA's libraries reach past the driver API are not there.
    fn cuGetExportTable(table: Out<*const c_void>, _id: *const c_void) {
        table.set(std::ptr::null())?;
        Err(Code::NOT_FOUND)
    }
}
