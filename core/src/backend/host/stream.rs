//! A host stream: a queue of work, and two counters that say how far it has come.
//!
//! Streams are reused and never freed. Their counters never go back, so a point (stream, position) stays meaningful for
//! as long as the process lives, and nobody has to keep a stream alive to ask whether it has got there.

use super::cell::HostCell;
use super::device::HostDevice;
use super::failures::Failures;
use super::ipc::{Look, SharedEvent};
use crate::backend::{Cell, HostFn, NativeStream};
use crate::clock;
use crate::error::{Error, Result};
use crate::sanitizer;
use crate::status::Status;
use crate::sync::{AtomicU64, Mutex, Ordering};
use crate::trace::{self, StreamId, What};
use crate::workers::{self, Parker, Runnable, Task, Waiter, WorkerPool};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicUsize};

/// A batch of less work than this does not make a worker wait for more.
const FEW: usize = 8;
/// How much is worth taking at once, and how often a worker looks whether it is there: some microseconds in all.
const ENOUGH: u64 = 256;
const GATHER_LOOKS: u32 = 4;
const GATHER_SPINS: u32 = 100;

/// Waiters that are woken at once.
const DUE: usize = 8;

/// No waiter.
const NOBODY: u64 = u64::MAX;

/// A place in a stream: reached when the stream has done `position` pieces of work.
#[derive(Clone, Copy)]
pub(crate) struct Point {
    pub(crate) stream: &'static HostStream,
    pub(crate) position: u64,
}

impl Point {
    pub(crate) fn is_reached(self) -> bool {
        self.stream.done.completed.load(Ordering::Acquire) >= self.position
    }

    /// For a point that is reached: was something before it given up that it had to wait for?
    pub(crate) fn is_failed(self) -> bool {
        self.stream.done.failures.contain(self.position)
    }
}

/// One piece of work.
pub(crate) enum Work {
    /// Call a function of the caller's.
    Call(HostFn),
    /// Go on when another stream has got there; where that failed, so does this stream.
    Wait(Point),
    /// Go on when another stream has got there, however: an order that the default stream makes.
    Follow(Point),
    /// Go on when another process has finished its record.
    WaitShared { shared: Arc<SharedEvent>, ticket: u64 },
    /// Finish a record that other processes see.
    Finish { shared: Arc<SharedEvent>, ticket: u64 },
    /// Note the time in a cell, for the record of that serial.
    Stamp { cell: &'static Cell, serial: u64 },
}

/// A stream.
#[derive(Default)]
pub(crate) struct HostStream {
    given: Given,
    done: Done,
}

/// What those who give work write. On cache lines of its own: a worker publishes its progress at the same time.
#[derive(Default)]
#[repr(align(128))]
struct Given {
    submitted: AtomicU64,
    device: AtomicPtr<HostDevice>,
    role: AtomicU8,
    /// Where the device lists it.
    place: AtomicUsize,
    inner: Mutex<Inner>,
}

/// What the worker writes.
#[repr(align(128))]
struct Done {
    completed: AtomicU64,
    /// The nearest position that somebody waits for.
    awaited: AtomicU64,
    failures: Failures,
}

impl Default for Done {
    fn default() -> Done {
        Done { completed: AtomicU64::new(0), awaited: AtomicU64::new(NOBODY), failures: Failures::default() }
    }
}

#[derive(Default)]
struct Inner {
    queue: VecDeque<Work>,
    /// What a worker has taken and given back; it comes before `queue`. Apart, so that giving back needs no memory.
    rest: VecDeque<Work>,
    /// A worker has the stream, or will get it, or it waits for another stream.
    active: bool,
    /// Destroyed: goes back to the free streams when the queue is done.
    closed: bool,
    /// By position, then by arrival.
    waiters: BTreeMap<(u64, u64), Waiter>,
    arrivals: u64,
}

/// A stream's place in the order that its device's default stream makes.
#[derive(Clone, Copy)]
#[repr(u8)]
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

impl Task for HostStream {
    fn run(&'static self) {
        self.run_as(true);
    }

    fn run_briefly(&'static self) {
        self.run_as(false);
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
        stream.given.device.store(std::ptr::from_ref(device).cast_mut(), Ordering::Relaxed);
        stream.given.role.store(role as u8, Ordering::Relaxed);
        stream.take_failure();
        stream.given.inner.lock().closed = false;
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
        let mut inner = self.given.inner.lock();
        inner.closed = true;
        if !inner.active {
            self.free();
        }
    }

    fn free(&'static self) {
        self.device().stream_ended(self);
        FREE.lock().streams.push(self);
    }

    pub(crate) fn device(&self) -> &'static HostDevice {
        // SAFETY: `open` alone sets the pointer, to a device that lives as long as the process.
        unsafe { &*self.given.device.load(Ordering::Relaxed) }
    }

