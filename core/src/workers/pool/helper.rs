//! Threads that are no workers and run what is due: while they wait for something, or when they have found out that it is done.

use super::WorkerPool;
use super::permit::asleep;
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

/// The calling thread as one that runs what is due.
struct Lent {
    worker: &'static Worker,
    /// It is no worker otherwise.
    is_guest: bool,
    /// What the wait around this one is for.
    outer: Option<Awaited>,
}

impl Lent {
    fn new(pool: &'static WorkerPool, awaited: Awaited) -> Lent {
        let (worker, is_guest) = match Worker::current() {
            Some(worker) => (worker, false),
            None => (Worker::enter(), true),
        };
        if is_guest {
            pool.list(worker);
            pool.open_list();
        }
        worker.set_depth(worker.depth() + 1);
        let outer = worker.awaited.lock().replace(awaited);
        Lent { worker, is_guest, outer }
    }

    fn end(self, pool: &'static WorkerPool) {
        self.worker.set_depth(self.worker.depth() - 1);
        *self.worker.awaited.lock() = self.outer;
        if self.is_guest {
            // What is left in the list is others'.
            pool.close_list();
            pool.give_permit_back(&mut pool.due.0.lock(), self.worker);
            pool.unlist(self.worker);
            self.worker.leave();
        } else if self.worker.has_permit() {
            // It may have been sent for, and does not take what is due.
            pool.send_again();
        } else {
            pool.count_again(self.worker);
        }
    }
}

impl WorkerPool {
    /// As [`should_return`], for the calling thread's worker.
    #[inline]
    pub(crate) fn should_return(&self, worker: &Worker) -> bool {
        !worker.has_permit()
            || self.has_excess()
            || (worker.depth() > 0 && worker.awaited.lock().as_ref().is_some_and(Awaited::may_be_over))
    }

    /// Runs what is due until `is_done`, or until the deadline; returns whether it is done. The parker is woken when it may be.
    pub(crate) fn work_until(
        &'static self,
        parker: &Arc<Parker>,
        deadline: Option<Instant>,
        is_done: &dyn Fn() -> Result<bool>,
    ) -> Result<bool> {
        if Worker::current().is_some_and(|worker| worker.depth() == MOST_NESTED) {
            while !is_done()? {
                if !asleep(|| parker.park(deadline))? {
                    return is_done();
                }
            }
            return Ok(true);
        }
        let lent = Lent::new(self, Awaited { parker: parker.clone(), deadline });
        let done = self.lend(lent.worker, parker, deadline, is_done);
        lent.end(self);
        done
    }

    fn lend(
        &'static self,
        worker: &'static Worker,
        parker: &Arc<Parker>,
        deadline: Option<Instant>,
        is_done: &dyn Fn() -> Result<bool>,
    ) -> Result<bool> {
        loop {
            process::check()?;
            if is_done()? {
                return Ok(true);
            }
            if deadline.is_some_and(|at| at <= Instant::now()) {
                return Ok(false);
            }
            let mut due = match self.take_or_linger(self.due.0.lock(), worker, true, || parker.is_woken()) {
                Ok(runnable) => {
                    self.run_in_turn(worker, runnable);
                    continue;
                }
                Err(due) => due,
            };
            self.give_permit_back(&mut due, worker);
            if due.helpers.try_reserve(1).is_err() {
                drop(due);
                asleep(|| parker.park(deadline))?;
                continue;
            }
            due.helpers.push(parker.clone());
            drop(due);
            let woken = parker.park(deadline);
            let mut due = self.due.0.lock();
            match due.helpers.iter().position(|helper| Arc::ptr_eq(helper, parker)) {
                Some(at) => drop(due.helpers.swap_remove(at)),
                // The thread that sent for it has counted it.
                None => worker.set_permit(true),
            }
            drop(due);
            woken?;
        }
    }
}
