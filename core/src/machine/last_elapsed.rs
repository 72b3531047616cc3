//! Caches the last elapsed time that ends at an event: asking a driver again costs more.

use crate::table::Word;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

/// How often any event's count of records has wrapped: such an event's word may repeat an earlier value.
static WRAPS: AtomicU32 = AtomicU32::new(0);

/// Held by a test in which a time has to be kept, or a count begins anew.
#[cfg(test)]
pub(super) static TURN: crate::lock::Mutex<()> = crate::lock::Mutex::new(());

/// All that an elapsed time depends on: two events and the records of each that it lies between.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pair {
    /// The index of the start event; the word holds its generation.
    start: u32,
    /// [`WRAPS`] as it was after the words were read.
    wraps: u32,
    /// The words of the two events, which are known to be complete.
    pub(super) words: [Word; 2],
}

impl Pair {
    /// Returns the pair of an event of that index and another, whose words have just been read.
    #[inline]
    pub(super) fn new(start: u32, words: [Word; 2]) -> Pair {
        Pair { start, wraps: WRAPS.load(Ordering::Relaxed), words }
    }

    /// Returns the words with the lower bits of [`WRAPS`], for which there is room: an event's slot is full.
    #[inline]
    fn packed(self) -> [u64; 2] {
        let wraps = u64::from(self.wraps);
        let part = |shift: u32| (wraps >> shift) & ((1 << Word::COMPLETE_ZEROS) - 1);
        [self.words[0].0 ^ part(0), self.words[1].0 ^ part(Word::COMPLETE_ZEROS)]
    }
}

/// Invalidates all cached times, as an event's count of records has wrapped. The record has not ended yet.
#[cold]
pub(super) fn drop_all() {
    WRAPS.fetch_add(1, Ordering::Relaxed);
}

/// A time and its pair, read and written without a lock: valid if the version is even, and the same before and after.
#[derive(Default)]
pub(super) struct LastElapsed {
    version: AtomicU32,
    start: AtomicU32,
    packed: [AtomicU64; 2],
    ns: AtomicU64,
}

impl LastElapsed {
    /// Returns the cached time, if it is for exactly this pair.
    #[inline]
    pub(super) fn get(&self, pair: Pair) -> Option<i64> {
        let version = self.version.load(Ordering::Acquire);
        let start = self.start.load(Ordering::Relaxed);
        let packed = self.packed.each_ref().map(|word| word.load(Ordering::Relaxed));
        let ns = self.ns.load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        let whole = version.is_multiple_of(2) && self.version.load(Ordering::Relaxed) == version;
        (whole && start == pair.start && packed == pair.packed()).then(|| ns.cast_signed())
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
        self.packed.iter().zip(pair.packed()).for_each(|(place, word)| place.store(word, Ordering::Relaxed));
        self.ns.store(ns.cast_unsigned(), Ordering::Relaxed);
        self.version.store(version.wrapping_add(2), Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_counts_for_its_pair_alone() {
        let kept = LastElapsed::default();
        let pair = |start, first, second| Pair { start, wraps: 0, words: [Word(first), Word(second)] };
        kept.set(pair(1, 2, 3), -4);
        assert_eq!(kept.get(pair(1, 2, 3)), Some(-4));
        for other in [pair(0, 2, 3), pair(1, 3, 3), pair(1, 2, 4)] {
            assert_eq!(kept.get(other), None);
        }
        for bit in 0..2 * Word::COMPLETE_ZEROS {
            assert_eq!(kept.get(Pair { wraps: 1 << bit, ..pair(1, 2, 3) }), None);
        }
    }

    #[test]
    fn a_reader_never_sees_half_of_a_time() {
        let kept = LastElapsed::default();
        let pair = |n: u64| Pair { start: n as u32, wraps: 0, words: [Word(n), Word(n)] };
        let times = if cfg!(miri) { 200 } else { 100_000 };
        std::thread::scope(|scope| {
            let writers = [1, 2].map(|first| {
                let kept = &kept;
                scope.spawn(move || (first..times).step_by(2).for_each(|n| kept.set(pair(n), n.cast_signed())))
            });
            while writers.iter().any(|writer| !writer.is_finished()) {
                for n in 1..64 {
                    assert!(kept.get(pair(n)).is_none_or(|ns| ns == n.cast_signed()));
                }
            }
        });
    }
}