    /// Where the device lists the stream; read and set under the list's lock.
    pub(crate) fn place(&self) -> &AtomicUsize {
        &self.given.place
    }

    pub(crate) fn role(&self) -> Role {
        match self.given.role.load(Ordering::Relaxed) {
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

    /// The point that is reached when all that was submitted so far is done.
    pub(crate) fn end(&'static self) -> Point {
        Point { stream: self, position: self.given.submitted.load(Ordering::Acquire) }
    }

    /// The stream's end, where it has not got there.
    pub(crate) fn pending_end(&'static self) -> Option<Point> {
        Some(self.end()).filter(|end| !end.is_reached())
    }

    /// Adds work behind what it has to wait for; gives the position at which it is done.
    pub(crate) fn submit(&'static self, waits: impl Iterator<Item = Point>, work: Work) -> Result<u64> {
        self.announce_given();
        let mut inner = self.given.inner.lock();
        let before = inner.queue.len();
        let mut fits = true;
        for point in waits {
            fits = fits && inner.queue.try_reserve(1).is_ok();
            if fits {
                inner.queue.push_back(Work::Follow(point));
            }
        }
        if !fits || inner.queue.try_reserve(1).is_err() {
            inner.queue.truncate(before);
            return Err(Error::OutOfMemory);
        }
        inner.queue.push_back(work);
        let added = inner.queue.len() - before;
        let position = self.given.submitted.load(Ordering::Relaxed) + added as u64;
        self.given.submitted.store(position, Ordering::Release);
        if !inner.active {
            inner.active = true;
            if matches!(self.role(), Role::Blocking) {
                self.device().stream_started();
            }
            drop(inner);
            workers::get().schedule(Runnable::Task(self));
        }
        Ok(position)
    }

    fn run_as(&'static self, worker: bool) {
        let pool = workers::get();
        let mut batch = VecDeque::new();
        loop {
            let mut inner = self.given.inner.lock();
            if inner.queue.is_empty() && inner.rest.is_empty() {
                inner.active = false;
                if matches!(self.role(), Role::Blocking) {
                    self.device().stream_stopped();
                }
                if inner.closed {
                    self.free();
                }
                return;
            }
            let Inner { queue, rest, .. } = &mut *inner;
            std::mem::swap(if rest.is_empty() { queue } else { rest }, &mut batch);
            drop(inner);
            let many = batch.len() >= FEW;
            if !self.run_batch(pool, worker, &mut batch) {
                return;
            }
            if many && worker {
                self.gather();
            }
        }
    }

    /// Lets some work come together while much of it comes: who gives it one by one and who takes it would else meet at the
    /// lock each time.
    fn gather(&self) {
        for _ in 0..GATHER_LOOKS {
            let waiting = self.given.submitted.load(Ordering::Relaxed) - self.done.completed.load(Ordering::Relaxed);
            if waiting >= ENOUGH {
                break;
            }
            // Each look takes the line away from those who give work.
            (0..GATHER_SPINS).for_each(|_| std::hint::spin_loop());
        }
    }

    /// False where the stream was handed on, with the rest of the batch back in its queue.
    fn run_batch(&'static self, pool: &'static WorkerPool, worker: bool, batch: &mut VecDeque<Work>) -> bool {
        let mut position = self.done.completed.load(Ordering::Relaxed);
        while let Some(work) = batch.pop_front() {
            self.announce_begun();
            match work {
                Work::Call(call) if !worker => {
                    batch.push_front(Work::Call(call));
                    self.put_back(batch);
                    pool.schedule(Runnable::Task(self));
                    return false;
                }
                Work::Call(call) => Point { stream: self, position: position + 1 }.call(|| {
                    let _traced = trace::function(move || self.traced());
                    call.call();
                }),
                Work::Stamp { cell, serial } => {
                    let time = clock::now();
                    sanitizer::release(cell);
                    HostCell::of(cell).stamp(serial, time);
                    trace::put(move || What::Reached { cell: cell.address(), serial, stream: self.traced(), time });
                }
                Work::Finish { shared, ticket } => {
                    if trace::is_on() {
                        shared.trace_reached(self);
                    }
                    // By its place: somebody may have been told of the failure meanwhile, which ends after what was given till then.
                    let point = Point { stream: self, position: position + 1 };
                    sanitizer::release(&*shared);
                    shared.finish(ticket, !point.is_failed());
                }
                Work::WaitShared { shared, ticket } => {
                    if !pool.has_others() {
                        shared.spin(ticket);
                    }
                    let look = shared.look_here(ticket);
                    let pending = matches!(look, Look::Pending);
                    trace::put(move || match pending {
                        true => What::StreamWaits(self.traced(), None),
                        false => What::StreamGoesOn(self.traced()),
                    });
                    match look {
                        Look::Done => {}
                        Look::Gone => self.done.failures.begin(position),
                        Look::Pending => {
                            batch.push_front(Work::WaitShared { shared: shared.clone(), ticket });
                            self.put_back(batch);
                            shared.wake_later(ticket, self);
                            return false;
                        }
                    }
                }
                Work::Follow(point) if point.is_reached() => point.announce_reached(),
                Work::Wait(point) if point.is_reached() => {
                    point.announce_reached();
                    trace::put(move || What::StreamGoesOn(self.traced()));
                    if point.is_failed() {
                        self.done.failures.begin(position);
                    }
                }
                Work::Follow(point) | Work::Wait(point) => {
                    if matches!(work, Work::Wait(_)) {
                        trace::put(move || What::StreamWaits(self.traced(), Some(point.stream.traced())));
                    }
                    // There is room: it has just been taken from there.
                    batch.push_front(work);
                    self.put_back(batch);
                    if let Some(Waiter::Task(task)) = point.stream.notify(point.position, Waiter::Task(self)) {
                        pool.schedule(Runnable::Task(task));
                    }
                    return false;
                }
            }
            position += 1;
            self.announce_done();
            self.complete(position);
            let tired =
                if worker { position.is_multiple_of(64) && pool.has_others() } else { position.is_multiple_of(1024) };
            if tired && !batch.is_empty() {
                self.put_back(batch);
                pool.schedule(Runnable::Task(self));
                return false;
            }
        }
        true
    }

    fn put_back(&self, batch: &mut VecDeque<Work>) {
        std::mem::swap(&mut self.given.inner.lock().rest, batch);
    }

    /// Publishes progress. The order with `awaited` is that of `notify`, mirrored: one of the two sees the other.
    fn complete(&'static self, position: u64) {
        self.done.completed.store(position, Ordering::SeqCst);
        if self.done.awaited.load(Ordering::SeqCst) <= position {
            self.wake(position);
        }
    }

    #[cold]
    fn wake(&'static self, position: u64) {
        // Some at a time, so that nobody is woken under the lock.
        let mut due = [const { None }; DUE];
        loop {
            let mut inner = self.given.inner.lock();
            for place in &mut due {
                let first = inner.waiters.first_entry().filter(|first| first.key().0 <= position);
                *place = first.map(|first| first.remove_entry());
            }
            self.set_awaited(&inner);
            drop(inner);
            let count = due.iter().flatten().count();
            for ((position, _), waiter) in due.iter_mut().filter_map(Option::take) {
                let failed = Point { stream: self, position }.is_failed();
                workers::wake(waiter, if failed { Status::CONTEXT_IS_DESTROYED } else { Status::SUCCESS });
            }
            if count < DUE {
                break;
            }
        }
    }

    /// Is the stream without something that it had to wait for, so that what comes now fails?
    pub(crate) fn is_failing(&self) -> bool {
        self.done.failures.is_open()
    }

    /// Tells whether the stream is failing, and lets what is given to it from now on be sound again.
    pub(crate) fn take_failure(&self) -> bool {
        self.done.failures.end(self.given.submitted.load(Ordering::Acquire))
    }

    /// Registers a waiter; gives it back where the position is reached already.
    pub(crate) fn notify(&self, position: u64, waiter: Waiter) -> Option<Waiter> {
        let mut inner = self.given.inner.lock();
        inner.arrivals += 1;
        let key = (position, inner.arrivals);
        inner.waiters.insert(key, waiter);
        self.set_awaited(&inner);
        if self.done.completed.load(Ordering::SeqCst) < position {
            return None;
        }
        let back = inner.waiters.remove(&key);
        self.set_awaited(&inner);
        back
    }

    /// Takes a parked thread out of the waiters for the position.
    pub(crate) fn forget(&self, position: u64, parker: &Parker) {
        let mut inner = self.given.inner.lock();
        let is_it = |waiter: &Waiter| matches!(waiter, Waiter::Thread(thread) if std::ptr::eq(&**thread, parker));
        while let Some((key, _)) =
            inner.waiters.range((position, 0)..=(position, u64::MAX)).find(|(_, waiter)| is_it(waiter))
        {
            let key = *key;
            inner.waiters.remove(&key);
        }
        self.set_awaited(&inner);
    }

    /// Calls `found` for each wait for another stream of this process that stands in the queue before `end`, with its position.
    pub(super) fn waits(&self, end: u64, mut found: impl FnMut(u64, Point)) {
        let inner = self.given.inner.lock();
        let all = inner.rest.len() + inner.queue.len();
        let first = self.given.submitted.load(Ordering::Relaxed) - all as u64;
        for (position, work) in (first..end).zip(inner.rest.iter().chain(&inner.queue)) {
            if let Work::Wait(point) | Work::Follow(point) = work {
                found(position, *point);
            }
        }
    }

    fn set_awaited(&self, inner: &Inner) {
        let nearest = inner.waiters.first_key_value().map_or(NOBODY, |(key, _)| key.0);
        self.done.awaited.store(nearest, Ordering::SeqCst);
    }
}
