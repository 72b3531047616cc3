//! A host stream: a queue of work, and two counters that say how far it has come.
//!
//! Streams are reused and never freed. Their counters never go back, so a point (stream, position) stays meaningful for
//! as long as the process lives, and nobody has to keep a stream alive to ask whether it has got there.

use super::device::HostDevice;
use super::point::Point;
use super::queue::WorkQueue;
use super::waiters::Waiters;
use super::work::Work;
use crate::backend::NativeStream;
use crate::error::{Error, Result};
use crate::point::FailedSpans;
use crate::probe::StreamId;
use crate::process;
use crate::status::Status;
use crate::sync::{AtomicU32, Ordering};
use crate::workers::{self, Parker, Runnable, Task, Waiter};
use std::sync::atomic::{AtomicPtr, AtomicUsize};

/// A stream.
#[derive(Default)]
pub(crate) struct HostStream {
    pub(super) queue: WorkQueue,
    waiters: Waiters,
    pub(super) failures: FailedSpans,
    device: AtomicPtr<HostDevice>,
    role: AtomicU32,
    /// Where the device lists it.
    place: AtomicUsize,
}

/// A stream's place in the order that its device's default stream makes.
#[derive(Clone, Copy)]
#[repr(u32)]
pub(crate) enum Role {
    /// The default stream: ordered against every blocking one.
    Default,
    /// Ordered against the default stream.
    Blocking,
    /// Ordered against none.
    NonBlocking,
}

/// Streams that serve nobody.
static FREE: crate::lock::Mutex<Free> = crate::lock::Mutex::new(Free { streams: Vec::new(), ever: 0 });

struct Free {
    /// Has room for all streams that there ever were.
    streams: Vec<&'static HostStream>,
    ever: usize,
}

impl HostStream {
    /// A stream, used before or new; `None` where there is no memory for it.
    pub(crate) fn open(device: &'static HostDevice, role: Role) -> Option<&'static HostStream> {
        let reused = FREE.lock().streams.pop();
        let stream = match reused {
            Some(stream) => stream,
            None => HostStream::make()?,
        };
        stream.device.store(std::ptr::from_ref(device).cast_mut(), Ordering::Relaxed);
        stream.role.store(role as u32, Ordering::Relaxed);
        stream.take_failure();
        Some(stream)
    }

    fn make() -> Option<&'static HostStream> {
        let mut free = FREE.lock();
        let more = free.ever + 1 - free.streams.len();
        if !workers::get().reserve() || free.streams.try_reserve(more).is_err() {
            return None;
        }
        free.ever += 1;
        Some(Box::leak(Box::default()))
    }

    /// Ends the stream's service once its work is done.
    pub(crate) fn close(&'static self) {
        if let Some(over) = self.queue.end() {
            self.free(over);
        }
    }

    /// Makes the stream, which was ended and is idle, free for another. It is over at that position.
    pub(super) fn free(&'static self, over: u64) {
        self.queue.free_batch();
        self.complete(over);
        self.device().stream_ended(self);
        FREE.lock().streams.push(self);
    }

    pub(crate) fn device(&self) -> &'static HostDevice {
        // SAFETY: `open` alone sets the pointer, to a device that lives as long as the process.
        unsafe { &*self.device.load(Ordering::Relaxed) }
    }

    /// Where the device lists the stream; read and set under the list's lock.
    pub(crate) fn place(&self) -> &AtomicUsize {
        &self.place
    }

    pub(crate) fn role(&self) -> Role {
        match self.role.load(Ordering::Relaxed) {
            0 => Role::Default,
            1 => Role::Blocking,
            _ => Role::NonBlocking,
        }
    }

    pub(crate) fn token(&'static self) -> NativeStream {
        NativeStream(std::ptr::from_ref(self) as u64)
    }

    /// What a trace calls the stream.
    pub(crate) fn traced(&'static self) -> StreamId {
        let is_default = matches!(self.role(), Role::Default);
        StreamId { place: self.device().traced(), native: self.token().0, is_default }
    }

    /// The stream of a token.
    pub(crate) fn of(token: NativeStream) -> &'static HostStream {
        // SAFETY: tokens come from `token` alone, and streams are never freed.
        unsafe { &*(token.0 as *const HostStream) }
    }

    /// Returns whether the stream has work, or has had some a moment ago.
    #[inline]
    pub(super) fn is_running(&self) -> bool {
        self.queue.is_running()
    }

    /// The point that is reached when all that was submitted so far is done.
    pub(crate) fn end(&'static self) -> Point {
        Point { stream: self, position: self.queue.given() }
    }

    /// The stream's end, where it has not got there.
    pub(crate) fn pending_end(&'static self) -> Option<Point> {
        Some(self.end()).filter(|end| !end.is_reached())
    }

    /// How far the stream has come.
    #[inline]
    pub(super) fn done(&self) -> u64 {
        self.queue.done()
    }

    /// Gives work behind what it has to wait for, unless `lives` says, after the last moment at which the stream could have been ended
    /// before, that the caller's handle is stale.
    #[inline]
    pub(super) fn submit(
        &'static self,
        waits: impl ExactSizeIterator<Item = Point>,
        work: Work,
        lives: impl Fn() -> bool,
    ) -> Result<u64> {
        self.announce_given();
        let start = || {
            self.counted_by().inspect(|device| device.stream_started());
        };
        let is_wait = matches!(work, Work::Wait(_) | Work::WaitGate(_)) && !process::is_sanitized();
        let given = self.queue.give(waits.map(Work::Follow), work, lives, start)?;
        match given.has_started {
            // The calling thread parks the stream: to wake a worker takes longer.
            true if is_wait => self.run_briefly(),
            true => workers::get().schedule(Runnable::Task(self)),
            false => {}
        }
        Ok(given.position)
    }

    /// Returns the device, if it counts the stream while that has work.
    pub(super) fn counted_by(&self) -> Option<&'static HostDevice> {
        matches!(self.role(), Role::Blocking).then(|| self.device())
    }

    /// Publishes progress, and wakes those who wait for it.
    #[inline]
    pub(super) fn complete(&'static self, position: u64) {
        self.queue.advance(position);
        if self.waiters.are_due(position) {
            self.waiters.take(position, |position, waiter| {
                let failure = self.failure_at(position);
                workers::wake(waiter, failure.map_or(Status::SUCCESS, |error| error.status()));
            });
        }
    }

    /// Returns why the stream was without something that it had to wait for when it came to the position, if it was.
    #[inline]
    pub(super) fn failure_at(&self, position: u64) -> Option<Error> {
        self.failures.at(position)
    }

    /// Returns why the stream is without something that it had to wait for, so that what comes now fails.
    pub(crate) fn failing(&self) -> Option<Error> {
        self.failures.open()
    }

    /// Returns whether the stream was ever without something that it had to wait for.
    pub(super) fn has_ever_failed(&self) -> bool {
        self.failures.ever_began()
    }

    /// Tells why the stream is failing, if it is, and lets what is given to it from now on be sound again.
    pub(crate) fn take_failure(&self) -> Option<Error> {
        self.failures.end(|| self.queue.given_in_order())
    }

    /// Registers a waiter; gives it back where the position is reached already.
    pub(crate) fn notify(&self, position: u64, waiter: Waiter) -> Option<Waiter> {
        self.waiters.add(&self.queue, position, waiter)
    }

    /// Takes a parked thread out of the waiters for the position.
    pub(crate) fn forget(&self, position: u64, parker: &Parker) {
        self.waiters.forget(position, parker);
    }
}

#[cfg(all(test, loom))]
mod loom_tests;
