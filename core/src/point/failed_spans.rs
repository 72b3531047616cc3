//! The positions of a stream that failed: after a wait that failed, or one whose submit failed.
//!
//! After a wait that failed the stream continues, and what is recorded on it fails, until a call has returned the failure.

use crate::error::{Error, Result};
use crate::lock::Mutex;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// No span is forgotten while there are fewer.
const FEW: usize = 16;

/// The positions of a stream that failed.
///
/// A span is forgotten once it has ended, the stream has passed it, and no position in it is [held](FailedSpans::hold). A caller that asks
/// for a position later has to hold it before the stream passes it. The first span is never forgotten: a position that was submitted while
/// [`FailedSpans::ever_began`] was false needs no hold.
///
/// On the host, the stream writes the failure into each event's cell when it reaches the record; pending waits hold their positions. On
/// Vulkan, a cell holds the value of its mark if a wait before it may still fail or has failed.
#[derive(Default)]
pub(crate) struct FailedSpans {
    /// Something has failed.
    began: AtomicBool,
    /// What comes now fails.
    open: AtomicBool,
    /// Nothing up to this position ever failed; valid once something has.
    least: AtomicU64,
    /// Waits in progress, for any position: nothing is forgotten meanwhile.
    waits: AtomicUsize,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// In ascending order of both ends.
    spans: Vec<Span>,
    /// How many spans there are when the next ones are forgotten.
    enough: usize,
    /// In ascending order, as often as each is held.
    held: VecDeque<u64>,
    /// Holds that there was no memory to list: nothing is forgotten meanwhile.
    unlisted: usize,
}

/// After one position, up to another.
#[derive(Clone, Copy)]
struct Span {
    begin: u64,
    end: u64,
    error: Error,
}

impl Inner {
    fn is_held(&self, span: &Span) -> bool {
        let after = self.held.partition_point(|position| *position <= span.begin);
        self.held.get(after).is_some_and(|position| *position <= span.end)
    }

    /// Forgets spans up to `passed`, if there are enough for that to be worth the time.
    fn forget(&mut self, passed: u64) {
        if self.spans.len() < self.enough.max(FEW) || self.unlisted > 0 {
            return;
        }
        let mut spans = std::mem::take(&mut self.spans);
        let first = spans[0].end;
        spans.retain(|span| span.begin < first || span.end > passed || self.is_held(span));
        self.enough = 2 * spans.len();
        self.spans = spans;
    }
}

impl FailedSpans {
    /// What comes after the position fails, which the stream has reached.
    pub(crate) fn begin(&self, position: u64, error: Error) {
        let mut inner = self.inner.lock();
        if !self.is_open() {
            self.forget(&mut inner, position);
            // They are in the span that begins.
            let later = inner.spans.partition_point(|span| span.begin < position);
            inner.spans.truncate(later);
            let has_room = inner.spans.try_reserve(1).is_ok();
            let next = Span { begin: position, end: u64::MAX, error };
            match inner.spans.last_mut() {
                Some(last) if last.end == position && last.error == error => last.end = next.end,
                // Without memory for one more, what lies between the last two counts as failed.
                Some(last) if !has_room => *last = Span { begin: last.begin, ..next },
                _ => inner.spans.push(next),
            }
            self.set_began(position);
            self.open.store(true, Ordering::SeqCst);
        }
    }

    /// The position has failed alone.
    pub(crate) fn fail(&self, position: u64, error: Error) -> Result<()> {
        let mut inner = self.inner.lock();
        let begin = position - 1;
        if !self.is_open() {
            self.forget(&mut inner, begin);
            inner.spans.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
            inner.spans.push(Span { begin, end: position, error });
            self.set_began(begin);
        }
        Ok(())
    }

    /// No position up to this one has failed, if none has yet. The caller has the lock.
    fn set_began(&self, position: u64) {
        let least = if self.ever_began() { self.least.load(Ordering::Relaxed) } else { u64::MAX };
        self.least.store(least.min(position), Ordering::Relaxed);
        self.began.store(true, Ordering::SeqCst);
    }

    /// Forgets spans up to `passed`, if there are enough for that to be worth the time, and no wait is in progress.
    fn forget(&self, inner: &mut Inner, passed: u64) {
        if self.waits.load(Ordering::SeqCst) == 0 {
            inner.forget(passed);
        }
    }

