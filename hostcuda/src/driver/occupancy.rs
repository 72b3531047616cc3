//! How many blocks of a kernel fit on a device. All kernels count as small: only the threads of a block matter.

use crate::boundary::{Out, exports, through};
use crate::code::{Code, Result};
use crate::handle::Handle;
use crate::kernel::{of_handle, of_symbol};
use crate::{context, device};
use std::ffi::{c_int, c_void};

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

/// Writes the largest block size, and how many such blocks fill a device.
fn write_best(grid: Out<c_int>, block: Out<c_int>, limit: c_int, flags: u32) -> Result {
    if flags > 1 {
        return Err(Code::INVALID_VALUE);
    }
    block.check()?;
    let threads = if (1..=MOST_BLOCK).contains(&limit) { limit } else { MOST_BLOCK };
    grid.check()?.set(device::attribute(16, context::current()?.device)? * (THREADS / threads).min(MOST_BLOCKS))?;
    block.set(threads)
}

exports! { driver;
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(to: Out<c_int>, kernel: Handle, block: c_int, _shared: usize) {
        of_handle(kernel)?;
        write_active(to, block, 0)
    }
    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(to: Out<c_int>, kernel: Handle, block: c_int, _shared: usize, flags: u32) {
        of_handle(kernel)?;
        write_active(to, block, flags)
    }
    fn cuOccupancyMaxPotentialBlockSize(grid: Out<c_int>, block: Out<c_int>, kernel: Handle, _shared_of: *const c_void, _shared: usize, limit: c_int) {
        of_handle(kernel)?;
        write_best(grid, block, limit, 0)
    }
    fn cuOccupancyMaxPotentialBlockSizeWithFlags(grid: Out<c_int>, block: Out<c_int>, kernel: Handle, _shared_of: *const c_void, _shared: usize, limit: c_int, flags: u32) {
        of_handle(kernel)?;
        write_best(grid, block, limit, flags)
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
}
