//! Kernel properties, settings and occupancy. A function and a library kernel are the same here. The runtime names a kernel by its stub in
//! the host code.

use crate::boundary::{Out, exports, through};
use crate::code::{Code, Result};
use crate::device;
use crate::handle::Handle;
use crate::kernel::{MOST_SHARED, SHARED, find, of_handle, of_symbol};
use std::ffi::c_int;

/// cudaFuncAttributes: the bytes of shared, constant and local memory, then threads, registers, the PTX and the binary version, the cache
/// mode, the most dynamic shared memory and the carve-out. CUDA 13 has more fields after them.
#[repr(C)]
#[derive(Clone, Copy)]
struct Attributes {
    bytes: [usize; 3],
    values: [c_int; 30],
}

fn attributes() -> Attributes {
    let mut values = [0; 30];
    for (value, number) in values.iter_mut().zip([0, 4, 5, 6, 7, 8, 9]) {
        *value = attribute(number).unwrap_or(0);
    }
    Attributes { bytes: [0; 3], values }
}

/// Returns a kernel attribute, by CUDA's number. All kernels count as small.
fn attribute(number: i32) -> Result<i32> {
    Ok(match number {
        0 => 1024,
        4 => 32,
        5 | 6 => device::CAPABILITY.0 * 10 + device::CAPABILITY.1,
        8 => SHARED,
        9 => -1,
        1..=15 => 0,
        _ => return Err(Code::INVALID_VALUE),
    })
}

/// Checks a kernel attribute. None has an effect.
fn check_attribute(number: i32, value: i32) -> Result {
    match number {
        8 if (0..=MOST_SHARED).contains(&value) => Ok(()),
        9 if (-1..=100).contains(&value) => Ok(()),
        10..=15 => Ok(()),
        _ => Err(Code::INVALID_VALUE),
    }
}

/// All kernels count as small: only the threads of a block matter to how many blocks fit on a multiprocessor.
const THREADS: i32 = 2048;
const MOST_BLOCKS: i32 = 32;
const MOST_BLOCK: i32 = 1024;

/// Writes how many blocks of `block` threads fit on a multiprocessor.
fn write_active(to: Out<c_int>, block: c_int, flags: u32) -> Result {
    if flags > 1 || !(1..=MOST_BLOCK).contains(&block) {
        return Err(Code::INVALID_VALUE);
    }
    to.check()?.set((THREADS / block).min(MOST_BLOCKS))
}

exports! { driver;
    fn cuFuncGetAttribute = cuKernelGetAttribute(to: Out<c_int>, number: c_int, kernel: Handle) {
        of_handle(kernel)?;
        to.check()?.set(attribute(number)?)
    }
    fn cuFuncSetCacheConfig = cuKernelSetCacheConfig(kernel: Handle, _config: c_int) { of_handle(kernel).map(drop) }
    fn cuFuncSetAttribute(kernel: Handle, number: c_int, value: c_int) {
        of_handle(kernel)?;
        check_attribute(number, value)
    }
    fn cuKernelSetAttribute(number: c_int, value: c_int, kernel: Handle, device: i32) {
        of_handle(kernel)?;
        device::check(device)?;
        check_attribute(number, value)
    }
    fn cuKernelGetFunction(to: Out<Handle>, kernel: Handle) { to.check()?.set(of_handle(kernel)?.handle()?) }
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(to: Out<c_int>, kernel: Handle, block: c_int, _shared: usize) {
        of_handle(kernel)?;
        write_active(to, block, 0)
    }
    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(to: Out<c_int>, kernel: Handle, block: c_int, _shared: usize, flags: u32) {
        of_handle(kernel)?;
        write_active(to, block, flags)
    }
}

exports! { inside;
    fn cudaOccupancyMaxActiveBlocksPerMultiprocessor(to: Out<c_int>, function: usize, block: c_int, shared: usize) {
        let kernel = of_symbol(function)?.handle()?;
        through!(cuOccupancyMaxActiveBlocksPerMultiprocessor(to: Out<c_int>, kernel: Handle, block: c_int, shared: usize))
    }
    fn cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(to: Out<c_int>, function: usize, block: c_int, shared: usize, flags: u32) {
        let kernel = of_symbol(function)?.handle()?;
        through!(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(to: Out<c_int>, kernel: Handle, block: c_int, shared: usize, flags: u32))
    }
    fn cudaFuncGetAttributes(to: Out<Attributes>, function: usize) {
        of_symbol(function)?;
        to.check()?.set(attributes())
    }
    fn cudaFuncSetAttribute(function: usize, number: c_int, value: c_int) {
        let kernel = of_symbol(function)?.handle()?;
        through!(cuFuncSetAttribute(kernel: Handle, number: c_int, value: c_int))
    }
    fn cudaFuncSetCacheConfig(function: usize, config: c_int) {
        let kernel = of_symbol(function)?.handle()?;
        through!(cuFuncSetCacheConfig(kernel: Handle, config: c_int))
    }
    fn cudaGetFuncBySymbol = cudaGetKernel(to: Out<Handle>, function: usize) {
        let to = to.check()?;
        to.set(find(function).ok_or(Code::INVALID_DEVICE_FUNCTION)?.handle()?)
    }
}
