//! A host stream: a queue of work, and two counters that say how far it has come.
//!
//! Streams are reused and never freed. Their counters never go back, so a point (stream, position) stays meaningful for
//! as long as the process lives, and nobody has to keep a stream alive to ask whether it has got there.

use super::cell::HostCell;
use super::device::HostDevice;
use super::ipc::{Outcome, PEER_GONE, SharedEvent};
use super::point::Point;
use super::queue::{Given, Tail, WorkQueue};
use super::waiters::Waiters;
use super::work::{PackedWork, Work};
use crate::backend::NativeStream;
use crate::backend::failed_spans::FailedSpans;
use crate::backend::gate::GateUse;
use crate::clock;
use crate::error::Error;
use crate::probe::{self, Obstacle, StreamId, What};
use crate::status::Status;
use crate::sync::{AtomicU32, Ordering};
use crate::workers::{self, Parker, Runnable, Task, Waiter, WorkerPool};
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicUsize};

/// Less work than this does not make a worker wait for more.
const FEW: u64 = 32;
/// How much is worth taking at once, and how often a worker looks whether it is there: some microseconds in all.
const ENOUGH: u64 = 256;
const GATHER_LOOKS: u32 = 4;
const GATHER_SPINS: u32 = 100;

/// A stream.
#[derive(Default)]
pub(crate) struct HostStream {
    queue: WorkQueue,
    waiters: Waiters,
    failures: FailedSpans,
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
static FREE: parking_lot::Mutex<Free> = parking_lot::Mutex::new(Free { streams: Vec::new(), ever: 0 });

struct Free {
    /// Has room for all streams that there ever were.
    streams: Vec<&'static HostStream>,
    ever: usize,
}

/// How much of a stream's work a thread does before others have their turn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// As much as there is, while nothing else is due, and the thread should not return.
    Whole,
    /// A thread that others wait for: some, but no function of the caller's.
    Brief,
}

/// What came of [`HostStream::submit`].
pub(crate) enum Submitted {
    /// The work is done when the stream has come to this position.
    Until(u64),
    /// The stream is another one's by now, or nobody's.
    Ended,
    /// There is no memory.
    NoMemory,
}

/// What came of one piece of work.
enum Step {
    Done,
    /// It is still to be done, and the stream has been handed on, or stays where it is.
    HandedOn,
}

impl Task for HostStream {
    fn run(&'static self) {
        self.run_as(Turn::Whole);
    }

    fn run_briefly(&'static self) {
        self.run_as(Turn::Brief);
    }
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
    fn free(&'static self, over: u64) {
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
        !self.queue.tail().is_idle()
    }

    /// The point that is reached when all that was submitted so far is done.
    pub(crate) fn end(&'static self) -> Point {
        Point { stream: self, position: self.queue.tail().position() }
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

    /// Adds work behind what it has to wait for, if `lives` says so after the last moment at which the stream could have been ended
    /// before. If that, or memory, is missing, some of the waits may have been added.
    #[inline(always)]
    pub(super) fn submit(
        &'static self,
        waits: impl Iterator<Item = Point>,
        work: PackedWork,
        lives: impl Fn() -> bool,
    ) -> Submitted {
        self.announce_given();
        for point in waits {
            let given = self.give(&Work::Follow(point).pack(), &lives);
            if !matches!(given, Submitted::Until(_)) {
                work.free();
                return given;
            }
        }
        let given = self.give(&work, &lives);
        if !matches!(given, Submitted::Until(_)) {
            work.free();
        }
        given
    }

    /// As [`HostStream::submit`]. What the work owns is the queue's if it was given.
    #[inline(always)]
    fn give(&'static self, work: &PackedWork, lives: &impl Fn() -> bool) -> Submitted {
        loop {
            let tail = self.queue.tail();
            if !lives() || tail.is_ended() {
                return Submitted::Ended;
            }
            let given = if tail.is_idle() { self.give_idle(tail, work) } else { self.queue.give(tail, work) };
            match given {
                Given::Until(position) => return Submitted::Until(position),
                Given::Not => {}
                Given::NoMemory => return Submitted::NoMemory,
            }
        }
    }

    /// As [`WorkQueue::give`], for a stream that is idle and then runs.
    #[inline(never)]
    fn give_idle(&'static self, tail: Tail, work: &PackedWork) -> Given {
        // Before others can see that the stream runs. If it was ended meanwhile, its role and device may already be another's.
        let counted_by = self.counted_by();
        counted_by.inspect(|device| device.stream_started());
        let given = self.queue.give(tail, work);
        if matches!(given, Given::Until(_)) {
            workers::get().schedule(Runnable::Task(self));
        } else {
            counted_by.inspect(|device| device.stream_stopped());
        }
        given
    }

    /// Returns the device, if it counts the stream while that has work.
    fn counted_by(&self) -> Option<&'static HostDevice> {
        matches!(self.role(), Role::Blocking).then(|| self.device())
    }

