//! Advice about where memory should be. It has no effect, and is remembered for those who ask.

use crate::block;
use crate::code::{Code, Result};
use crate::pool::{Location, ON_DEVICE, ON_HOST};
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};

/// What the program said about a block.
#[derive(Clone, Default)]
struct Advice {
    read_mostly: bool,
    preferred: Option<Location>,
    prefetched: Option<Location>,
    accessed_by: BTreeSet<Location>,
}

/// Advice, by the number of the block: a number is never used twice.
static ADVICE: Mutex<BTreeMap<u64, Advice>> = Mutex::new(BTreeMap::new());

/// No device, as CUDA numbers it.
const NO_DEVICE: i32 = -2;
/// The host, where a number of a device is expected.
const HOST: i32 = -1;

impl Location {
    /// The place that a device's number names, where -1 is the host.
    pub(crate) fn of_device(number: i32) -> Location {
        match number {
            HOST => Location { kind: ON_HOST, id: 0 },
            id => Location { kind: ON_DEVICE, id },
        }
    }

    fn number(self) -> i32 {
        if self.kind == ON_DEVICE { self.id } else { HOST }
    }
}

/// Returns the number of the managed block that holds the bytes. Memory of the program's is as good, and has none.
fn managed(address: usize, len: usize) -> Result<Option<u64>> {
    match block::find(address) {
        Some(block) if block.is_device() || len == 0 || len > block.len - (address - block.start) => {
            Err(Code::INVALID_VALUE)
        }
        Some(block) => Ok(Some(block.id)),
        None if address == 0 || len == 0 => Err(Code::INVALID_VALUE),
        None => Ok(None),
    }
}

fn change(block: Option<u64>, change: impl FnOnce(&mut Advice)) {
    if let Some(id) = block {
        change(ADVICE.lock().entry(id).or_default());
    }
}

/// Takes advice, by CUDA's number.
pub(crate) fn advise(address: usize, len: usize, advice: i32, at: Location) -> Result {
    let block = managed(address, len)?;
    if matches!(advice, 3 | 5 | 6) {
        at.device().map_err(|_| Code::INVALID_DEVICE)?;
    }
    match advice {
        1 | 2 => change(block, |known| known.read_mostly = advice == 1),
        3 => change(block, |known| known.preferred = Some(at)),
        4 => change(block, |known| known.preferred = None),
        5 => change(block, |known| _ = known.accessed_by.insert(at)),
        6 => change(block, |known| _ = known.accessed_by.remove(&at)),
        _ => return Err(Code::INVALID_VALUE),
    }
    Ok(())
}

/// Remembers where memory was to be brought.
pub(crate) fn prefetch(address: usize, len: usize, to: Location) -> Result {
    let block = managed(address, len)?;
    to.device().map_err(|_| Code::INVALID_DEVICE)?;
    change(block, |known| known.prefetched = Some(to));
    Ok(())
}

/// Returns what was said about memory, by CUDA's number: an int, or several of which the last one stands for all that follow.
pub(crate) fn attribute(address: usize, len: usize, number: u32) -> Result<Vec<i32>> {
    let advice = match managed(address, len)? {
        Some(id) => ADVICE.lock().get(&id).cloned().unwrap_or_default(),
        None => Advice::default(),
    };
    let device = |place: Option<Location>| place.map_or(NO_DEVICE, Location::number);
    Ok(vec![match number {
        1 => i32::from(advice.read_mostly),
        2 => device(advice.preferred),
        3 => {
            return Ok(advice.accessed_by.iter().map(|place| place.number()).chain([NO_DEVICE]).collect());
        }
        4 => device(advice.prefetched),
        5 => advice.preferred.map_or(0, |place| place.kind),
        6 => device(advice.preferred),
        7 => advice.prefetched.map_or(0, |place| place.kind),
        8 => device(advice.prefetched),
        _ => return Err(Code::INVALID_VALUE),
    }])
}

/// Forgets what was said about a block that is gone.
pub(crate) fn forget(block: u64) {
    ADVICE.lock().remove(&block);
}