    /// What is submitted from now on is sound again: `submitted` returns the position up to which all was submitted. Returns why it was
    /// not, if it was not.
    pub(crate) fn end(&self, submitted: impl FnOnce() -> u64) -> Option<Error> {
        if !self.is_open() {
            return None;
        }
        let mut inner = self.inner.lock();
        let was_open = self.open.swap(false, Ordering::SeqCst);
        let last = inner.spans.last_mut().filter(|_| was_open)?;
        last.end = submitted();
        Some(last.error)
    }

    /// Returns why what comes now fails, if it does.
    pub(crate) fn open(&self) -> Option<Error> {
        if !self.is_open() {
            return None;
        }
        self.inner.lock().spans.last().map(|last| last.error).filter(|_| self.is_open())
    }

    /// Returns whether anything has ever failed.
    #[inline]
    pub(crate) fn ever_began(&self) -> bool {
        self.began.load(Ordering::Acquire)
    }

    /// Returns whether what comes now fails.
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.open.load(Ordering::Acquire)
    }

    /// Returns why the position failed, if it did.
    #[inline]
    pub(crate) fn at(&self, position: u64) -> Option<Error> {
        if self.ever_began() && position > self.least.load(Ordering::Relaxed) { self.find(position) } else { None }
    }

    #[cold]
    fn find(&self, position: u64) -> Option<Error> {
        let Inner { spans, .. } = &*self.inner.lock();
        let after = spans.partition_point(|span| span.begin < position);
        spans.get(after.checked_sub(1)?).filter(|span| position <= span.end).map(|span| span.error)
    }

    /// Keeps whether the position failed from being forgotten, until as many calls of [`FailedSpans::unhold`].
    #[cold]
    pub(crate) fn hold(&self, position: u64) {
        let mut inner = self.inner.lock();
        if inner.held.try_reserve(1).is_err() {
            inner.unlisted += 1;
            return;
        }
        let at = inner.held.partition_point(|held| *held <= position);
        inner.held.insert(at, position);
    }

    /// Begins a wait for any position: nothing is forgotten before as many calls of [`FailedSpans::unhold_all`].
    pub(crate) fn hold_all(&self) {
        self.waits.fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn unhold_all(&self) {
        self.waits.fetch_sub(1, Ordering::SeqCst);
    }

    #[cold]
    pub(crate) fn unhold(&self, position: u64) {
        let mut inner = self.inner.lock();
        match inner.held.binary_search(&position) {
            Ok(at) => drop(inner.held.remove(at)),
            Err(_) => inner.unlisted = inner.unlisted.saturating_sub(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::Status;

    fn error(n: u64) -> Error {
        Error::EventFailed(Status(n as i32))
    }

    /// Fails after each tenth position, for two positions.
    fn fail(failures: &FailedSpans, numbers: std::ops::Range<u64>) {
        for n in numbers {
            failures.begin(10 * n, error(n));
            assert!(failures.end(|| 10 * n + 2).is_some());
        }
    }

    fn spans(failures: &FailedSpans) -> usize {
        failures.inner.lock().spans.len()
    }

    #[test]
    fn a_failure_lasts_from_its_begin_to_its_end() {
        let failures = FailedSpans::default();
        assert_eq!((failures.end(|| 3), failures.at(u64::MAX)), (None, None));
        failures.begin(4, error(1));
        failures.begin(6, error(2));
        assert_eq!((failures.open(), failures.at(u64::MAX)), (Some(error(1)), Some(error(1))));
        assert_eq!((failures.end(|| 8), failures.open(), failures.end(|| 9)), (Some(error(1)), None, None));
        failures.begin(10, error(3));
        assert_eq!(failures.end(|| 10), Some(error(3)));
        failures.begin(12, error(4));
        let failed = (0..20).filter(|position| failures.at(*position).is_some()).collect::<Vec<u64>>();
        assert_eq!(failed, [5, 6, 7, 8, 13, 14, 15, 16, 17, 18, 19]);
        assert_eq!((failures.at(8), failures.at(13)), (Some(error(1)), Some(error(4))));
    }

    #[test]
    fn what_is_held_and_the_first_are_kept_and_nothing_spreads() {
        const FAILURES: u64 = 100_000;
        let failures = FailedSpans::default();
        // Held before the stream has passed it, whether it fails or not.
        let held = [12, 13, 321, 50_001, 50_002, 99_999];
        held.into_iter().chain(held).for_each(|position| failures.hold(position));
        for again in 0..2 {
            fail(&failures, again * FAILURES..(again + 1) * FAILURES);
            assert!(spans(&failures) < 3 * FEW, "{} are kept", spans(&failures));
            for position in held.into_iter().chain(0..10) {
                let failed = [1, 2].contains(&(position % 10)).then(|| error(position / 10));
                assert_eq!(failures.at(position), failed, "at {position}");
            }
            held.into_iter().for_each(|position| failures.unhold(position));
        }
        fail(&failures, 2 * FAILURES..3 * FAILURES);
        assert_eq!([1, 12, 50_001].map(|position| failures.at(position)), [Some(error(0)), None, None]);
        assert!(failures.inner.lock().held.is_empty());
    }

    #[test]
    fn what_is_held_costs_no_more_than_itself() {
        const HELD: u64 = 1000;
        let failures = FailedSpans::default();
        (0..HELD).for_each(|n| failures.hold(10 * n + 1));
        fail(&failures, 0..100 * HELD);
        assert!(spans(&failures) <= 2 * (HELD as usize + FEW));
        (0..HELD).for_each(|n| assert_eq!(failures.at(10 * n + 1), Some(error(n))));
    }

    /// A wait may fail behind one whose failure was returned already.
    #[test]
    fn what_the_stream_has_not_passed_is_kept() {
        let failures = FailedSpans::default();
        for n in 0..100 {
            failures.begin(n, error(n));
            assert!(failures.end(|| 100).is_some());
        }
        fail(&failures, 20..10_000);
        (1..=100).for_each(|position| assert_eq!(failures.at(position), Some(error(position - 1))));
        assert_eq!(failures.at(101), None);
    }

    #[test]
    fn like_failures_after_each_other_are_one() {
        let failures = FailedSpans::default();
        for n in 0..100 {
            failures.begin(n, error(1));
            assert_eq!(failures.end(|| n + 1), Some(error(1)));
        }
        assert_eq!(spans(&failures), 1);
        assert_eq!(
            [0, 1, 100, 101].map(|position| failures.at(position)),
            [None, Some(error(1)), Some(error(1)), None]
        );
    }

    #[test]
    fn a_position_fails_alone_while_its_holder_or_a_wait_needs_it() {
        let failures = FailedSpans::default();
        assert_eq!((failures.at(1), failures.fail(3, error(3))), (None, Ok(())));
        assert_eq!([2, 3, 4].map(|position| failures.at(position)), [None, Some(error(3)), None]);
        assert!(!failures.is_open());
        let fail_many =
            |from: u64| (from..from + 4 * FEW as u64).for_each(|n| assert_eq!(failures.fail(n, error(n)), Ok(())));
        failures.hold(5);
        fail_many(5);
        assert_eq!((failures.at(5), failures.at(6)), (Some(error(5)), None));
        failures.hold_all();
        fail_many(100);
        assert_eq!(failures.at(101), Some(error(101)));
        failures.unhold_all();
        failures.unhold(5);
        fail_many(200);
        fail_many(300);
        assert_eq!([5, 101].map(|position| failures.at(position)), [None, None]);
    }

    /// A batch may fail while the stream has not come to a wait before it.
    #[test]
    fn a_wait_may_fail_before_a_position_that_has_failed() {
        let failures = FailedSpans::default();
        assert_eq!(failures.fail(8, error(8)), Ok(()));
        failures.begin(4, error(4));
        assert_eq!(
            [4, 5, 8, 9].map(|position| failures.at(position)),
            [None, Some(error(4)), Some(error(4)), Some(error(4))]
        );
        assert_eq!(failures.fail(10, error(10)), Ok(()));
        assert_eq!(failures.end(|| 12), Some(error(4)));
        assert_eq!([10, 12, 13].map(|position| failures.at(position)), [Some(error(4)), Some(error(4)), None]);
    }
}
