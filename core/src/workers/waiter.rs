//! Those who are woken when something is done.

use super::Task;
use crate::status::Status;
use crate::sync::thread::{self, Thread};
use crate::sync::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What is to be done when a mark is reached, or cannot be any more: the status says which.
pub(crate) type Completion = Box<dyn FnOnce(Status) + Send>;

/// Woken once.
pub(crate) enum Waiter {
    /// A thread that is parked, or about to be.
    Thread(Arc<Parker>),
    /// Work for a worker.
    Work(Completion),
    /// A task that cannot go on before.
    Task(&'static dyn Task),
}

/// A thread that waits until it is told to look again.
pub(crate) struct Parker {
    thread: Thread,
    told: AtomicBool,
}

impl Parker {
    /// For the calling thread, which alone may park.
    pub(crate) fn new() -> Arc<Parker> {
        Arc::new(Parker { thread: thread::current(), told: AtomicBool::new(false) })
    }

    /// Waits until [`Parker::unpark`], or until the deadline; true where it was told.
    pub(crate) fn park(&self, deadline: Option<Instant>) -> bool {
        while !self.told.swap(false, Ordering::Acquire) {
            match deadline.map(|at| at.saturating_duration_since(Instant::now())) {
                None => thread::park(),
                Some(Duration::ZERO) => return self.told.swap(false, Ordering::Acquire),
                Some(left) => thread::park_timeout(left),
            }
        }
        true
    }

    pub(crate) fn unpark(&self) {
        self.told.store(true, Ordering::Release);
        self.thread.unpark();
    }
}
