//! Versions, and the look-up of driver functions.

use super::needed::is_twelve;
use crate::both::library::look_up;
use crate::boundary::{Out, Text, exports};
use crate::device;
use std::ffi::c_void;

/// Returns the CUDA version that the process was built with, as far as its libraries show.
fn version() -> i32 {
    if is_twelve() { 12090 } else { device::VERSION }
}

exports! { runtime;
    fn cudaRuntimeGetVersion(to: Out<i32>) {
        to.set(version())
    }
    fn cudaGetDriverEntryPoint(name: Text, function: Out<*mut c_void>, flags: u64, status: Out<i32>) {
        look_up(name, function, version(), flags, status).map(drop)
    }
    fn cudaGetDriverEntryPoint_ptsz(name: Text, function: Out<*mut c_void>, flags: u64, status: Out<i32>) {
        look_up(name, function, version(), if flags == 0 { 2 } else { flags }, status).map(drop)
    }
    fn cudaGetDriverEntryPointByVersion(name: Text, function: Out<*mut c_void>, version: i32, flags: u64, status: Out<i32>) {
        look_up(name, function, version, flags, status).map(drop)
    }
    fn cudaGetDriverEntryPointByVersion_ptsz(name: Text, function: Out<*mut c_void>, version: i32, flags: u64, status: Out<i32>) {
        look_up(name, function, version, if flags == 0 { 2 } else { flags }, status).map(drop)
    }
    fn cudaProfilerStart() {
        Ok(())
    }
    fn cudaProfilerStop() {
        Ok(())
    }
}
