//! How far something of the host has come: a stream, or a row of gates that the program or another backend opens.
//!
//! Timelines are reused and never freed, and their positions never go back. So a position stays meaningful as long as the process lives, and a
//! caller that asks for it need not keep the timeline alive.

use crate::point::{FailedSpans, WaiterList};
use crate::probe::{Obstacle, Place, StreamId};
use crate::status::Status;
use crate::sync::{AtomicU64, Mutex, Ordering};
use crate::workers::{Parker, Waiter};
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU32};

/// The kind of a timeline.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Role {
    /// The default stream of its device: ordered against every blocking one.
    Default,
    /// A stream that is ordered against the default stream.
    Blocking,
    /// A stream that is ordered against none.
    NonBlocking,
    /// Gates that the program opens.
    Signal,
    /// A gate that another backend opens.
    Backend,
}

/// A timeline. Callers that submit read the first part; the second one changes with the progress, and is on separate cache lines.
#[derive(Default)]
#[repr(C, align(128))]
pub(crate) struct Timeline {
    pub(super) failures: FailedSpans,
    role: AtomicU32,
    /// The number and the address of a stream's device.
    number: AtomicI32,
    device: AtomicPtr<()>,
    progress: Progress,
}

/// No waiter.
const NOBODY: u64 = u64::MAX;

#[repr(align(128))]
struct Progress {
    done: AtomicU64,
    /// The nearest position that a waiter waits for.
    nearest: AtomicU64,
    waiters: Mutex<WaiterList>,
}

impl Default for Progress {
    fn default() -> Progress {
        Progress { done: AtomicU64::new(0), nearest: AtomicU64::new(NOBODY), waiters: Mutex::default() }
    }
}

impl Timeline {
    /// Begins the timeline's next use.
    pub(super) fn begin(&self, role: Role, number: i32, device: *const ()) {
        self.role.store(role as u32, Ordering::Relaxed);
        self.number.store(number, Ordering::Relaxed);
        self.device.store(device.cast_mut(), Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn role(&self) -> Role {
        match self.role.load(Ordering::Relaxed) {
            0 => Role::Default,
            1 => Role::Blocking,
            2 => Role::NonBlocking,
            3 => Role::Signal,
            _ => Role::Backend,
        }
    }

    /// The address of a stream's device.
    pub(super) fn device(&self) -> *const () {
        self.device.load(Ordering::Relaxed)
    }

    /// The address of the timeline, which names it.
    pub(super) fn name(&self) -> usize {
        std::ptr::from_ref(self) as usize
    }

    /// Returns the stream's name in traces.
    pub(crate) fn traced(&self) -> StreamId {
        let place = Place::Host { device: self.number.load(Ordering::Relaxed) };
        StreamId { place, native: self.name() as u64, is_default: self.role() == Role::Default }
    }

    /// Returns what a trace calls the timeline as something that a stream waits for.
    pub(super) fn obstacle(&self) -> Obstacle {
        match self.role() {
            Role::Default | Role::Blocking | Role::NonBlocking => Obstacle::Stream(self.traced()),
            Role::Signal => Obstacle::Signal,
            Role::Backend => Obstacle::Backend,
        }
    }

    /// How far it has come. Acquire: with it goes all that was done before.
    #[inline]
    pub(super) fn done(&self) -> u64 {
        self.progress.done.load(Ordering::Acquire)
    }

    /// Sets the position that it has reached. The caller calls [`Timeline::wake`] next.
    #[inline]
    pub(super) fn advance(&self, position: u64) {
        self.progress.done.store(position, Ordering::SeqCst);
    }

    /// Wakes the waiters for the position or one before it. The order with [`Timeline::advance`] is that of
    /// [`Timeline::notify`], mirrored: one of the two sees the other.
    #[inline]
    pub(super) fn wake(&self, position: u64, wake: fn(Waiter, Status)) {
        if self.progress.nearest.load(Ordering::SeqCst) <= position {
            self.wake_due(position, wake);
        }
    }

    #[cold]
    #[inline(never)]
    fn wake_due(&self, position: u64, wake: fn(Waiter, Status)) {
        loop {
            let mut waiters = self.progress.waiters.lock();
            let due = waiters.take_due(position);
            let next = self.publish(&waiters);
            // No waiter is woken under the lock.
            drop(waiters);
            if let Some((position, waiter)) = due {
                wake(waiter, self.failures.at(position).map_or(Status::SUCCESS, |error| error.status()));
            }
            if next > position {
                break;
            }
        }
    }

    /// Registers a waiter; gives it back where the position is reached already.
    pub(super) fn notify(&self, position: u64, waiter: Waiter) -> Option<Waiter> {
        let mut waiters = self.progress.waiters.lock();
        // Before the progress is read, so the thread that makes progress comes for the waiter, and to the lock.
        let nearest = waiters.nearest().map_or(position, |nearest| nearest.min(position));
        self.progress.nearest.store(nearest, Ordering::SeqCst);
        if self.progress.done.load(Ordering::SeqCst) >= position {
            self.publish(&waiters);
            return Some(waiter);
        }
        waiters.add(position, waiter);
        None
    }

    /// Takes a parked thread out of the waiters for the position.
    pub(super) fn forget(&self, position: u64, parker: &Parker) {
        let mut waiters = self.progress.waiters.lock();
        waiters.forget(position, parker);
        self.publish(&waiters);
    }

    /// Publishes the nearest position with a waiter, and returns it.
    fn publish(&self, waiters: &WaiterList) -> u64 {
        let nearest = waiters.nearest().unwrap_or(NOBODY);
        self.progress.nearest.store(nearest, Ordering::SeqCst);
        nearest
    }
}
