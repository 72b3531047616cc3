//! How many blocks of a kernel fit on a device.

use crate::boundary::{Out, exports};
use crate::kernel::of_symbol;
use crate::occupancy::write_active;
use std::ffi::c_int;

exports! { inside;
    fn cudaOccupancyMaxActiveBlocksPerMultiprocessor(to: Out<c_int>, function: usize, block: c_int, _shared: usize) {
        of_symbol(function)?;
        write_active(to, block, 0)
    }
    fn cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(to: Out<c_int>, function: usize, block: c_int, _shared: usize, flags: u32) {
        of_symbol(function)?;
        write_active(to, block, flags)
    }
}
