//! Permits: how many functions run at once.
//!
//! A worker holds a permit while it searches for work and while it runs. One that sleeps in gevt gives its permit back, and one that
//! the monitor finds blocked in a function loses it. Both continue at once when they wake, and count again. For a while more functions
//! may then run than there are permits, until workers that end a function park.

use super::pool::{self, Due, WorkerPool};
use super::worker::Worker;
use crate::sync::Ordering;

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
    let pool = pool::get();
    pool.give_permit_back(&mut pool.due.lock(), worker);
    let slept = sleep();
    pool.count_again(worker);
    slept
}

impl WorkerPool {
    /// Returns how many functions may run at once.
    pub(super) fn limit(&self) -> usize {
        self.limit.load(Ordering::Relaxed)
    }

    /// Sets how many permits there are. If more are held, the functions that run continue.
    pub(super) fn set_limit(&'static self, limit: usize) {
        let mut due = self.due.lock();
        self.limit.store(limit, Ordering::Relaxed);
        self.call_for_help(&mut due);
        // Some who are parked may be too many now.
        self.wake_parked();
    }

    /// Returns whether more permits are held than there are.
    pub(super) fn has_excess(&self) -> bool {
        self.excess.load(Ordering::Relaxed) > 0
    }

    /// Publishes how many permits are held.
    pub(super) fn publish(&self, due: &Due) {
        let excess = due.held.saturating_sub(self.limit());
        let free = self.limit().saturating_sub(due.held);
        if self.free.load(Ordering::Relaxed) != free {
            // In the one order of all threads, as what is in a worker's list: see `WorkerPool::share`.
            self.free.store(free, Ordering::SeqCst);
        }
        if self.excess.load(Ordering::Relaxed) != excess {
            self.excess.store(excess, Ordering::Relaxed);
        }
    }

    /// Returns whether the worker may run something: it holds a permit, and no more are held than there are, or it takes a free one.
    pub(super) fn may_run(&self, due: &mut Due, worker: &Worker) -> bool {
        if worker.has_permit() {
            return due.held <= self.limit();
        }
        let is_free = due.held < self.limit();
        if is_free {
            self.count(due, worker);
        }
        is_free
    }

    fn count(&self, due: &mut Due, worker: &Worker) {
        due.held += 1;
        worker.set_permit(true);
        self.publish(due);
    }

    /// The worker, which is the calling thread's, is about to sleep in gevt: another one may have its permit.
    pub(super) fn give_permit_back(&'static self, due: &mut Due, worker: &Worker) {
        if worker.has_permit() {
            due.held -= 1;
        }
        worker.set_permit(false);
        self.call_for_help(due);
    }

    /// Takes the permit of a worker that is blocked in what it had begun.
    pub(super) fn withdraw_permit(&'static self, worker: &Worker, begun: u64) {
        let mut due = self.due.lock();
        if worker.has_permit() && worker.begun() == begun {
            self.give_permit_back(&mut due, worker);
            worker.set_withdrawn();
        }
    }

    /// Counts a worker that runs on after its permit was withdrawn. One that has parked or left since it was seen running holds none.
    pub(super) fn count_withdrawn(&self, worker: &Worker, begun: u64) {
        let mut due = self.due.lock();
        if worker.is_withdrawn() && worker.begun() == begun {
            self.count(&mut due, worker);
        }
    }

    /// Counts a worker that runs without a permit, even if none is free.
    pub(super) fn count_again(&self, worker: &Worker) {
        let mut due = self.due.lock();
        if !worker.has_permit() {
            self.count(&mut due, worker);
        }
    }
}

#[cfg(all(test, not(loom)))]
#[path = "permit_tests.rs"]
mod tests;
