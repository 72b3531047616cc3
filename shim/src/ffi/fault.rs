//! Calls that often are the first to meet an error that ends a context. They are made as they are.

use super::boundary::exports;
use crate::driver::types::{Executable, Function, Stream};
use std::ffi::c_void;

exports! {
    fn cuLaunchKernel(
        function: Function,
        grid_x: u32,
        grid_y: u32,
        grid_z: u32,
        block_x: u32,
        block_y: u32,
        block_z: u32,
        shared_bytes: u32,
        stream: Stream,
        parameters: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) |call| {
        Ok(call.driver())
    }
    fn cuLaunchKernel_ptsz(
        function: Function,
        grid_x: u32,
        grid_y: u32,
        grid_z: u32,
        block_x: u32,
        block_y: u32,
        block_z: u32,
        shared_bytes: u32,
        stream: Stream,
        parameters: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) |call| {
        Ok(call.driver())
    }
    fn cuGraphLaunch(executable: Executable, stream: Stream) |call| {
        Ok(call.driver())
    }
    fn cuGraphLaunch_ptsz(executable: Executable, stream: Stream) |call| {
        Ok(call.driver())
    }
    fn cuMemcpy(to: u64, from: u64, bytes: usize) |call| {
        Ok(call.driver())
    }
    fn cuMemcpy_ptds(to: u64, from: u64, bytes: usize) |call| {
        Ok(call.driver())
    }
    fn cuMemcpyDtoH(to: *mut c_void, from: u32, bytes: u32) |call| {
        Ok(call.driver())
    }
    fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, bytes: usize) |call| {
        Ok(call.driver())
    }
    fn cuMemcpyDtoH_v2_ptds(to: *mut c_void, from: u64, bytes: usize) |call| {
        Ok(call.driver())
    }
    fn cuMemcpyHtoD(to: u32, from: *const c_void, bytes: u32) |call| {
        Ok(call.driver())
    }
    fn cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize) |call| {
        Ok(call.driver())
    }
    fn cuMemcpyHtoD_v2_ptds(to: u64, from: *const c_void, bytes: usize) |call| {
        Ok(call.driver())
    }
    fn cuMemFree(memory: u32) |call| {
        Ok(call.driver())
    }
    fn cuMemFree_v2(memory: u64) |call| {
        Ok(call.driver())
    }
}
