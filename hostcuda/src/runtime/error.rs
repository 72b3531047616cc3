//! The calling thread's last error, and error names.

use crate::boundary;
use std::ffi::{CStr, c_char};

const UNKNOWN: &CStr = c"unrecognized error code";

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
