//! Context settings without an effect here: limits, cache configuration, and peer access.

use crate::code::{Code, Result};
use crate::device;
use gevt_core::lock::Mutex;
use std::collections::BTreeSet;

/// The values by number, and the devices to which access is enabled.
pub(crate) struct Settings(Mutex<([usize; DEFAULTS.len()], BTreeSet<i32>)>);

/// The numbers of the settings that are no limits: the cache preference and the shared memory bank width.
pub(crate) const CACHE: u32 = 8;
pub(crate) const BANK: u32 = 9;
/// The defaults. Limits have CUDA's numbers: stack, printf buffer, heap, device launch depth (later devices have no such limit), pending
/// device launches, L2 fetch granularity, persisting L2 cache, shared memory.
const DEFAULTS: [usize; 10] = [1024, 8_650_752, 8 << 20, 0, 2048, 64, 11_796_480, 232_448, 0, 0];
const DEPTH: u32 = 3;
const FETCHED: u32 = 5;
const MOST_FETCHED: usize = 128;

impl Default for Settings {
    fn default() -> Settings {
        Settings(Mutex::new((DEFAULTS, BTreeSet::new())))
    }
}

/// Refuses a number that no limit has.
fn check_limit(number: u32) -> Result {
    match number {
        DEPTH => Err(Code::UNSUPPORTED_LIMIT),
        0..CACHE => Ok(()),
        _ => Err(Code::INVALID_VALUE),
    }
}

impl Settings {
    pub(crate) fn get(&self, number: u32) -> usize {
        self.0.lock().0[number as usize]
    }

    /// Sets one of the choices 0 to `most`.
    pub(crate) fn choose(&self, number: u32, choice: i32, most: i32) -> Result {
        if !(0..=most).contains(&choice) {
            return Err(Code::INVALID_VALUE);
        }
        self.0.lock().0[number as usize] = choice as usize;
        Ok(())
    }

    pub(crate) fn limit(&self, number: u32) -> Result<usize> {
        check_limit(number).map(|()| self.get(number))
    }

    /// Sets a limit. Fetch granularity is clamped to its maximum.
    pub(crate) fn set_limit(&self, number: u32, value: usize) -> Result {
        check_limit(number)?;
        self.0.lock().0[number as usize] = if number == FETCHED { value.min(MOST_FETCHED) } else { value };
        Ok(())
    }

    /// Enables peer access from one device to another. All memory is host memory, so it has no effect on copies.
    pub(crate) fn enable_peer(&self, own: i32, other: i32, flags: u32) -> Result {
        if flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        if device::check(other)? == own {
            return Err(Code::PEER_ACCESS_UNSUPPORTED);
        }
        if self.0.lock().1.insert(other) { Ok(()) } else { Err(Code::PEER_ACCESS_ALREADY_ENABLED) }
    }

    pub(crate) fn disable_peer(&self, other: i32) -> Result {
        device::check(other)?;
        if self.0.lock().1.remove(&other) { Ok(()) } else { Err(Code::PEER_ACCESS_NOT_ENABLED) }
    }
}
