//! Places: how many functions run at once.
//!
//! A worker has a place while it searches for work and while it runs. One that is about to sleep in gevt gives its place up at
//! once; one that the watcher finds asleep in a function loses it. Both run on without a place when they wake, until the function
//! ends or gevt is called: so while they do, more functions run than there are places.

use super::pool::{self, Due, WorkerPool};
use super::watcher;
use super::worker::{Place, Worker};
use crate::process;
use crate::sync::Ordering;
use std::sync::atomic::{AtomicBool, AtomicUsize as Number};
use std::time::{Duration, Instant};

/// How long a worker keeps its place at most, from one function to the next, while another waits for one.
const TURN: Duration = Duration::from_millis(1);
/// How long a worker waits for a place before it reads the clock again.
const ROUND: Duration = Duration::from_secs(3600);

/// Runs `sleep`, in which the calling thread sleeps until something of gevt's happens. A function of a stream's gives its place
/// to another meanwhile, and has one again afterwards, or when the deadline has passed. Inside another one, nothing more happens.
#[inline]
pub(crate) fn asleep<T>(deadline: Option<Instant>, sleep: impl FnOnce() -> T) -> T {
    match Worker::current().filter(|worker| worker.place() != Place::None) {
        None => sleep(),
        Some(worker) => asleep_on(worker, deadline, sleep),
    }
}

#[cold]
fn asleep_on<T>(worker: &'static Worker, deadline: Option<Instant>, sleep: impl FnOnce() -> T) -> T {
    let pool = pool::get();
    pool.leave_place(&mut pool.due.lock(), worker);
    let slept = sleep();
    pool.regain_place(worker, deadline);
    slept
}

impl WorkerPool {
    /// Returns how many functions may run at once.
    pub(super) fn limit(&self) -> usize {
        self.limit.load(Ordering::Relaxed)
    }

    /// Returns how many places there are now: some more where many functions poll.
    pub(super) fn places(&self) -> usize {
        self.limit() + self.extra.load(Ordering::Relaxed)
    }

    /// Sets how many places there are for a while beyond the usual number.
    pub(super) fn set_extra(&'static self, extra: usize) {
        if self.extra.load(Ordering::Relaxed) != extra {
            let mut due = self.due.lock();
            self.extra.store(extra, Ordering::Relaxed);
            self.call_for_help(&mut due);
        }
    }

    /// Sets how many places there are. If more are held than there are, the functions that run continue.
    pub(super) fn set_limit(&'static self, limit: usize) {
        let mut due = self.due.lock();
        self.limit.store(limit, Ordering::Relaxed);
        // The watcher may come late on a busy machine: what it gave before is not to go beyond the new number.
        self.extra.store(0, Ordering::Relaxed);
        self.call_for_help(&mut due);
        // Some who are parked may be too many now.
        self.wake_parked();
    }

    /// Returns whether somebody waits for a place, or more are held than there are.
    pub(super) fn is_contended(&self) -> bool {
        self.contended.load(Ordering::Relaxed) > 0
    }

    /// Publishes how many places are held, and how many want one.
    pub(super) fn publish(&self, due: &Due) {
        let excess = due.held.saturating_sub(self.places());
        let free = self.places().saturating_sub(due.held);
        if self.free.load(Ordering::Relaxed) != free {
            // In the one order of all threads, as what is in a worker's list: see `WorkerPool::share`.
            self.free.store(free, Ordering::SeqCst);
        }
        let set = |number: &Number, value| {
            if number.load(Ordering::Relaxed) != value {
                // In the one order, too: the watcher clears its flag and then reads it, who writes it then reads the flag.
                number.store(value, Ordering::SeqCst);
            }
        };
        set(&self.excess, excess);
        set(&self.contended, excess + due.returning - due.granted);
    }

    /// Gives free places to those who wait for one.
    pub(super) fn grant_places(&self, due: &mut Due) {
        while due.returning > due.granted && due.held < self.places() {
            due.granted += 1;
            due.held += 1;
            self.place.notify_one();
        }
        self.publish(due);
        if due.returning > due.granted {
            watcher::wake();
        }
    }

    /// Returns whether the worker has a place that nobody else is to have before; takes a free one where it has none.
    pub(super) fn has_place(&'static self, due: &mut Due, worker: &Worker) -> bool {
        let free = if worker.place() == Place::Held { due.held <= self.places() } else { due.held < self.places() };
        if !free || due.returning > due.granted {
            return false;
        }
        if worker.place() != Place::Held {
            due.held += 1;
            worker.set_place(Place::Held);
        }
        true
    }

    /// The worker, which is the calling thread's, is about to sleep in gevt: others may have its place.
    pub(super) fn leave_place(&'static self, due: &mut Due, worker: &Worker) {
        if worker.place() == Place::Held {
            due.held -= 1;
        }
        worker.set_place(Place::None);
        self.call_for_help(due);
    }

    /// Takes the place of a worker that is asleep in what it had begun.
    pub(super) fn withdraw_place(&'static self, worker: &Worker, begun: u64) {
        let mut due = self.due.lock();
        if worker.place() == Place::Held && worker.begun() == begun {
            due.held -= 1;
            worker.set_place(Place::Lost);
            self.call_for_help(&mut due);
        }
    }

    /// Counts a worker again that lost its place and runs.
    pub(super) fn return_place(&'static self, worker: &Worker) {
        let mut due = self.due.lock();
        if worker.place() == Place::Lost {
            due.held += 1;
            worker.set_place(Place::Held);
            self.publish(&due);
        }
    }

    /// A worker is about to begin a function: waits until it may.
    #[cold]
    pub(super) fn keep_place(&'static self, worker: &'static Worker) {
        let in_turn = || self.excess.load(Ordering::Relaxed) == 0 && !worker.has_had_turn(TURN);
        if worker.place() == Place::Held && in_turn() {
            return;
        }
        let mut due = self.due.lock();
        if !self.has_place(&mut due, worker) {
            self.leave_place(&mut due, worker);
            drop(due);
            self.regain_place(worker, None);
        }
    }

    /// Waits for a place, until the deadline or until the process exits: then it continues without one.
    pub(super) fn regain_place(&'static self, worker: &'static Worker, deadline: Option<Instant>) {
        let mut due = self.due.lock();
        if self.has_place(&mut due, worker) {
            return worker.begin_turn();
        }
        WAITED.store(true, Ordering::Relaxed);
        due.returning += 1;
        self.grant_places(&mut due);
        while due.granted == 0 && !process::is_over() {
            let left = deadline.map_or(ROUND, |at| at.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                break;
            }
            self.place.wait_for(&mut due, left);
        }
        due.returning -= 1;
        let granted = due.granted > 0;
        due.granted -= usize::from(granted);
        worker.set_place(if granted { Place::Held } else { Place::Lost });
        self.publish(&due);
        worker.begin_turn();
    }
}

/// Set once somebody has waited for a place.
static WAITED: AtomicBool = AtomicBool::new(false);

/// Lets those who wait for a place continue without one: the process exits.
pub(crate) fn rouse() {
    if WAITED.load(Ordering::Relaxed) {
        let _due = pool::get().due.lock();
        pool::get().place.notify_all();
    }
}
