//! Threads that are no workers and run what is due: while they wait for something, or when they have found out that it is done.

use super::WorkerPool;
use crate::error::Result;
use crate::process;
use crate::workers::MOST_NESTED;
use crate::workers::parker::Parker;
use crate::workers::worker::{Awaited, Worker};
use std::sync::Arc;
use std::time::Instant;

/// Returns whether the calling thread, between two functions, should return from what it runs: it has no permit for another function, or
/// more are held than there are; or it is lent, and what it waits for may be done, the deadline has passed, or the process exits.
pub(crate) fn should_return() -> bool {
    Worker::current().is_some_and(|worker| super::get().should_return(worker))
}

/// Returns whether the calling thread may run functions inside those that it is inside.
pub(crate) fn can_help() -> bool {
    Worker::current().is_none_or(|worker| worker.depth() < MOST_NESTED)
}

impl WorkerPool {
    /// As [`should_return`], for the calling thread's worker.
    #[inline]
    pub(crate) fn should_return(&self, worker: &Worker) -> bool {
        !worker.has_permit()
            || self.has_excess()
            || (worker.depth() > 0 && worker.awaited.lock().as_ref().is_some_and(Awaited::may_be_over))
    }

    /// Runs what is due until `is_done`, or until the deadline; returns whether it is done. The parker is woken when it may be, for that or
    /// to run what is due: `is_done` learns whether it was.
    pub(crate) fn work_until(
        &'static self,
        parker: &Arc<Parker>,
        deadline: Option<Instant>,
        is_done: &dyn Fn(bool) -> Result<bool>,
    ) -> Result<bool> {
        let current = Worker::current();
        let worker = current.unwrap_or_else(Worker::enter);
        worker.set_depth(worker.depth() + 1);
        let outer = worker.awaited.lock().replace(Awaited { parker: parker.clone(), deadline });
        let done = self.lend(worker, parker, deadline, is_done);
        worker.set_depth(worker.depth() - 1);
        *worker.awaited.lock() = outer;
        self.set_permit(&mut self.due.0.lock(), worker, current.is_some());
        // It may have been sent for, and does not take what is due.
        self.send_again();
        if current.is_none() {
            worker.leave();
        }
        done
    }

    fn lend(
        &'static self,
        worker: &'static Worker,
        parker: &Arc<Parker>,
        deadline: Option<Instant>,
        is_done: &dyn Fn(bool) -> Result<bool>,
    ) -> Result<bool> {
        let mut was_woken = false;
        loop {
            process::check()?;
            if is_done(was_woken)? {
                return Ok(true);
            }
            if deadline.is_some_and(|at| at <= Instant::now()) {
                return Ok(false);
            }
            was_woken = match self.take_or_linger(self.due.0.lock(), worker, true, || parker.is_woken()) {
                Ok(runnable) => {
                    self.run_in_turn(runnable);
                    false
                }
                Err(due) => self.park(due, worker, parker, deadline).1?,
            };
        }
    }
}
