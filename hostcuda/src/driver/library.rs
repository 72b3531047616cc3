//! Versions, the lookup of driver functions, and errors.

use crate::boundary::{Out, Text, exports, through};
use crate::code::{Code, Result};
use crate::{boundary, context, device, symbols};
use cuda_abi::GET_PROC_ADDRESS_PER_THREAD;
use std::ffi::{CStr, c_char, c_void};

/// The CUDA version that libcudart.so.12 reports.
const TWELVE: i32 = 12090;
const UNKNOWN: &CStr = c"unrecognized error code";

/// Looks up a function for a caller built for `version`.
fn look_up(name: Text, function: Out<*mut c_void>, version: i32, flags: u64, status: Out<i32>) -> Result {
    function.check()?;
    let found = symbols::look_up(name.get()?, version, flags)?;
    function.set(found.address)?;
    status.offer(found.status);
    if found.address.is_null() { Err(Code::NOT_FOUND) } else { Ok(()) }
}

exports! { always, runtime_always;
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

/// Looks up a function. A missing function is not an error.
fn find(name: Text, function: Out<*mut c_void>, version: i32, flags: u64, status: Out<i32>) -> Result {
    let look_up = || through!(cuGetProcAddress_v2(name: Text, function: Out<*mut c_void>, version: i32, flags: u64, status: Out<i32>));
    match look_up() {
        Err(Code::NOT_FOUND) => Ok(()),
        other => other,
    }
}

/// Same as [`find`], for callers whose stream 0 is the calling thread's own.
fn find_own(name: Text, function: Out<*mut c_void>, version: i32, flags: u64, status: Out<i32>) -> Result {
    find(name, function, version, if flags == 0 { GET_PROC_ADDRESS_PER_THREAD } else { flags }, status)
}

// Initializes nothing: a program may choose its devices after this.
exports! { runtime_always;
    fn cudaRuntimeGetVersion(to: Out<i32>) { to.set(device::VERSION) }
}

exports! { runtime_always_12;
    fn cudaRuntimeGetVersion(to: Out<i32>) { to.set(TWELVE) }
}

exports! { runtime;
    fn cudaGetDriverEntryPoint(name: Text, function: Out<*mut c_void>, flags: u64, status: Out<i32>) {
        find(name, function, device::VERSION, flags, status)
    }
    fn cudaGetDriverEntryPoint_ptsz(name: Text, function: Out<*mut c_void>, flags: u64, status: Out<i32>) {
        find_own(name, function, device::VERSION, flags, status)
    }
    fn cudaGetDriverEntryPointByVersion(name: Text, function: Out<*mut c_void>, version: i32, flags: u64, status: Out<i32>) {
        find(name, function, version, flags, status)
    }
    fn cudaGetDriverEntryPointByVersion_ptsz(name: Text, function: Out<*mut c_void>, version: i32, flags: u64, status: Out<i32>) {
        find_own(name, function, version, flags, status)
    }
    fn cudaProfilerStart = cudaProfilerStop() { Ok(()) }
}

exports! { runtime_12;
    fn cudaGetDriverEntryPoint(name: Text, function: Out<*mut c_void>, flags: u64, status: Out<i32>) {
        find(name, function, TWELVE, flags, status)
    }
    fn cudaGetDriverEntryPoint_ptsz(name: Text, function: Out<*mut c_void>, flags: u64, status: Out<i32>) {
        find_own(name, function, TWELVE, flags, status)
    }
}

#[unsafe(export_name = "gevt_cudaGetLastError")]
extern "C" fn cudaGetLastError() -> i32 {
    boundary::last(true)
}

#[unsafe(export_name = "gevt_cudaPeekAtLastError")]
extern "C" fn cudaPeekAtLastError() -> i32 {
    boundary::last(false)
}

#[unsafe(export_name = "gevt_cudaGetErrorName")]
extern "C" fn cudaGetErrorName(error: i32) -> *const c_char {
    cuda_abi::runtime_name(error).unwrap_or(UNKNOWN).as_ptr()
}

#[unsafe(export_name = "gevt_cudaGetErrorString")]
extern "C" fn cudaGetErrorString(error: i32) -> *const c_char {
    cuda_abi::text(error).unwrap_or(UNKNOWN).as_ptr()
}
