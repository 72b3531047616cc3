//! The positions of a stream behind a wait that failed.
//!
//! Such a stream continues, and what is recorded on it fails, until a call has returned the failure.

use crate::error::Error;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The positions of a stream that failed. An event may ask for any of them for as long as the process lives, so none is forgotten.
pub(super) struct FailedSpans {
    /// Nothing up to this position ever failed.
    least: AtomicU64,
    /// What comes now fails.
    open: AtomicBool,
    /// In ascending order.
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
            let has_room = spans.try_reserve(1).is_ok();
            let next = Span { begin: position, end: u64::MAX, error };
            match spans.last_mut() {
                Some(last) if last.end == position && last.error == error => last.end = next.end,
                // Without memory for one more, what lies between the last two counts as failed.
                Some(last) if !has_room => *last = Span { begin: last.begin, ..next },
                _ => spans.push(next),
            }
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
        let after = spans.partition_point(|span| span.begin < position);
        spans.get(after.checked_sub(1)?).filter(|span| position <= span.end).map(|span| span.error)
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
    fn none_is_forgotten_and_none_spreads() {
        const FAILURES: u64 = 1000;
        let failures = FailedSpans::default();
        for n in 0..FAILURES {
            failures.begin(10 * n, error(n as i32));
            assert!(failures.end(10 * n + 2).is_some());
        }
        for position in 0..10 * FAILURES {
            let failed = [1, 2].contains(&(position % 10)).then(|| error((position / 10) as i32));
            assert_eq!(failures.at(position), failed, "at {position}");
        }
    }

    #[test]
    fn like_failures_behind_each_other_are_one() {
        let failures = FailedSpans::default();
        for n in 0..100 {
            failures.begin(n, error(1));
            assert_eq!(failures.end(n + 1), Some(error(1)));
        }
        assert_eq!(failures.spans.lock().len(), 1);
        assert_eq!(
            [0, 1, 100, 101].map(|position| failures.at(position)),
            [None, Some(error(1)), Some(error(1)), None]
        );
    }
}
