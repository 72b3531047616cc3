//! Context settings without an effect here: limits and peer access.

use crate::code::{Code, Result};
use crate::device;
use gevt_core::lock::Mutex;
use std::collections::BTreeSet;

/// The limits by number, and the devices to which access is enabled.
pub(crate) struct Settings(Mutex<([usize; DEFAULTS.len()], BTreeSet<i32>)>);

/// The default limits by CUDA's number: stack, printf buffer, heap, device launch depth (later devices have no such limit), pending device
/// launches, L2 fetch granularity, persisting L2 cache, shared memory.
const DEFAULTS: [usize; 8] = [1024, 8_650_752, 8 << 20, 0, 2048, 64, 11_796_480, 232_448];
const DEPTH: usize = 3;

impl Default for Settings {
    fn default() -> Settings {
        Settings(Mutex::new((DEFAULTS, BTreeSet::new())))
    }
}

/// Refuses a number that no limit has.
fn check_limit(number: usize) -> Result<usize> {
    match number {
        DEPTH => Err(Code::UNSUPPORTED_LIMIT),
        number if number < DEFAULTS.len() => Ok(number),
        _ => Err(Code::INVALID_VALUE),
    }
}

impl Settings {
    pub(crate) fn limit(&self, number: u32) -> Result<usize> {
        Ok(self.0.lock().0[check_limit(number as usize)?])
    }

    pub(crate) fn set_limit(&self, number: u32, value: usize) -> Result {
        let number = check_limit(number as usize)?;
        self.0.lock().0[number] = value;
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
