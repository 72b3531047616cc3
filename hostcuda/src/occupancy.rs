//! How many blocks of a kernel fit on a device. All kernels count as small: only the threads of a block matter.

use crate::boundary::Out;
use crate::code::{Code, Result};
use crate::context;
use crate::device;
use std::ffi::c_int;

const THREADS: i32 = 2048;
const MOST_BLOCKS: i32 = 32;
const MOST_BLOCK: i32 = 1024;

/// Writes how many blocks of `block` threads fit on a multiprocessor.
pub(crate) fn write_active(to: Out<c_int>, block: c_int, flags: u32) -> Result {
    if flags > 1 || !(1..=MOST_BLOCK).contains(&block) {
        return Err(Code::INVALID_VALUE);
    }
    to.check()?.set((THREADS / block).min(MOST_BLOCKS))
}

/// Writes the largest block size, and how many such blocks fill a device.
pub(crate) fn write_best(grid: Out<c_int>, block: Out<c_int>, limit: c_int, flags: u32) -> Result {
    if flags > 1 {
        return Err(Code::INVALID_VALUE);
    }
    block.check()?;
    let threads = if (1..=MOST_BLOCK).contains(&limit) { limit } else { MOST_BLOCK };
    grid.check()?.set(device::attribute(16, context::current()?.device)? * (THREADS / threads).min(MOST_BLOCKS))?;
    block.set(threads)
}