    fn run_as(&'static self, turn: Turn) {
        let pool = workers::get();
        let mut should_return = false;
        let mut position = self.queue.done();
        loop {
            let end = self.queue.given_beyond(position);
            if position == end {
                if self.stop() {
                    return;
                }
                continue;
            }
            if should_return {
                return pool.give_way(Runnable::Task(self));
            }
            let many = end - position >= FEW;
            while position < end {
                // SAFETY: this thread runs the stream, and comes here for the first time, or the work was left there.
                let Some(work) = (unsafe { self.queue.next(position) }) else { return };
                self.queue.fetch_ahead(position, end);
                self.announce_begun();
                if matches!(self.run_work(pool, turn, position, work), Step::HandedOn) {
                    return;
                }
                position += 1;
                self.announce_done();
                self.complete(position);
                should_return = turn == Turn::Whole && workers::should_return();
                let tired = match turn {
                    Turn::Whole => should_return || (position.is_multiple_of(64) && pool.has_others()),
                    Turn::Brief => position.is_multiple_of(1024),
                };
                if tired && position < self.queue.tail().position() {
                    return pool.give_way(Runnable::Task(self));
                }
            }
            if many && turn == Turn::Whole && !should_return {
                self.gather(pool, position);
            }
        }
    }

    /// Stops running the stream, of which all is done; false if more has come meanwhile.
    fn stop(&'static self) -> bool {
        let tail = self.queue.tail();
        // Now: once the stream has stopped, others may end it, and use it again with another role on another device.
        let counted_by = self.counted_by();
        let over = self.queue.end_done(tail);
        let stopped = over.is_some() || self.queue.stop(tail);
        if let Some(device) = counted_by.filter(|_| stopped) {
            device.stream_stopped();
        }
        if let Some(over) = over {
            self.free(over);
        }
        stopped
    }

    /// Lets some work come together while much of it comes: who gives it one by one and who takes it would else meet at the
    /// tail each time.
    fn gather(&self, pool: &WorkerPool, position: u64) {
        for _ in 0..GATHER_LOOKS {
            if !pool.has_time() || self.queue.tail().position() - position >= ENOUGH {
                break;
            }
            // Each look takes the line away from those who give work.
            (0..GATHER_SPINS).for_each(|_| std::hint::spin_loop());
        }
    }

