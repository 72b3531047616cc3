//! How many blocks of a kernel a device could hold.

use crate::boundary::{Out, exports};
use crate::kernel::of_symbol;
use crate::occupancy::{write_active, write_room};
use std::ffi::c_int;

exports! { inside;
    fn cudaOccupancyMaxActiveBlocksPerMultiprocessor(to: Out<c_int>, function: usize, block: c_int, shared: usize) {
        of_symbol(function)?;
        write_active(to, block, shared, 0)
    }
    fn cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(to: Out<c_int>, function: usize, block: c_int, shared: usize, flags: u32) {
        of_symbol(function)?;
        write_active(to, block, shared, flags)
    }
    fn cudaOccupancyAvailableDynamicSMemPerBlock(to: Out<usize>, function: usize, blocks: c_int, block: c_int) {
        of_symbol(function)?;
        write_room(to, blocks, block)
    }
}
