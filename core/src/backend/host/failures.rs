//! Where a stream is without something that it had to wait for.
//!
//! Such a stream goes on, and what is recorded on it fails, until somebody was told.

use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Failures that are told apart; beyond them, what lies between the two oldest counts as failed too.
const KEPT: usize = 64;

/// The positions of a stream that failed.
pub(super) struct Failures {
    /// Nothing up to this position ever failed.
    least: AtomicU64,
    /// What comes now fails.
    open: AtomicBool,
    /// After one position, up to another.
    spans: Mutex<Vec<(u64, u64)>>,
}

impl Default for Failures {
    fn default() -> Failures {
        Failures { least: AtomicU64::new(u64::MAX), open: AtomicBool::new(false), spans: Mutex::default() }
    }
}

impl Failures {
    /// What comes after the position fails.
    pub(super) fn begin(&self, position: u64) {
        let mut spans = self.spans.lock();
        if !self.is_open() {
            if spans.len() == KEPT {
                let (first, _) = spans.remove(0);
                spans[0].0 = first;
            }
            spans.push((position, u64::MAX));
            self.least.fetch_min(position, Ordering::SeqCst);
            self.open.store(true, Ordering::SeqCst);
        }
    }

    /// What comes after the position is sound again. True where it was not.
    pub(super) fn end(&self, position: u64) -> bool {
        if !self.is_open() {
            return false;
        }
        let mut spans = self.spans.lock();
        let was_open = self.open.swap(false, Ordering::SeqCst);
        if let Some((_, end)) = spans.last_mut().filter(|_| was_open) {
            *end = position;
        }
        was_open
    }

    /// Does what comes now fail?
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        self.open.load(Ordering::Acquire)
    }

    /// Did the position fail?
    #[inline]
    pub(super) fn contain(&self, position: u64) -> bool {
        let after = |least| position > least;
        after(self.least.load(Ordering::Acquire))
            && self.spans.lock().iter().any(|(begin, end)| position > *begin && position <= *end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_lasts_from_its_begin_to_its_end() {
        let failures = Failures::default();
        assert!(!failures.end(3) && !failures.contain(u64::MAX));
        failures.begin(4);
        failures.begin(6);
        assert!(failures.is_open() && failures.contain(u64::MAX));
        assert!(failures.end(8) && !failures.is_open() && !failures.end(9));
        failures.begin(10);
        assert!(failures.end(10));
        failures.begin(12);
        let failed = (0..20).filter(|position| failures.contain(*position)).collect::<Vec<u64>>();
        assert_eq!(failed, [5, 6, 7, 8, 13, 14, 15, 16, 17, 18, 19]);
    }

    #[test]
    fn of_too_many_the_oldest_are_joined_and_none_is_forgotten() {
        let failures = Failures::default();
        for n in 0..=KEPT as u64 {
            failures.begin(10 * n);
            assert!(failures.end(10 * n + 2));
        }
        assert!((0..=KEPT as u64).all(|n| failures.contain(10 * n + 1)));
        assert_eq!([3, 12, 13, 23].map(|position| failures.contain(position)), [true, true, false, false]);
    }
}
