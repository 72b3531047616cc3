//! Those who are woken when something is done.

use super::Task;
use crate::status::Status;
use crate::sync::{Condvar, Mutex};
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

/// A thread that waits until another one wakes it.
pub(crate) struct Parker {
    is_woken: Mutex<bool>,
    changed: Condvar,
}

impl Parker {
    /// For the calling thread, which alone may park.
    pub(crate) fn new() -> Arc<Parker> {
        Arc::new(Parker { is_woken: Mutex::default(), changed: Condvar::new() })
    }

    /// Waits until [`Parker::unpark`], or until the deadline; true if it was woken.
    pub(crate) fn park(&self, deadline: Option<Instant>) -> bool {
        let mut is_woken = self.is_woken.lock();
        while !*is_woken {
            match deadline.map(|at| at.saturating_duration_since(Instant::now())) {
                None => self.changed.wait(&mut is_woken),
                Some(Duration::ZERO) => return false,
                Some(left) => drop(self.changed.wait_for(&mut is_woken, left)),
            }
        }
        *is_woken = false;
        true
    }

    pub(crate) fn unpark(&self) {
        *self.is_woken.lock() = true;
        self.changed.notify_one();
    }
}
