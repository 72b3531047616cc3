//! Versions, and the lookup of driver functions.

use crate::boundary::{Out, Text, exports, through};
use crate::code::{Code, Result};
use crate::device;
use cuda_abi::GET_PROC_ADDRESS_PER_THREAD;
use std::ffi::c_void;

/// The CUDA version that libcudart.so.12 reports.
const TWELVE: i32 = 12090;

/// Looks up a function. A missing function is not an error.
fn look_up(name: Text, function: Out<*mut c_void>, version: i32, flags: u64, status: Out<i32>) -> Result {
    match through(name, function, version, flags, status) {
        Err(Code::NOT_FOUND) => Ok(()),
        other => other,
    }
}

fn through(name: Text, function: Out<*mut c_void>, version: i32, flags: u64, status: Out<i32>) -> Result {
    through!(cuGetProcAddress_v2(name: Text, function: Out<*mut c_void>, version: i32, flags: u64, status: Out<i32>))
}

/// Same as [`look_up`], for callers whose stream 0 is the calling thread's own.
fn look_up_own(name: Text, function: Out<*mut c_void>, version: i32, flags: u64, status: Out<i32>) -> Result {
    look_up(name, function, version, if flags == 0 { GET_PROC_ADDRESS_PER_THREAD } else { flags }, status)
}

exports! { runtime;
    fn cudaRuntimeGetVersion(to: Out<i32>) { to.set(device::VERSION) }
    fn cudaGetDriverEntryPoint(name: Text, function: Out<*mut c_void>, flags: u64, status: Out<i32>) {
        look_up(name, function, device::VERSION, flags, status)
    }
    fn cudaGetDriverEntryPoint_ptsz(name: Text, function: Out<*mut c_void>, flags: u64, status: Out<i32>) {
        look_up_own(name, function, device::VERSION, flags, status)
    }
    fn cudaGetDriverEntryPointByVersion(name: Text, function: Out<*mut c_void>, version: i32, flags: u64, status: Out<i32>) {
        look_up(name, function, version, flags, status)
    }
    fn cudaGetDriverEntryPointByVersion_ptsz(name: Text, function: Out<*mut c_void>, version: i32, flags: u64, status: Out<i32>) {
        look_up_own(name, function, version, flags, status)
    }
    fn cudaProfilerStart = cudaProfilerStop() { Ok(()) }
}

exports! { runtime_12;
    fn cudaRuntimeGetVersion(to: Out<i32>) { to.set(TWELVE) }
    fn cudaGetDriverEntryPoint(name: Text, function: Out<*mut c_void>, flags: u64, status: Out<i32>) {
        look_up(name, function, TWELVE, flags, status)
    }
    fn cudaGetDriverEntryPoint_ptsz(name: Text, function: Out<*mut c_void>, flags: u64, status: Out<i32>) {
        look_up_own(name, function, TWELVE, flags, status)
    }
}
