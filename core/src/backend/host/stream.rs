//! A host stream: a queue of work, and the timeline that says how far it has come.

use super::point::Point;
use super::queue::WorkQueue;
use super::timeline::Timeline;
use super::work::Work;
use crate::backend::NativeStream;
use crate::error::{Error, Result};
use crate::process;
use crate::workers::{self, Runnable, Task, Turn};
use std::sync::atomic::AtomicUsize;

/// A stream. Used again and never freed.
#[derive(Default)]
pub(crate) struct HostStream {
    pub(super) queue: WorkQueue,
    pub(super) timeline: Timeline,
    /// Its place in the device's list. Changes under the list's lock.
    pub(super) place: AtomicUsize,
}

impl HostStream {
    pub(crate) fn token(&'static self) -> NativeStream {
        NativeStream(std::ptr::from_ref(self) as u64)
    }

    /// The stream of a token.
    ///
    /// # Safety
    /// [`HostStream::token`] has made the token.
    pub(crate) unsafe fn of(token: NativeStream) -> &'static HostStream {
        // SAFETY: by this function's requirement, and as streams are never freed.
        unsafe { &*(token.0 as *const HostStream) }
    }

    /// The point that is reached when all that was submitted so far is done.
    pub(crate) fn end(&'static self) -> Point {
        Point { timeline: &self.timeline, position: self.queue.given() }
    }

    /// The stream's end, where it has not got there.
    pub(crate) fn pending_end(&'static self) -> Option<Point> {
        Some(self.end()).filter(|end| !end.is_reached())
    }

    /// Queues work after what it has to wait for, unless `lives` says that the caller's handle is stale. `lives` is asked after the last moment
    /// at which the stream could have been ended before. Calls `start` before other threads can see that an idle stream has work.
    #[inline]
    pub(super) fn submit(
        &'static self,
        waits: impl ExactSizeIterator<Item = Point>,
        work: Work,
        lives: impl Fn() -> bool,
        start: impl FnOnce(),
    ) -> Result<u64> {
        self.timeline.announce_given();
        let is_wait = matches!(work, Work::Wait(_)) && !process::is_sanitized();
        let given = self.queue.give(waits.map(Work::Follow), work, lives, start)?;
        match given.has_started {
            // The calling thread parks the stream: to wake a worker takes longer.
            true if is_wait => self.run(Turn::Brief),
            true => workers::get().schedule(Runnable::Task(self)),
            false => {}
        }
        Ok(given.position)
    }

    /// Publishes progress, and wakes those who wait for it.
    #[inline]
    pub(super) fn complete(&self, position: u64) {
        self.timeline.advance(position);
        self.timeline.wake(position, workers::wake);
    }

    /// Tells why the stream is failing, if it is, and lets what is given to it from now on be sound again.
    pub(crate) fn take_failure(&self) -> Option<Error> {
        self.timeline.failures.end(|| self.queue.given_in_order())
    }
}

#[cfg(all(test, loom))]
mod loom_tests;
