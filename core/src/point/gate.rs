//! A gate: closed until the host opens it, for good or with a failure. Any number of waiters may wait for it.

use super::WaiterList;
use crate::status::Status;
use crate::sync::{AtomicU64, Mutex, Ordering};
use crate::workers::{self, Waiter};
use std::sync::Arc;

/// Set in the state of a gate that is open, beside the status that it was opened with.
const OPEN: u64 = 1 << 32;

/// A gate of CUDA's or Vulkan's streams. The host's are positions of a timeline.
pub(crate) struct Gate {
    state: AtomicU64,
    waiters: Mutex<WaiterList>,
}

impl Gate {
    /// A closed gate.
    pub(crate) fn new() -> Arc<Gate> {
        Arc::new(Gate { state: AtomicU64::new(0), waiters: Mutex::default() })
    }

    /// A gate for a stream, and its opener.
    pub(crate) fn with_opener() -> (Arc<Gate>, Opener) {
        let gate = Gate::new();
        let opened = gate.clone();
        (gate, Opener::new(move |status| _ = opened.open(status)))
    }

    /// Returns how the gate was opened; `None` if it was not.
    #[inline]
    pub(crate) fn opened(&self) -> Option<Status> {
        let state = self.state.load(Ordering::Acquire);
        (state & OPEN != 0).then_some(Status((state as u32).cast_signed()))
    }

    /// Opens the gate and wakes the waiters; false if it was opened before. With a failure it may be opened under locks.
    pub(crate) fn open(&self, status: Status) -> bool {
        let mut waiters = self.waiters.lock();
        if self.opened().is_some() {
            return false;
        }
        self.state.store(OPEN | u64::from(status.0.cast_unsigned()), Ordering::Release);
        let all = waiters.take_all();
        drop(waiters);
        workers::wake_here(all.map(|waiter| (waiter, status)));
        true
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
