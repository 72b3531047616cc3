//! How many blocks of a kernel a device could hold: by its threads, and by shared memory.

use crate::boundary::Out;
use crate::code::{Code, Result};
use crate::context;
use crate::device;
use crate::kernel::MOST_SHARED;
use std::ffi::c_int;

/// How much dynamic shared memory a block of so many threads has.
pub(crate) type SharedOf = extern "C" fn(c_int) -> usize;

const THREADS: i32 = 2048;
const MOST_BLOCKS: i32 = 32;
const WARP: i32 = 32;
const MOST_BLOCK: i32 = 1024;
const SHARED: usize = 228 << 10;
/// Shared memory that each block has of the system's.
const RESERVED: usize = 1 << 10;

fn active(block: i32, shared: usize) -> Result<i32> {
    if !(1..=MOST_BLOCK).contains(&block) {
        return Err(Code::INVALID_VALUE);
    }
    let by_shared = SHARED.checked_div(shared.saturating_add(RESERVED)).unwrap_or(0);
    let by_threads = THREADS / (((block - 1) / WARP + 1) * WARP);
    Ok(by_threads.min(MOST_BLOCKS).min(i32::try_from(by_shared).unwrap_or(MOST_BLOCKS)))
}

/// Writes how many blocks fit.
pub(crate) fn write_active(to: Out<c_int>, block: c_int, shared: usize, flags: u32) -> Result {
    if flags > 1 {
        return Err(Code::INVALID_VALUE);
    }
    to.check()?.set(active(block, shared)?)
}

/// Writes the dynamic shared memory that each of so many blocks could have.
pub(crate) fn write_room(to: Out<usize>, blocks: c_int, block: c_int) -> Result {
    if blocks < 1 || blocks > active(block, 0)? {
        return Err(Code::INVALID_VALUE);
    }
    to.check()?.set((SHARED / blocks as usize - RESERVED).min(MOST_SHARED as usize))
}

/// Returns a block of as many threads as fit, and the blocks that fill a device with them.
pub(crate) fn best(shared_of: Option<SharedOf>, shared: usize, limit: i32) -> Result<(i32, i32)> {
    let most = if (1..=MOST_BLOCK).contains(&limit) { limit } else { MOST_BLOCK };
    let processors = device::attribute(16, context::current()?.device)?;
    let mut found = (0, 0);
    for block in (1..=most / WARP).map(|warps| warps * WARP).chain([most]) {
        let blocks = active(block, shared_of.map_or(shared, |shared_of| shared_of(block)))?;
        if blocks * block > 0 && blocks * block >= found.0 * found.1 {
            found = (blocks, block);
        }
    }
    Ok((found.0 * processors, found.1))
}
