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
pub(crate) fn asleep<T>(sleep: impl FnOnce() -> T) -> T {
    let Some(worker) = Worker::current().filter(|worker| worker.has_permit()) else { return sleep() };
    let pool = super::get();
    pool.set_permit(&mut pool.due.0.lock(), worker, false);
    let slept = sleep();
    pool.set_permit(&mut pool.due.0.lock(), worker, true);
    slept
}

/// Sets how many threads run functions at once, from now on; 0 for the default.
pub(crate) fn set_threads(number: usize) -> Result<()> {
    let number = threads::checked(number, "n")?;
    if super::get().executor.get().is_some() {
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
        let mut due = self.due.0.lock();
        self.limit.store(limit, Ordering::Relaxed);
        // Some who are parked may be too many now: all are sent for, and find out.
        let idle: Vec<_> = due.idle[0].drain(..).collect();
        self.held.fetch_add(idle.len(), Ordering::SeqCst);
        self.searching.fetch_add(idle.len(), Ordering::SeqCst);
        self.call_for_help(due, 1);
        idle.iter().for_each(|parker| parker.unpark());
    }

    /// Returns whether a permit is free.
    pub(super) fn has_free(&self) -> bool {
        self.held.load(Ordering::SeqCst) < self.limit()
    }

    /// Returns whether more permits are held than there are.
    pub(super) fn has_excess(&self) -> bool {
        self.held.load(Ordering::Relaxed) > self.limit()
    }

    /// Returns whether the worker may run something: it holds a permit, and no more are held than there are, or it takes a free one.
    pub(super) fn may_run(&'static self, due: &mut Due, worker: &Worker) -> bool {
        if worker.has_permit() {
            return !self.has_excess();
        }
        let is_free = self.has_free();
        if is_free {
            self.set_permit(due, worker, true);
        }
        is_free
    }

    /// Counts a worker that runs, even if no permit is free; or takes the permit of one that sleeps: another may have it.
    pub(super) fn set_permit(&'static self, due: &mut Due, worker: &Worker, has: bool) {
        match (worker.has_permit(), has) {
            (false, true) => drop(self.held.fetch_add(1, Ordering::SeqCst)),
            (true, false) => drop(self.held.fetch_sub(1, Ordering::SeqCst)),
            _ => {}
        }
        worker.set_permit(has);
        if !has {
            self.call_locked(due, 1).iter().for_each(|parker| parker.unpark());
        }
    }

    /// Takes the permit of a worker that is blocked in what it had begun, and counts it when it runs on. One that has parked or left
    /// since it was seen running holds none.
    pub(super) fn set_blocked(&'static self, worker: &Worker, begun: u64, is_blocked: bool) {
        let mut due = self.due.0.lock();
        let changes = if is_blocked { worker.has_permit() } else { worker.is_withdrawn() };
        if changes && worker.begun() == begun {
            self.set_permit(&mut due, worker, !is_blocked);
            worker.set_withdrawn(is_blocked);
        }
    }
}

#[cfg(all(test, not(loom)))]
#[path = "permit_tests.rs"]
mod tests;
