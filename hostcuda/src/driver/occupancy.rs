//! How many blocks of a kernel fit on a device.

use crate::boundary::{Out, exports};
use crate::handle::Handle;
use crate::kernel::of_handle;
use crate::occupancy::{write_active, write_best};
use std::ffi::{c_int, c_void};

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
