//! Permits: how many functions run at once.
//!
//! A worker holds a permit while it searches for work and while it runs. One that sleeps in gevt gives its permit back, and one that
//! the monitor finds blocked in a function loses it. Both continue at once when they wake, and count again. For a while more functions
//! may then run than there are permits, until workers that end a function park.

use super::{Due, WorkerPool};
use crate::error::{Error, Result};
use crate::sync::Ordering;
use crate::workers::threads;
use crate::workers::worker::Worker;

/// Runs `sleep`, in which the calling thread waits inside gevt. Another worker may run meanwhile.
#[inline]
pub(crate) fn asleep<T>(sleep: impl FnOnce() -> T) -> T {
    match Worker::current().filter(|worker| worker.has_permit()) {
        None => sleep(),
        Some(worker) => without_permit(worker, sleep),
    }
}

#[cold]
fn without_permit<T>(worker: &'static Worker, sleep: impl FnOnce() -> T) -> T {
    let pool = super::get();
    pool.give_permit_back(&mut pool.due.0.lock(), worker);
    let slept = sleep();
    pool.count_again(worker);
    slept
}

/// Sets how many threads run functions at once, from now on; 0 for the default.
pub(crate) fn set_threads(number: usize) -> Result<()> {
    let number = threads::checked(number, "n")?;
    if super::get().executing.is_set() {
        return Err(Error::Executor("the program's executor runs the functions: it has the number of its threads"));
    }
    super::get().set_limit(number);
    Ok(())
}

impl WorkerPool {
    /// Returns how many functions may run at once.
    pub(crate) fn limit(&self) -> usize {
        self.limit.load(Ordering::Relaxed)
    }

    /// Sets how many permits there are. If more are held, the functions that run continue.
    fn set_limit(&'static self, limit: usize) {
        let due = self.due.0.lock();
        self.limit.store(limit, Ordering::Relaxed);
        self.call_for_help(due);
        // Some who are parked may be too many now.
        self.wake_parked();
    }

    /// Returns whether a permit is free.
    pub(super) fn has_free(&self) -> bool {
        // In the one order of all threads, as what is in a worker's list: see `WorkerPool::share`.
        self.held.load(Ordering::SeqCst) < self.limit()
    }

    /// Returns whether more permits are held than there are.
    pub(super) fn has_excess(&self) -> bool {
        self.held.load(Ordering::Relaxed) > self.limit()
    }

    /// Counts a permit, under the lock of `due`.
    pub(super) fn hold(&self) {
        self.held.fetch_add(1, Ordering::SeqCst);
    }

    /// Returns whether the worker may run something: it holds a permit, and no more are held than there are, or it takes a free one.
    pub(super) fn may_run(&self, due: &mut Due, worker: &Worker) -> bool {
        if worker.has_permit() {
            return !self.has_excess();
        }
        let is_free = self.has_free();
        if is_free {
            self.count(due, worker);
        }
        is_free
    }

    fn count(&self, _: &mut Due, worker: &Worker) {
        self.hold();
        worker.set_permit(true);
    }

    /// The worker, which is the calling thread's, is about to sleep in gevt: another one may have its permit.
    pub(super) fn give_permit_back(&'static self, due: &mut Due, worker: &Worker) {
        if worker.has_permit() {
            self.held.fetch_sub(1, Ordering::SeqCst);
        }
        worker.set_permit(false);
        let mut woken = 0;
        self.call_locked(due, &mut woken);
        (0..woken).for_each(|_| self.wake.notify_one());
    }

    /// Takes the permit of a worker that is blocked in what it had begun.
    pub(super) fn withdraw_permit(&'static self, worker: &Worker, begun: u64) {
        let mut due = self.due.0.lock();
        if worker.has_permit() && worker.begun() == begun {
            self.give_permit_back(&mut due, worker);
            worker.set_withdrawn();
        }
    }

    /// Counts a worker that runs on after its permit was withdrawn. One that has parked or left since it was seen running holds none.
    pub(super) fn count_withdrawn(&self, worker: &Worker, begun: u64) {
        let mut due = self.due.0.lock();
        if worker.is_withdrawn() && worker.begun() == begun {
            self.count(&mut due, worker);
        }
    }

    /// Counts a worker that runs without a permit, even if none is free.
    pub(super) fn count_again(&self, worker: &Worker) {
        let mut due = self.due.0.lock();
        if !worker.has_permit() {
            self.count(&mut due, worker);
        }
    }
}

#[cfg(all(test, not(loom)))]
#[path = "permit_tests.rs"]
mod tests;
