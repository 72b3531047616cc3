//! Errors: the calling thread's last one, and their names.

use crate::boundary;
use std::ffi::{CStr, c_char};

const UNKNOWN: &CStr = c"unrecognized error code";

#[unsafe(no_mangle)]
extern "C" fn cudaGetLastError() -> i32 {
    boundary::last(true)
}

#[unsafe(no_mangle)]
extern "C" fn cudaPeekAtLastError() -> i32 {
    boundary::last(false)
}

#[unsafe(no_mangle)]
extern "C" fn cudaGetErrorName(error: i32) -> *const c_char {
    cuda_abi::runtime_name(error).unwrap_or(UNKNOWN).as_ptr()
}

#[unsafe(no_mangle)]
extern "C" fn cudaGetErrorString(error: i32) -> *const c_char {
    cuda_abi::text(error).unwrap_or(UNKNOWN).as_ptr()
}
