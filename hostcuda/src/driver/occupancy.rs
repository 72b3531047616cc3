//! How many blocks of a kernel a device could hold.

use crate::boundary::{Out, exports};
use crate::code::{Code, Result};
use crate::handle::Handle;
use crate::kernel::of_handle;
use crate::occupancy::{SharedOf, best, write_active, write_room};
use std::ffi::c_int;

fn potential(
    grid: Out<c_int>,
    block: Out<c_int>,
    kernel: Handle,
    shared: (Option<SharedOf>, usize),
    limit: c_int,
) -> Result {
    of_handle(kernel)?;
    grid.check()?;
    block.check()?;
    let (blocks, threads) = best(shared.0, shared.1, limit)?;
    grid.set(blocks)?;
    block.set(threads)
}

exports! { driver;
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(to: Out<c_int>, kernel: Handle, block: c_int, shared: usize) {
        of_handle(kernel)?;
        write_active(to, block, shared, 0)
    }
    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(to: Out<c_int>, kernel: Handle, block: c_int, shared: usize, flags: u32) {
        of_handle(kernel)?;
        write_active(to, block, shared, flags)
    }
    fn cuOccupancyAvailableDynamicSMemPerBlock(to: Out<usize>, kernel: Handle, blocks: c_int, block: c_int) {
        of_handle(kernel)?;
        write_room(to, blocks, block)
    }
    fn cuOccupancyMaxPotentialBlockSize(grid: Out<c_int>, block: Out<c_int>, kernel: Handle, shared_of: Option<SharedOf>, shared: usize, limit: c_int) {
        potential(grid, block, kernel, (shared_of, shared), limit)
    }
    fn cuOccupancyMaxPotentialBlockSizeWithFlags(grid: Out<c_int>, block: Out<c_int>, kernel: Handle, shared_of: Option<SharedOf>, shared: usize, limit: c_int, flags: u32) {
        if flags > 1 {
            return Err(Code::INVALID_VALUE);
        }
        potential(grid, block, kernel, (shared_of, shared), limit)
    }
}
