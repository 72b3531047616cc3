//! The positions of a stream behind a wait that failed.
//!
//! Such a stream continues, and what is recorded on it fails, until a call has returned the failure.

use crate::error::Error;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How many spans are kept; beyond that number, what lies between the two oldest counts as failed, too.
const KEPT: usize = 64;

/// The positions of a stream that failed.
pub(super) struct FailedSpans {
    /// Nothing up to this position ever failed.
    least: AtomicU64,
    /// What comes now fails.
    open: AtomicBool,
    spans: Mutex<Vec<Span>>,
}

/// After one position, up to another.
struct Span {
    begin: u64,
    end: u64,
    error: Error,
}

impl Default for FailedSpans {
    fn default() -> FailedSpans {
        FailedSpans { least: AtomicU64::new(u64::MAX), open: AtomicBool::new(false), spans: Mutex::default() }
    }
}

impl FailedSpans {
    /// What comes after the position fails.
    pub(super) fn begin(&self, position: u64, error: Error) {
        let mut spans = self.spans.lock();
        if !self.is_open() {
            if spans.len() == KEPT {
                let first = spans.remove(0);
                spans[0].begin = first.begin;
            }
            spans.push(Span { begin: position, end: u64::MAX, error });
            self.least.fetch_min(position, Ordering::SeqCst);
            self.open.store(true, Ordering::SeqCst);
        }
    }

    /// What comes after the position is sound again. Returns why it was not, if it was not.
    pub(super) fn end(&self, position: u64) -> Option<Error> {
        if !self.is_open() {
            return None;
        }
        let mut spans = self.spans.lock();
        let was_open = self.open.swap(false, Ordering::SeqCst);
        let last = spans.last_mut().filter(|_| was_open)?;
        last.end = position;
        Some(last.error)
    }

    /// Returns why what comes now fails, if it does.
    pub(super) fn open(&self) -> Option<Error> {
        if !self.is_open() {
            return None;
        }
        self.spans.lock().last().map(|last| last.error).filter(|_| self.is_open())
    }

    /// Returns whether anything has ever failed.
    pub(super) fn ever_began(&self) -> bool {
        self.least.load(Ordering::Acquire) != u64::MAX
    }

    /// Returns whether what comes now fails.
    #[inline]
    fn is_open(&self) -> bool {
        self.open.load(Ordering::Acquire)
    }

    /// Returns why the position failed, if it did.
    #[inline]
    pub(super) fn at(&self, position: u64) -> Option<Error> {
        if position > self.least.load(Ordering::Acquire) { self.find(position) } else { None }
    }

    #[cold]
    fn find(&self, position: u64) -> Option<Error> {
        let spans = self.spans.lock();
        spans.iter().find(|span| position > span.begin && position <= span.end).map(|span| span.error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::Status;

    fn error(n: i32) -> Error {
        Error::EventFailed(Status(n))
    }

    #[test]
    fn a_failure_lasts_from_its_begin_to_its_end() {
        let failures = FailedSpans::default();
        assert_eq!((failures.end(3), failures.at(u64::MAX)), (None, None));
        failures.begin(4, error(1));
        failures.begin(6, error(2));
        assert_eq!((failures.open(), failures.at(u64::MAX)), (Some(error(1)), Some(error(1))));
        assert_eq!((failures.end(8), failures.open(), failures.end(9)), (Some(error(1)), None, None));
        failures.begin(10, error(3));
        assert_eq!(failures.end(10), Some(error(3)));
        failures.begin(12, error(4));
        let failed = (0..20).filter(|position| failures.at(*position).is_some()).collect::<Vec<u64>>();
        assert_eq!(failed, [5, 6, 7, 8, 13, 14, 15, 16, 17, 18, 19]);
        assert_eq!((failures.at(8), failures.at(13)), (Some(error(1)), Some(error(4))));
    }

    #[test]
    fn of_too_many_the_oldest_are_joined_and_none_is_forgotten() {
        let failures = FailedSpans::default();
        for n in 0..=KEPT as u64 {
            failures.begin(10 * n, error(1));
            assert!(failures.end(10 * n + 2).is_some());
        }
        assert!((0..=KEPT as u64).all(|n| failures.at(10 * n + 1).is_some()));
        assert_eq!([3, 12, 13, 23].map(|position| failures.at(position).is_some()), [true, true, false, false]);
    }
}
