//! How many blocks of a kernel fit on a device. All kernels count as small: only the threads of a block matter.

use crate::boundary::{Out, exports, through};
use crate::code::{Code, Result};
use crate::handle::Handle;
use crate::kernel::{of_handle, of_symbol};
use std::ffi::c_int;

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
}
