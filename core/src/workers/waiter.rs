//! Those who are woken when something is done.

use super::Task;
use super::permit::asleep;
use super::sleepers::Asleep;
use crate::error::Result;
use crate::process;
use crate::status::Status;
use crate::sync::Signal;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What is to be done when a mark is reached, or cannot be any more: the status says which.
pub(crate) type Completion = Box<dyn FnOnce(Status) + Send>;

/// Woken once.
pub(crate) enum Waiter {
    /// A thread that is parked, or about to be.
    Thread(Arc<Parker>),
    /// Work for a worker.
    Work(Completion),
    /// Work that the waking thread does itself: it is short, and takes no lock that is held where somebody is woken.
    Now(Completion),
    /// A task that cannot go on before.
    Task(&'static dyn Task),
}

/// A thread that waits until it is woken.
pub(crate) struct Parker {
    signal: Signal,
    /// How many have to unpark it before one wakes it.
    before: AtomicUsize,
}

/// How long a thread sleeps at most that exit will not wake, as there was no memory to list it.
const UNLISTED: Duration = Duration::from_millis(100);

impl Parker {
    /// For the calling thread, which alone may park.
    pub(crate) fn new() -> Arc<Parker> {
        Parker::for_all(1)
    }

    /// As [`Parker::new`], for a thread that waits until so many have unparked it: at least one.
    pub(crate) fn for_all(count: usize) -> Arc<Parker> {
        Arc::new(Parker { signal: Signal::new(), before: AtomicUsize::new(count - 1) })
    }

    /// Blocks until [`Parker::unpark`], or until the deadline; returns whether it was woken. An error where the process exits.
    /// Another worker may run meanwhile.
    pub(crate) fn park(self: &Arc<Parker>, deadline: Option<Instant>) -> Result<bool> {
        if self.signal.take() {
            return Ok(true);
        }
        asleep(|| self.sleep(deadline))
    }

    /// As [`Parker::park`]; the caller sees to the permit.
    pub(super) fn sleep(self: &Arc<Parker>, deadline: Option<Instant>) -> Result<bool> {
        let asleep = Asleep::on(self.clone());
        loop {
            // Listed before, so that exit either shows here or wakes the thread.
            process::check()?;
            let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Ok(self.signal.take());
            }
            let time = if asleep.is_some() { left } else { Some(left.map_or(UNLISTED, |left| left.min(UNLISTED))) };
            self.signal.sleep(time);
            if self.signal.take() {
                return process::check().map(|()| true);
            }
        }
    }

    /// Returns whether it was woken since it parked last.
    pub(super) fn is_woken(&self) -> bool {
        self.signal.is_given()
    }

    pub(crate) fn unpark(&self) {
        let counted = self.before.fetch_update(Ordering::AcqRel, Ordering::Acquire, |before| before.checked_sub(1));
        if counted.is_err() {
            self.signal.give();
        }
    }

    /// Wakes the thread, which then finds that the process exits.
    pub(super) fn rouse(&self) {
        self.signal.give();
    }
}
