//! Caches the last elapsed time that ends at an event: asking a driver again costs more.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

/// All that an elapsed time depends on: two events and the records of each that it lies between.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pair {
    /// The index of the start event.
    pub(super) start: u32,
    /// The words of the two events, which are known to be complete, with the counts of the wraps of their counts of records.
    pub(super) words: [u64; 2],
}

/// A time and its pair, read and written without a lock: valid if the version is even, and the same before and after.
#[derive(Default)]
pub(super) struct LastElapsed {
    version: AtomicU32,
    start: AtomicU32,
    words: [AtomicU64; 2],
    ns: AtomicU64,
}

impl LastElapsed {
    /// Returns the cached time, if it is for exactly this pair.
    #[inline]
    pub(super) fn get(&self, pair: Pair) -> Option<i64> {
        let version = self.version.load(Ordering::Acquire);
        let start = self.start.load(Ordering::Relaxed);
        let words = self.words.each_ref().map(|word| word.load(Ordering::Relaxed));
        let ns = self.ns.load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        let whole = version.is_multiple_of(2) && self.version.load(Ordering::Relaxed) == version;
        (whole && start == pair.start && words == pair.words).then(|| ns.cast_signed())
    }

    /// Caches a time, unless another thread is caching one.
    pub(super) fn set(&self, pair: Pair, ns: i64) {
        let version = self.version.load(Ordering::Relaxed) & !1;
        let odd = version.wrapping_add(1);
        if self.version.compare_exchange(version, odd, Ordering::Acquire, Ordering::Relaxed).is_err() {
            return;
        }
        fence(Ordering::Release);
        self.start.store(pair.start, Ordering::Relaxed);
        self.words.iter().zip(pair.words).for_each(|(place, word)| place.store(word, Ordering::Relaxed));
        self.ns.store(ns.cast_unsigned(), Ordering::Relaxed);
        self.version.store(version.wrapping_add(2), Ordering::Release);
    }
}

#[cfg(test)]
#[path = "last_elapsed_tests.rs"]
mod tests;
