//! How a worker finds what it does next: in the queue, or in a list; or it lingers for some microseconds, and parks.

use super::{Due, WorkerPool};
use crate::sync::{MutexGuard, Ordering, give_core_away, looks};
use crate::workers::mine::with_mine;
use crate::workers::task::Runnable;
use crate::workers::worker::Worker;
use std::time::Duration;

/// How much of the queue a worker takes at most, for its own list.
const BATCH: usize = 32;
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
    fn take_queued<'a>(&'static self, mut due: MutexGuard<'a, Due>, worker: &Worker) -> Found<'a> {
        if due.queue.is_empty() || !self.may_run(&mut due, worker) {
            return Err(due);
        }
        let Some(runnable) = due.queue.pop_front() else { return Err(due) };
        // One that is inside a function is to come back soon.
        if let Some(own) = with_mine(|mine| mine.list_between_calls()) {
            let share = due.queue.len() / if self.is_short() { 1 } else { self.limit() };
            self.lists.fill(own, &mut due.queue, share.min(BATCH));
        }
        self.queued.0.taken.fetch_add(1, Ordering::Relaxed);
        self.call_for_help(due);
        Ok(runnable)
    }

    /// Takes what is due from the queue or a list, for a worker that holds a permit or takes a free one.
    fn take_due<'a>(&'static self, due: MutexGuard<'a, Due>, worker: &Worker) -> Found<'a> {
        let mut due = match self.take_queued(due, worker) {
            Ok(runnable) => return Ok(runnable),
            Err(due) => due,
        };
        if !self.may_run(&mut due, worker) {
            return Err(due);
        }
        let Some(runnable) = self.lists.pop_any(with_mine(|mine| mine.list())) else { return Err(due) };
        self.call_for_help(due);
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
            due = match self.take_queued(due, worker) {
                Ok(runnable) => return Ok(runnable),
                Err(due) => due,
            };
        }
        // Half of the threads at most: the others' cores stay free.
        let most = if self.is_short() { 1 } else { self.limit().div_ceil(2) };
        if !worker.has_permit() || self.has_excess() || self.searching.load(Ordering::SeqCst) >= most {
            return self.take_due(due, worker);
        }
        self.searching.fetch_add(1, Ordering::SeqCst);
        drop(due);
        let stolen = self.linger(is_over);
        let due = self.due.0.lock();
        self.searching.fetch_sub(1, Ordering::SeqCst);
        match stolen {
            Some(runnable) => {
                self.call_for_help(due);
                Ok(runnable)
            }
            None => self.take_due(due, worker),
        }
    }

    /// Returns whether a worker that searches leaves what is due to those that have work: it is little, and they come for it soon.
    fn leaves_to_others(&self) -> bool {
        self.is_short()
            && self.queued.0.len.load(Ordering::SeqCst) < LITTLE
            && self.held.load(Ordering::SeqCst) > self.searching.load(Ordering::SeqCst)
    }

    /// Waits a little for something to be in the queue, or for `is_over`; or takes something from a list. It stays for as long as others take
    /// what it [leaves to them](WorkerPool::leaves_to_others). Others may have the core meanwhile.
    fn linger(&self, is_over: impl Fn() -> bool) -> Option<Runnable> {
        let own = with_mine(|mine| mine.list());
        let progress = || (self.queued.0.taken.load(Ordering::Relaxed), self.lists.len());
        let (mut rounds, mut before) = (0, progress());
        while rounds < looks(ROUNDS) {
            // Less often than the queue: each look at a list takes its cache line away from the worker that fills it.
            if !self.leaves_to_others() && before.1 > 0 {
                return self.lists.pop_any(own);
            }
            for _ in 0..looks(SPINS) {
                if is_over() || (self.queued.0.len.load(Ordering::SeqCst) > 0 && !self.leaves_to_others()) {
                    return None;
                }
                std::hint::spin_loop();
            }
            let now = progress();
            if now == before && self.has_others() {
                return self.lists.pop_any(own);
            }
            // Two threads and a third one that looks on have a core each.
            rounds = if now == before || self.limit() <= 2 { rounds + 1 } else { 0 };
            before = now;
            give_core_away();
        }
        None
    }

    /// Searches for something to do, and parks until there is something; `None` if the worker is to end.
    pub(super) fn search(&'static self, worker: &'static Worker, mut is_active: bool) -> Option<Runnable> {
        let mut due = self.due.0.lock();
        loop {
            due = match self.take_or_linger(due, worker, is_active, || false) {
                Ok(runnable) => return Some(runnable),
                Err(due) => due,
            };
            self.give_permit_back(&mut due, worker);
            due.parked += 1;
            while due.woken == 0 {
                let spare = self.count.load(Ordering::SeqCst) > self.limit();
                let is_late;
                (due, is_late) = if spare { self.wake.wait_for(due, LINGER) } else { (self.wake.wait(due), false) };
                if is_late && due.woken == 0 && self.count.load(Ordering::SeqCst) > self.limit() {
                    due.parked -= 1;
                    self.count.fetch_sub(1, Ordering::SeqCst);
                    return None;
                }
            }
            // The thread that woke this worker has counted it as searching, and as one with a permit.
            due.woken -= 1;
            due.parked -= 1;
            self.searching.fetch_sub(1, Ordering::SeqCst);
            worker.set_permit(true);
            is_active = false;
        }
    }
}
