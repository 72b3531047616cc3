//! Memory that graphs allocate. It has its address from the moment that its node is made, until the graphs are gone.

use crate::block::{self, Kind};
use crate::code::{Code, Result};
use crate::context::Context;
use crate::device;
use parking_lot::Mutex;

/// A node's memory.
pub(crate) struct GraphMemory {
    pub(crate) start: usize,
    pub(crate) len: usize,
    pub(crate) device: i32,
}

/// Bytes that graphs have, and the most so far: by device.
static USED: Mutex<Vec<(u64, u64)>> = Mutex::new(Vec::new());

fn count(device: i32, change: impl FnOnce(&mut (u64, u64))) {
    let mut used = USED.lock();
    let at = usize::try_from(device).unwrap_or(0);
    if used.len() <= at {
        used.resize(at + 1, (0, 0));
    }
    change(&mut used[at]);
}

impl GraphMemory {
    /// Allocates memory.
    pub(crate) fn new(context: &'static Context, len: usize) -> Result<GraphMemory> {
        let start = block::allocate(context, len, Kind::Graph, 0)?;
        count(context.device, |(now, most)| {
            *now += len as u64;
            *most = (*most).max(*now);
        });
        Ok(GraphMemory { start, len, device: context.device })
    }
}

impl Drop for GraphMemory {
    fn drop(&mut self) {
        if let Some(block) = block::take(self.start, &[Kind::Graph]) {
            block.free();
            count(self.device, |(now, _)| *now = now.saturating_sub(self.len as u64));
        }
    }
}

/// Returns what graphs use of a device's memory, by CUDA's number: now, at most, reserved now, and at most.
pub(crate) fn attribute(device: i32, number: u32) -> Result<u64> {
    let mut found = (0, 0);
    count(device::check(device)?, |counts| found = *counts);
    match number {
        0 | 2 => Ok(found.0),
        1 | 3 => Ok(found.1),
        _ => Err(Code::INVALID_VALUE),
    }
}

/// Sets one of the greatest values so far to 0, which is the present one.
pub(crate) fn set_attribute(device: i32, number: u32, value: u64) -> Result {
    if !matches!(number, 1 | 3) || value != 0 {
        return Err(Code::INVALID_VALUE);
    }
    count(device::check(device)?, |(now, most)| *most = *now);
    Ok(())
}
