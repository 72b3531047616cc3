//! Advice about where memory should be. It is checked and has no effect.

use crate::block;
use crate::code::{Code, Result};
use crate::pool::{Location, ON_DEVICE, ON_HOST};

/// The device number that means the host.
const HOST: i32 = -1;

impl Location {
    /// The location of a device number, where -1 is the host.
    pub(crate) fn of_device(number: i32) -> Location {
        match number {
            HOST => Location { kind: ON_HOST, id: 0 },
            id => Location { kind: ON_DEVICE, id },
        }
    }
}

/// Refuses a range that is neither managed memory nor pageable host memory.
fn check(address: usize, len: usize) -> Result {
    let is_good = match block::find(address) {
        Some(block) => !block.is_device() && len <= block.len - (address - block.start),
        None => address != 0,
    };
    if is_good && len != 0 { Ok(()) } else { Err(Code::INVALID_VALUE) }
}

/// Takes advice, by CUDA's number.
pub(crate) fn advise(address: usize, len: usize, advice: i32, at: Location) -> Result {
    check(address, len)?;
    match advice {
        1 | 2 | 4 => Ok(()),
        3 | 5 | 6 => at.device().map(drop).map_err(|_| Code::INVALID_DEVICE),
        _ => Err(Code::INVALID_VALUE),
    }
}

/// Takes a prefetch request.
pub(crate) fn prefetch(address: usize, len: usize, to: Location) -> Result {
    check(address, len)?;
    to.device().map(drop).map_err(|_| Code::INVALID_DEVICE)
}
