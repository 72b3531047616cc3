//! A queue of work: many threads put work in, and one at a time, the stream's runner, takes out all that there is.
//!
//! One lock guards the list of work that is given, whether the queue has a runner, and whether it was ended. The runner takes the whole list
//! for its batch, which stays where it is while the stream waits. How much was given can be read without the lock.

use super::work::Work;
use crate::error::{Error, Result};
use crate::sync::{AtomicU64, Mutex, MutexGuard, Ordering};
use crate::table::Kind;
use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;

/// The stream was destroyed during the call, and may serve another handle by now.
pub(super) const ENDED: Error = Error::StaleHandle(Kind::Stream);

/// Work that was submitted.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Given {
    /// The stream's position when the work is done.
    pub(super) position: u64,
    /// The queue was idle: it needs a runner.
    pub(super) has_started: bool,
}

/// What the runner finds when it has done all that it took.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    More,
    /// The queue has no runner any more.
    Idle,
    /// As above, and the stream was ended: it is over at this position.
    Over(u64),
}

/// The queue of a stream. Callers that submit and the runner write different cache lines.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct WorkQueue {
    inner: Mutex<Inner>,
    /// How much was given. Changes under the lock.
    given: AtomicU64,
    /// The stream has a runner, or will get one, or waits for another stream. Changes under the lock.
    is_running: AtomicBool,
    batch: Batch,
}

#[derive(Default)]
struct Inner {
    work: VecDeque<Work>,
    /// Nothing more is given to the stream.
    is_ended: bool,
}

/// Lets both empty lists have room for as much as either had: launches do not allocate once as much work as before fits.
fn make_room(lists: [&mut VecDeque<Work>; 2]) {
    let room = lists.iter().map(|list| list.capacity()).fold(0, usize::max);
    lists.into_iter().filter(|list| list.capacity() < room).for_each(|list| list.reserve_exact(room));
}

/// Work that was taken and is not done. Locked by the runner alone, before `inner`. On a separate cache line.
#[derive(Default)]
#[repr(align(128))]
struct Batch(Mutex<VecDeque<Work>>);

impl WorkQueue {
    /// How much was given.
    #[inline]
    pub(super) fn given(&self) -> u64 {
        self.given.load(Ordering::Acquire)
    }

    /// Returns whether the queue has work, or had some a moment ago. Beside what a caller that submits writes.
    #[inline]
    pub(super) fn is_running(&self) -> bool {
        self.is_running.load(Ordering::Relaxed)
    }

    /// As [`WorkQueue::given`], for a thread that must not miss what threads gave that have not seen its writes.
    pub(super) fn given_in_order(&self) -> u64 {
        let _inner = self.inner.lock();
        self.given()
    }

    /// Gives work behind what it has to wait for, unless the stream was ended or `lives` says that the caller's handle is stale. Calls
    /// `start` before others can see that an idle queue has work.
    #[inline]
    pub(super) fn give(
        &self,
        before: impl ExactSizeIterator<Item = Work>,
        work: Work,
        lives: impl Fn() -> bool,
        start: impl FnOnce(),
    ) -> Result<Given> {
        let mut inner = self.inner.lock();
        // A stream is ended under the lock, after its handle.
        if inner.is_ended || !lives() {
            return Err(ENDED);
        }
        let count = before.len() + 1;
        inner.work.try_reserve(count).map_err(|_| Error::OutOfMemory)?;
        inner.work.extend(before);
        inner.work.push_back(work);
        let given = self.given.load(Ordering::Relaxed) + count as u64;
        let has_started = !self.is_running();
        if has_started {
            start();
            self.is_running.store(true, Ordering::Relaxed);
        }
        self.given.store(given, Ordering::Release);
        Ok(Given { position: given, has_started })
    }

    /// For the runner: what it has taken and not done. It drops the guard before another thread can become the runner.
    pub(super) fn batch(&self) -> MutexGuard<'_, VecDeque<Work>> {
        self.batch.0.lock()
    }

    /// The stream has ended: frees the memory of the batch.
    pub(super) fn free_batch(&self) {
        *self.batch() = VecDeque::new();
    }

    /// For the runner, which has done its batch: takes what has come meanwhile, or stops being the runner. Calls `stop` before the
    /// stream can be ended and used again.
    pub(super) fn next(&self, batch: &mut VecDeque<Work>, stop: impl FnOnce()) -> Next {
        let mut inner = self.inner.lock();
        if !inner.work.is_empty() {
            std::mem::swap(batch, &mut inner.work);
            return Next::More;
        }
        stop();
        self.is_running.store(false, Ordering::Relaxed);
        if inner.is_ended {
            return Next::Over(self.end_idle(&mut inner));
        }
        make_room([&mut inner.work, batch]);
        Next::Idle
    }

    /// Ends the stream: nothing more is given to it. Returns the position at which it is over, if it is idle; else the runner
    /// ends it.
    pub(super) fn end(&self) -> Option<u64> {
        let mut inner = self.inner.lock();
        inner.is_ended = true;
        (!self.is_running()).then(|| self.end_idle(&mut inner))
    }

    /// Moves past the end, to the position where the next use of the stream begins.
    fn end_idle(&self, inner: &mut Inner) -> u64 {
        inner.work = VecDeque::new();
        inner.is_ended = false;
        let over = self.given.load(Ordering::Relaxed) + 1;
        self.given.store(over, Ordering::Release);
        over
    }
}

#[cfg(all(test, not(loom)))]
#[path = "queue_tests.rs"]
mod tests;