    /// Does the work at `position`, or leaves it there and hands the stream on.
    #[inline]
    fn run_work(&'static self, pool: &'static WorkerPool, turn: Turn, position: u64, work: Work) -> Step {
        match work {
            Work::Call(_) if turn == Turn::Brief => {
                pool.schedule(Runnable::Task(self));
                return Step::HandedOn;
            }
            Work::Call(call) => {
                let has_run = Point { stream: self, position: position + 1 }.call(|| {
                    let _traced = probe::function(move || self.traced());
                    call.call();
                });
                return if has_run { Step::Done } else { Step::HandedOn };
            }
            Work::Items(items) if items.are_done() => probe::put(move || What::StreamGoesOn(self.traced())),
            Work::Items(items) => {
                // The work stays in the queue, and owns one more.
                std::mem::forget(items.clone());
                items.begin(position + 1);
                return Step::HandedOn;
            }
            Work::Stamp { cell, serial } => {
                let time = clock::now();
                probe::release(cell);
                HostCell::of(cell).stamp(serial, time);
                probe::put(move || What::Reached { cell: cell.address(), serial, stream: self.traced(), time });
            }
            Work::Finish { shared, ticket } => {
                if probe::is_on() {
                    shared.trace_reached(self);
                }
                // By its place: somebody may have been told of the failure meanwhile, which ends after what was given till then.
                let point = Point { stream: self, position: position + 1 };
                probe::release(&*shared);
                shared.finish(ticket, point.failure().map_or(Status::SUCCESS, |error| error.status()));
            }
            Work::WaitShared { shared, ticket } => return self.run_wait_shared(pool, position, shared, ticket),
            Work::WaitGate(used) => return self.run_wait_gate(position, used),
            Work::Follow(point) if point.is_reached() => point.announce_reached(),
            Work::Wait(point) if point.is_reached() => {
                point.announce_reached();
                probe::put(move || What::StreamGoesOn(self.traced()));
                if let Some(error) = point.failure() {
                    self.failures.begin(position, error);
                }
            }
            Work::Follow(point) | Work::Wait(point) => {
                if matches!(work, Work::Wait(_)) {
                    probe::put(move || What::StreamWaits(self.traced(), Obstacle::Stream(point.stream.traced())));
                }
                // This thread is about to run that stream, too: nobody else can.
                let follows = pool.is_next(point.stream) && point.stream.queue.follower().set(point.position, self);
                if !follows && point.stream.notify(point.position, Waiter::Task(self)).is_some() {
                    pool.schedule(Runnable::Task(self));
                }
                return Step::HandedOn;
            }
        }
        Step::Done
    }

    fn run_wait_gate(&'static self, position: u64, used: GateUse) -> Step {
        let round = used.round();
        if round.opened().is_none() {
            probe::put(move || What::StreamWaits(self.traced(), round.obstacle()));
            // The work stays in the queue, and owns its use.
            std::mem::forget(used);
            if round.notify(Waiter::Task(self)).is_none() {
                return Step::HandedOn;
            }
            // It was opened meanwhile.
            return self.run_wait_gate(position, GateUse::taken_back(round));
        }
        probe::put(move || What::StreamGoesOn(self.traced()));
        if let Some(status) = round.opened().filter(|status| *status != Status::SUCCESS) {
            self.failures.begin(position, Error::EventFailed(status));
        }
        Step::Done
    }

    fn run_wait_shared(
        &'static self,
        pool: &'static WorkerPool,
        position: u64,
        shared: Arc<SharedEvent>,
        ticket: u64,
    ) -> Step {
        if !pool.has_others() {
            shared.spin(ticket);
        }
        let look = shared.look(ticket);
        let pending = matches!(look, Outcome::Pending(_));
        probe::put(move || match pending {
            true => What::StreamWaits(self.traced(), Obstacle::Process),
            false => What::StreamGoesOn(self.traced()),
        });
        match look {
            Outcome::Done => {}
            Outcome::Lost => self.failures.begin(position, PEER_GONE),
            Outcome::Failed(status) => self.failures.begin(position, Error::EventFailed(status)),
            Outcome::Pending(_) => {
                // The work stays in the queue, and owns one more.
                std::mem::forget(shared.clone());
                shared.wake_later(ticket, self);
                return Step::HandedOn;
            }
        }
        Step::Done
    }

    /// Publishes progress, and wakes those who wait for it.
    #[inline]
    fn complete(&'static self, position: u64) {
        self.queue.advance(position);
        if let Some(follower) = self.queue.follower().take_due(position) {
            workers::get().schedule(Runnable::Task(follower));
        }
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
        self.failures.end(self.queue.tail().position())
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
