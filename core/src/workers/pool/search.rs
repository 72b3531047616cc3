//! How a thread finds what it does next: in the queue; or it lingers for some microseconds, and parks.

use super::{Due, WorkerPool, stop_for_good};
use crate::error::Result;
use crate::sync::{MutexGuard, Ordering, looks};
use crate::workers::parker::Parker;
use crate::workers::task::Runnable;
use crate::workers::worker::Worker;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How much short work one busy worker is left to do.
const LITTLE: usize = 64;
/// How often an idle worker checks for work before it parks: some microseconds in all. After each round others may have its core.
const ROUNDS: u32 = 8;
const SPINS: u32 = 50;
/// How long a worker beyond the usual number stays parked before it ends.
const LINGER: Duration = Duration::from_secs(1);

/// Something to do; or the lock, under which there is nothing.
type Found<'a> = std::result::Result<Runnable, MutexGuard<'a, Due>>;

impl WorkerPool {
    /// Takes the first thing in the queue, for a worker that holds a permit or takes a free one.
    fn take<'a>(&'static self, mut due: MutexGuard<'a, Due>, worker: &Worker) -> Found<'a> {
        if due.queue.is_empty() || !self.may_run(&mut due, worker) {
            return Err(due);
        }
        let Some(runnable) = due.queue.pop_front() else { return Err(due) };
        self.queued.0.taken.fetch_add(1, Ordering::Relaxed);
        self.call_for_help(due, 1);
        Ok(runnable)
    }

    /// Takes what is due; lingers if there is nothing, until `is_over`. `is_active`: the worker has done something just now, or no other
    /// worker may have.
    pub(super) fn take_or_linger<'a>(
        &'static self,
        mut due: MutexGuard<'a, Due>,
        worker: &Worker,
        is_active: bool,
        is_over: impl Fn() -> bool,
    ) -> Found<'a> {
        if is_active || !self.leaves_to_others() {
            due = match self.take(due, worker) {
                Ok(runnable) => return Ok(runnable),
                Err(due) => due,
            };
        }
        // Half of the threads at most: the others' cores stay free.
        let most = if self.is_short() { 1 } else { self.limit().div_ceil(2) };
        if worker.has_permit() && !self.has_excess() && self.searching.load(Ordering::SeqCst) < most {
            self.searching.fetch_add(1, Ordering::SeqCst);
            drop(due);
            self.linger(is_over);
            due = self.due.0.lock();
            self.searching.fetch_sub(1, Ordering::SeqCst);
        }
        self.take(due, worker)
    }

    /// Returns whether a worker that searches leaves what is due to those that have work: it is little, and they come for it soon.
    fn leaves_to_others(&self) -> bool {
        self.is_short()
            && self.due() < LITTLE
            && self.held.load(Ordering::SeqCst) > self.searching.load(Ordering::SeqCst)
    }

    /// Waits a little for something to be in the queue, or for `is_over`. It stays for as long as others take what it [leaves to
    /// them](WorkerPool::leaves_to_others). Others may have the core meanwhile.
    pub(super) fn linger(&self, is_over: impl Fn() -> bool) {
        let taken = || self.queued.0.taken.load(Ordering::Relaxed);
        let (mut rounds, mut before) = (0, taken());
        while rounds < looks(ROUNDS) {
            for _ in 0..looks(SPINS) {
                if is_over() || (self.due() > 0 && !self.leaves_to_others()) {
                    return;
                }
                std::hint::spin_loop();
            }
            let now = taken();
            if now == before && self.due() > 0 {
                return;
            }
            // Two threads and a third one that looks on have a core each.
            rounds = if now == before || self.limit() <= 2 { rounds + 1 } else { 0 };
            before = now;
            std::thread::yield_now();
        }
    }

    /// Parks the calling thread without a permit until it is sent for, until it is woken for another reason, or until the deadline. Returns
    /// false if the time ran out.
    pub(super) fn park<'a>(
        &'static self,
        mut due: MutexGuard<'a, Due>,
        worker: &Worker,
        parker: &Arc<Parker>,
        deadline: Option<Instant>,
    ) -> (MutexGuard<'a, Due>, Result<bool>) {
        self.set_permit(&mut due, worker, false);
        let list = usize::from(worker.depth() > 0);
        due.idle[list].push(parker.clone());
        drop(due);
        let woken = parker.park(deadline);
        let mut due = self.due.0.lock();
        match due.idle[list].iter().position(|idle| Arc::ptr_eq(idle, parker)) {
            Some(at) => {
                due.idle[list].remove(at);
                (due, woken)
            }
            None => {
                self.come(&due, worker);
                (due, woken.map(|_| true))
            }
        }
    }

    /// A thread that was sent for has come: it is counted as one that searches, and holds a permit.
    pub(super) fn come(&self, _: &Due, worker: &Worker) {
        self.searching.fetch_sub(1, Ordering::SeqCst);
        worker.set_permit(true);
    }

    /// Searches for something to do, and parks until there is something; `None` if the worker is to end.
    pub(super) fn search(
        &'static self,
        worker: &'static Worker,
        parker: &Arc<Parker>,
        mut is_active: bool,
    ) -> Option<Runnable> {
        let is_spare = || self.count.load(Ordering::SeqCst) > self.limit();
        let mut due = self.due.0.lock();
        loop {
            due = match self.take_or_linger(due, worker, is_active, || false) {
                Ok(runnable) => return Some(runnable),
                Err(due) => due,
            };
            let woken;
            (due, woken) = self.park(due, worker, parker, is_spare().then(|| Instant::now() + LINGER));
            match woken {
                Ok(false) if is_spare() => {
                    self.count.fetch_sub(1, Ordering::SeqCst);
                    return None;
                }
                Ok(_) => is_active = false,
                Err(_) => {
                    drop(due);
                    stop_for_good();
                }
            }
        }
    }
}
