//! Context settings without an effect here: limits, cache configuration, and peer access.

use crate::code::{Code, Result};
use crate::device;
use gevt_core::lock::Mutex;
use std::collections::BTreeSet;

#[derive(Default)]
pub(crate) struct Settings(Mutex<Values>);

struct Values {
    limits: [usize; LIMITS],
    cache: i32,
    bank: i32,
    peers: BTreeSet<i32>,
}

const LIMITS: usize = 8;
/// The default limits, by CUDA's number: stack, printf buffer, heap, device launch depth (later devices have no such limit), pending device
/// launches, L2 fetch granularity, persisting L2 cache, shared memory.
const DEFAULTS: [usize; LIMITS] = [1024, 8_650_752, 8 << 20, 0, 2048, 64, 11_796_480, 232_448];
const DEPTH: u32 = 3;
/// The most that the last two may be.
const MOST_FETCHED: usize = 128;
const FETCHED: usize = 5;

/// The largest values for the cache preference and the shared memory bank width.
const CACHES: i32 = 3;
const BANKS: i32 = 2;

impl Default for Values {
    fn default() -> Values {
        Values { limits: DEFAULTS, cache: 0, bank: 0, peers: BTreeSet::new() }
    }
}

fn check_limit(number: u32) -> Result {
    match number {
        DEPTH => Err(Code::UNSUPPORTED_LIMIT),
        _ if (number as usize) < LIMITS => Ok(()),
        _ => Err(Code::INVALID_VALUE),
    }
}

impl Settings {
    pub(crate) fn limit(&self, number: u32) -> Result<usize> {
        check_limit(number)?;
        Ok(self.0.lock().limits[number as usize])
    }

    /// Sets a limit. Fetch granularity is clamped to its maximum.
    pub(crate) fn set_limit(&self, number: u32, value: usize) -> Result {
        check_limit(number)?;
        self.0.lock().limits[number as usize] =
            if number as usize == FETCHED { value.min(MOST_FETCHED) } else { value };
        Ok(())
    }

    pub(crate) fn cache(&self) -> i32 {
        self.0.lock().cache
    }

    pub(crate) fn set_cache(&self, way: i32) -> Result {
        if !(0..=CACHES).contains(&way) {
            return Err(Code::INVALID_VALUE);
        }
        self.0.lock().cache = way;
        Ok(())
    }

    pub(crate) fn bank(&self) -> i32 {
        self.0.lock().bank
    }

    pub(crate) fn set_bank(&self, width: i32) -> Result {
        if !(0..=BANKS).contains(&width) {
            return Err(Code::INVALID_VALUE);
        }
        self.0.lock().bank = width;
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
        if self.0.lock().peers.insert(other) { Ok(()) } else { Err(Code::PEER_ACCESS_ALREADY_ENABLED) }
    }

    pub(crate) fn disable_peer(&self, other: i32) -> Result {
        device::check(other)?;
        if self.0.lock().peers.remove(&other) { Ok(()) } else { Err(Code::PEER_ACCESS_NOT_ENABLED) }
    }
}
