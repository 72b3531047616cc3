//! Initialisation, errors, the look-up of functions, and a profiler that there is not.

use crate::both::library;
use crate::boundary::{self, Out, Text, exports};
use crate::code::{Code, Result};
use crate::context;
use std::ffi::{CStr, c_char, c_void};

fn look_up(name: Text, function: Out<*mut c_void>, version: i32, flags: u64, status: Out<i32>) -> Result {
    function.check()?;
    if library::look_up(name, function, version, flags, status)? { Ok(()) } else { Err(Code::NOT_FOUND) }
}

exports! { always;
    fn cuInit(flags: u32) {
        if flags != 0 { Err(Code::INVALID_VALUE) } else { boundary::initialize() }
    }
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
    fn cuGetProcAddress(name: Text, function: Out<*mut c_void>, version: i32, flags: u64) {
        look_up(name, function, version, flags, Out::NONE)
    }
    fn cuGetProcAddress_v2(name: Text, function: Out<*mut c_void>, version: i32, flags: u64, status: Out<i32>) {
        look_up(name, function, version, flags, status)
    }
}

exports! { driver;
    fn cuProfilerStart() {
        context::current().map(drop)
    }
    fn cuProfilerStop() {
        context::current().map(drop)
    }
}
