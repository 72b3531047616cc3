//! The positions of a stream that failed: after a wait that failed, or one whose submit failed.
//!
//! After a wait that failed the stream continues, and what is recorded on it fails, until a call has returned the failure.

use crate::error::{Error, Result};
use crate::lock::{Mutex, MutexGuard};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};

/// The greatest number of spans. With more, the two oldest are joined, and all positions between them count as failed.
const MOST: usize = 512;

/// The positions of a stream that failed. A failure is never forgotten.
pub(crate) struct FailedSpans {
    /// Nothing up to this position ever failed. The greatest number while nothing has failed.
    least: AtomicU64,
    /// In ascending order of both ends.
    spans: Mutex<VecDeque<Span>>,
}

/// After one position, up to another.
#[derive(Clone, Copy)]
struct Span {
    begin: u64,
    /// The greatest number while what comes now fails.
    end: u64,
    error: Error,
}

impl Default for FailedSpans {
    fn default() -> FailedSpans {
        FailedSpans { least: AtomicU64::new(u64::MAX), spans: Mutex::default() }
    }
}

impl FailedSpans {
    /// What comes after the position fails, which the stream has reached.
    pub(crate) fn begin(&self, position: u64, error: Error) {
        let mut spans = self.spans.lock();
        if open(&mut spans).is_some() {
            return;
        }
        // Later spans are in the one that begins.
        let later = spans.partition_point(|span| span.begin < position);
        spans.truncate(later);
        match spans.back_mut() {
            Some(last) if last.end == position && last.error == error => last.end = u64::MAX,
            _ => self.push(spans, Span { begin: position, end: u64::MAX, error }),
        }
    }

    /// The position has failed alone.
    pub(crate) fn fail(&self, position: u64, error: Error) -> Result<()> {
        let mut spans = self.spans.lock();
        if open(&mut spans).is_none() {
            spans.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
            self.push(spans, Span { begin: position - 1, end: position, error });
        }
        Ok(())
    }

    /// Adds the last span. There is room for it.
    fn push(&self, mut spans: MutexGuard<'_, VecDeque<Span>>, span: Span) {
        if spans.len() >= MOST
            && let (Some(oldest), Some(next)) = (spans.pop_front(), spans.front_mut())
        {
            next.begin = oldest.begin;
        }
        spans.push_back(span);
        self.least.fetch_min(span.begin, Ordering::Release);
    }

    /// What is submitted from now on is sound again: `submitted` returns the position up to which all was submitted. Returns why it was
    /// not, if it was not.
    pub(crate) fn end(&self, submitted: impl FnOnce() -> u64) -> Option<Error> {
        if !self.ever_began() {
            return None;
        }
        let mut spans = self.spans.lock();
        let last = open(&mut spans)?;
        last.end = submitted();
        Some(last.error)
    }

    /// Returns why what comes now fails, if it does.
    #[inline]
    pub(crate) fn open(&self) -> Option<Error> {
        if self.ever_began() { open(&mut self.spans.lock()).map(|last| last.error) } else { None }
    }

    /// Returns whether anything has ever failed.
    #[inline]
    pub(crate) fn ever_began(&self) -> bool {
        self.least.load(Ordering::Acquire) != u64::MAX
    }

    /// Returns why the position failed, if it did.
    #[inline]
    pub(crate) fn at(&self, position: u64) -> Option<Error> {
        if position > self.least.load(Ordering::Acquire) { self.find(position) } else { None }
    }

    #[cold]
    fn find(&self, position: u64) -> Option<Error> {
        let spans = self.spans.lock();
        let after = spans.partition_point(|span| span.begin < position);
        spans.get(after.checked_sub(1)?).filter(|span| position <= span.end).map(|span| span.error)
    }
}

/// The span that has not ended.
fn open(spans: &mut VecDeque<Span>) -> Option<&mut Span> {
    spans.back_mut().filter(|last| last.end == u64::MAX)
}

#[cfg(test)]
#[path = "failed_spans_tests.rs"]
mod tests;
