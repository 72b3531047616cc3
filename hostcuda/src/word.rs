//! Words of memory that streams wait for and write.

use crate::block;
use crate::code::{Code, Result};
use crate::probe::{Reached, reach};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

/// A word of 4 or 8 bytes.
#[derive(Clone, Copy)]
pub(crate) struct DeviceWord {
    address: usize,
    is_wide: bool,
}

/// The condition of a wait, by CUDA's number.
#[derive(Clone, Copy)]
pub(crate) enum Condition {
    /// The word is at least the value, in cyclic order.
    AtLeast = 0,
    Equal = 1,
    /// The word and the value have a 1 bit in common.
    And = 2,
    /// The word and the value have a 0 bit in common.
    Nor = 3,
}

/// A word that a stream waits for.
#[derive(Clone, Copy)]
pub(crate) struct WordWait {
    pub(crate) word: DeviceWord,
    pub(crate) condition: Condition,
    pub(crate) value: u64,
}

/// The result of checking the word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    Met,
    NotYet,
    /// The memory was freed.
    Nothing,
}

impl DeviceWord {
    /// Returns the word at a device address. Refuses managed memory, as CUDA's documentation does.
    pub(crate) fn new(address: usize, is_wide: bool) -> Result<DeviceWord> {
        let word = DeviceWord { address, is_wide };
        let block = block::find(address).filter(|block| !block.is_managed()).ok_or(Code::INVALID_VALUE)?;
        let fits = block.start + block.len - address >= word.len();
        if fits && address.is_multiple_of(word.len()) { Ok(word) } else { Err(Code::INVALID_VALUE) }
    }

    fn len(self) -> usize {
        if self.is_wide { size_of::<u64>() } else { size_of::<u32>() }
    }

    /// Reads the value; `None` if the program has unmapped the memory. Never faults unless the system call fails.
    fn read(self) -> Option<u64> {
        let mut before = None;
        loop {
            let seen = match reach(self.address, self.len()) {
                Reached::Bytes([a, b, c, d, e, f, g, h, ..]) if self.is_wide => {
                    u64::from_ne_bytes([a, b, c, d, e, f, g, h])
                }
                Reached::Bytes([a, b, c, d, ..]) => u32::from_ne_bytes([a, b, c, d]).into(),
                Reached::Nothing => return None,
                Reached::Unknown => return Some(self.load()),
            };
            // A read during a write may mix both values. Accept a value that two reads agree on.
            if before.replace(seen) == Some(seen) {
                // Writes before the word's write are visible after it.
                fence(Ordering::Acquire);
                return before;
            }
        }
    }

    fn load(self) -> u64 {
        match self.is_wide {
            // SAFETY: `new` found the word in a listed block. If the system call fails, the caller of cuStreamWaitValue must keep the
            // memory allocated while the stream waits, as with a real driver.
            true => unsafe { AtomicU64::from_ptr(self.address as *mut u64) }.load(Ordering::Acquire),
            // SAFETY: as above.
            false => unsafe { AtomicU32::from_ptr(self.address as *mut u32) }.load(Ordering::Acquire).into(),
        }
    }

    /// Writes the value, after all earlier writes.
    pub(crate) fn store(self, value: u64) {
        if matches!(reach(self.address, self.len()), Reached::Nothing) {
            return;
        }
        match self.is_wide {
            // SAFETY: `new` checked the range and the alignment, and the read just above found the memory mapped.
            true => unsafe { AtomicU64::from_ptr(self.address as *mut u64) }.store(value, Ordering::Release),
            // SAFETY: as above.
            false => unsafe { AtomicU32::from_ptr(self.address as *mut u32) }.store(value as u32, Ordering::Release),
        }
    }
}

impl Condition {
    pub(crate) fn new(number: u32) -> Option<Condition> {
        [Condition::AtLeast, Condition::Equal, Condition::And, Condition::Nor].get(number as usize).copied()
    }

    fn holds(self, seen: u64, value: u64, is_wide: bool) -> bool {
        // A narrow word is compared as the upper half of a wide one.
        let shift = if is_wide { 0 } else { u32::BITS };
        match self {
            Condition::AtLeast => (seen.wrapping_sub(value) << shift) as i64 >= 0,
            Condition::Equal => seen == value,
            Condition::And => seen & value != 0,
            Condition::Nor => !(seen | value) << shift != 0,
        }
    }
}

impl WordWait {
    /// Checks the word. The program may have freed its memory.
    pub(crate) fn look(&self) -> Found {
        let Some(seen) = self.word.read() else { return Found::Nothing };
        if self.condition.holds(seen, self.value, self.word.is_wide) { Found::Met } else { Found::NotYet }
    }
}

#[cfg(test)]
#[path = "word_tests.rs"]
mod tests;
