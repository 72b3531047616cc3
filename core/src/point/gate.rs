//! A gate: closed until the host opens it, for good or with a failure. Any number of waiters may wait for it.

use super::WaiterList;
use crate::probe::Obstacle;
use crate::status::Status;
use crate::sync::{AtomicU64, Mutex, Ordering};
use crate::workers::{self, Parker, Waiter};
use std::sync::Arc;

/// Set in the state of a gate that is open, beside the status that it was opened with.
const OPEN: u64 = 1 << 32;

/// A gate.
pub(crate) struct Gate {
    state: AtomicU64,
    waiters: Mutex<WaiterList>,
    obstacle: Obstacle,
}

impl Gate {
    /// A gate that the program opens.
    pub(crate) fn new() -> Arc<Gate> {
        Arc::new(Gate { state: AtomicU64::new(0), waiters: Mutex::default(), obstacle: Obstacle::Signal })
    }

    /// A gate for a stream, and its opener, which is a backend's.
    pub(crate) fn of_backend() -> (Arc<Gate>, Opener) {
        let gate = Arc::new(Gate { state: AtomicU64::new(0), waiters: Mutex::default(), obstacle: Obstacle::Backend });
        let opened = gate.clone();
        let open = move |status| {
            for waiter in opened.open_only(status).into_iter().flatten() {
                match waiter {
                    // It goes on here, as a worker would have to be woken for it. An opener may be dropped under locks, which fails the gate.
                    Waiter::Task(stream) if status == Status::SUCCESS => stream.run_briefly(),
                    other => workers::wake(other, status),
                }
            }
        };
        (gate, Opener::new(open))
    }

    /// Returns the awaited object's description for a trace.
    pub(crate) fn obstacle(&self) -> Obstacle {
        self.obstacle
    }

    /// Returns how the gate was opened; `None` if it was not.
    #[inline]
    pub(crate) fn opened(&self) -> Option<Status> {
        let state = self.state.load(Ordering::Acquire);
        (state & OPEN != 0).then_some(Status((state as u32).cast_signed()))
    }

    /// Opens the gate and wakes the waiters; false if it was opened before.
    pub(crate) fn open(&self, status: Status) -> bool {
        let Some(waiters) = self.open_only(status) else { return false };
        waiters.for_each(|waiter| workers::wake(waiter, status));
        true
    }

    /// Like [`Gate::open`], but returns the waiters, which the caller wakes after it has released its lock.
    #[must_use]
    pub(crate) fn open_only(&self, status: Status) -> Option<impl Iterator<Item = Waiter> + use<>> {
        let mut waiters = self.waiters.lock();
        if self.opened().is_some() {
            return None;
        }
        self.state.store(OPEN | u64::from(status.0.cast_unsigned()), Ordering::Release);
        Some(waiters.take_all())
    }

    /// Registers a waiter; returns it if the gate is open.
    pub(crate) fn notify(&self, waiter: Waiter) -> Option<Waiter> {
        let mut waiters = self.waiters.lock();
        if self.opened().is_some() {
            return Some(waiter);
        }
        waiters.add(0, waiter);
        None
    }

    /// Forgets a parked thread.
    pub(crate) fn forget(&self, parker: &Parker) {
        self.waiters.lock().forget(0, parker);
    }
}

/// Opens a gate that a stream waits for. Dropping it opens the gate with a failure.
pub(crate) struct Opener(Option<Box<dyn FnOnce(Status) + Send>>);

impl Opener {
    pub(crate) fn new(open: impl FnOnce(Status) + Send + 'static) -> Opener {
        Opener(Some(Box::new(open)))
    }

    /// Opens the gate, with SUCCESS also if the call that made the stream wait has failed: the wait does not count.
    pub(crate) fn open(mut self, status: Status) {
        if let Some(open) = self.0.take() {
            open(status);
        }
    }
}

impl Drop for Opener {
    fn drop(&mut self) {
        if let Some(open) = self.0.take() {
            open(Status::CONTEXT_IS_DESTROYED);
        }
    }
}

#[cfg(all(test, not(loom)))]
#[path = "gate_tests.rs"]
mod tests;

#[cfg(all(test, loom))]
#[path = "gate_loom_tests.rs"]
mod loom_tests;
