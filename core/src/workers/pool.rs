//! The threads that do the work. Those that run a function, or search for work, hold a permit; there are so many permits as
//! functions may run at once (`permit.rs`), and more threads only for functions that sleep.

use super::executor::Executing;
use super::helper::should_return;
use super::lists::Lists;
use super::mine::{Mine, with_mine};
use super::worker::Worker;
use super::{Completion, Parker, monitor, thread, threads};
use crate::clock;
use crate::process;
use crate::status::Status;
use crate::sync::{AtomicUsize, Condvar, Lazy, Mutex, Ordering};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize as Number};
use std::time::Duration;

/// How much of its own list a worker does before it checks what else is due.
const OWN: u32 = if cfg!(loom) { 2 } else { 32 };
/// How much of what is due a worker takes at most, for its own list.
const BATCH: usize = 32;
/// How much is in the queue when a second worker that searches is sent for: the first one may have no core, as the thread that brings the
/// work has it.
const CROWD: usize = if cfg!(loom) { 2 } else { 16 };
/// How long, in nanoseconds, what is due takes on the average where more than one worker at a time is worth its price. Each of two that
/// share short work waits for the other's cache lines.
const LONG: i64 = 2_000;
/// How long a worker beyond the usual number stays parked before it ends.
const LINGER: Duration = Duration::from_secs(1);
/// How many workers there may be beyond the number of permits: each function that sleeps holds one.
const MOST_ASLEEP: usize = 1000;

/// What a worker can do next.
pub(crate) enum Runnable {
    /// Run something of a backend's.
    Task(&'static dyn Task),
    /// A callback.
    Work(Completion, Status),
    /// Take part in something that several threads do together.
    Shared(Arc<dyn Shared>),
}

/// Something that several threads do together.
///
/// Whoever makes it has promised it a place with [`WorkerPool::reserve`], and keeps the promise until it is dropped.
pub(crate) trait Shared: Send + Sync {
    /// Does some of it.
    fn take_part(self: Arc<Self>);
}

/// Something that runs by turns, on any thread but on one at a time, such as a stream.
///
/// Whoever makes a task has promised it a place with [`WorkerPool::reserve`].
pub(crate) trait Task: Sync {
    /// Runs until there is nothing to do, until it has to wait, until others are due, or until the thread
    /// [should return](super::should_return).
    fn run(&'static self);

    /// As [`Task::run`], on a thread that others wait for: only a little, and no function of the caller's. The rest is
    /// scheduled.
    fn run_briefly(&'static self);
}

/// A number on cache lines of its own.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct Apart(pub(super) AtomicUsize);

/// The threads and what is due. What every launch reads stands on cache lines of its own, apart from what changes with each hand-over.
#[repr(C, align(128))]
pub(crate) struct WorkerPool {
    /// Workers that exist or are being started. The program's executor counts as one.
    pub(super) count: AtomicUsize,
    /// How many permits there are.
    pub(super) limit: Number,
    /// How many permits are held beyond the limit. Written under the lock of `due`.
    pub(super) excess: Number,
    /// What was due lately was short.
    has_short: AtomicBool,
    pub(super) workers: Mutex<Vec<&'static Worker>>,
    /// What workers have taken from `due`, or made runnable themselves, and not begun.
    pub(super) lists: Lists,
    pub(super) due: Mutex<Due>,
    /// The length of the queue of `due`. Idle workers read it all the time.
    pub(super) len: Apart,
    /// How many permits are free. Written under the lock of `due`.
    pub(super) free: AtomicUsize,
    wake: Condvar,
    pub(super) executing: Executing,
    /// Workers that search for work and are not parked, or are about to search.
    pub(super) searching: AtomicUsize,
}

#[derive(Default)]
pub(super) struct Due {
    pub(super) queue: VecDeque<Runnable>,
    /// How long the queue can become: its memory is there before anything has to go into it.
    pub(super) promised: usize,
    parked: usize,
    /// Parked workers that have been woken and not yet noticed.
    woken: usize,
    /// Permits that are held, or given to a worker that has not noticed yet.
    pub(super) held: usize,
    /// Threads without a permit that sleep and would run what is due.
    pub(super) helpers: Vec<Arc<Parker>>,
}

/// The one pool.
pub(crate) fn get() -> &'static WorkerPool {
    static POOL: Lazy<WorkerPool> = Lazy::new(|| WorkerPool {
        due: Mutex::default(),
        len: Apart::default(),
        lists: Lists::default(),
        free: AtomicUsize::new(1),
        wake: Condvar::new(),
        executing: Executing::default(),
        searching: AtomicUsize::new(0),
        workers: Mutex::default(),
        count: AtomicUsize::new(0),
        limit: Number::new(threads::default()),
        excess: Number::new(0),
        has_short: AtomicBool::new(false),
    });
    Lazy::force(&POOL)
}

#[cfg(all(test, loom))]
mod modelled;
#[cfg(all(test, loom))]
pub(crate) use modelled::{push_modelled, spawn_modelled};

impl WorkerPool {
    /// Makes something runnable.
    ///
    /// What a worker makes runnable between functions is what it does next, or goes to its own list: what one stream hands to another
    /// usually runs on the same thread. Others are sent for it once the worker begins another function.
    pub(crate) fn schedule(&'static self, runnable: Runnable) {
        if let Some(runnable) = with_mine(|mine| mine.keep(self, runnable)) {
            self.push(std::iter::once(runnable));
        }
    }

    /// Makes something runnable that has had its turn: what is due already comes before it.
    pub(crate) fn give_way(&'static self, runnable: Runnable) {
        self.push(std::iter::once(runnable));
    }

    pub(super) fn push(&'static self, runnables: impl ExactSizeIterator<Item = Runnable>) {
        let (mut due, count) = (self.due.lock(), runnables.len());
        due.queue.extend(runnables);
        self.call_for_help(&mut due);
        drop(due);
        self.submit(count);
    }

    /// Makes something runnable that is for as many workers, and takes long: each is sent for, unless it searches already.
    pub(crate) fn push_shared(&'static self, copies: impl ExactSizeIterator<Item = Runnable>) {
        let (mut due, count) = (self.due.lock(), copies.len());
        let searching = self.searching.load(Ordering::SeqCst);
        let missing = count.saturating_sub(searching);
        due.queue.extend(copies);
        for _ in 0..missing {
            self.send_for_worker(&mut due);
        }
        self.call_for_help(&mut due);
        drop(due);
        self.submit(count);
    }

    /// Publishes the length of the queue and the number of permits, and sees to it that a worker takes what is due.
    pub(super) fn call_for_help(&'static self, due: &mut Due) {
        // One that searches sends for the next one when it finds something and there is more.
        let is_due = !due.queue.is_empty() || self.lists.have_any();
        let enough = usize::from(due.queue.len() >= CROWD && !self.has_short.load(Ordering::Relaxed));
        let is_wanted = is_due && self.searching.load(Ordering::SeqCst) <= enough;
        let is_sent = is_wanted && self.send_for_worker(due);
        self.publish(due);
        // Late: idle workers that see it come for the lock.
        self.len.0.store(due.queue.len(), Ordering::SeqCst);
        if is_wanted && !is_sent {
            monitor::wake();
        }
    }

    /// Gives a free permit to a worker, which then searches for work; false if there is no permit or no worker.
    fn send_for_worker(&'static self, due: &mut Due) -> bool {
        if due.held >= self.limit() {
            return false;
        }
        if let Some(helper) = due.helpers.pop() {
            due.held += 1;
            helper.unpark();
            return true;
        }
        if due.parked > due.woken {
            due.woken += 1;
            due.held += 1;
            self.searching.fetch_add(1, Ordering::SeqCst);
            self.wake.notify_one();
            return true;
        }
        // All that is in the queue has been submitted to the program's executor.
        !self.executing.needs_workers() || self.start_worker(due)
    }

    /// Promises a place in the queue to a new task or completion; false where there is no memory for it.
    pub(crate) fn reserve(&self) -> bool {
        let mut due = self.due.lock();
        let more = (due.promised + 1).saturating_sub(due.queue.len());
        let reserved = due.queue.try_reserve(more).is_ok();
        due.promised += usize::from(reserved);
        reserved
    }

    /// Takes a promise back: a callback has run.
    pub(crate) fn unreserve(&self) {
        self.due.lock().promised -= 1;
    }

    /// Returns whether anything is due that nobody has begun, as far as the calling thread can see.
    pub(crate) fn has_others(&self) -> bool {
        self.len.0.load(Ordering::SeqCst) > 0 || self.lists.have_any() || with_mine(Mine::has_next)
    }

    /// Returns whether the calling worker may wait a little for more of what it does: nothing else is due, and whoever brings it can
    /// run at the same time.
    pub(crate) fn has_time(&self) -> bool {
        self.limit() > 1 && !self.has_others()
    }

    /// Returns how many things are due that nobody has begun.
    pub(crate) fn due(&self) -> usize {
        self.len.0.load(Ordering::SeqCst) + self.lists.len()
    }

    /// Returns whether there are as many workers as there can be.
    fn is_full(&self) -> bool {
        self.count.load(Ordering::SeqCst) >= self.limit() + MOST_ASLEEP
    }

    /// Adds a worker, with a permit; false where the system has no thread to give, or the pool is full.
    fn start_worker(&'static self, due: &mut Due) -> bool {
        if self.is_full() || !monitor::start() {
            return false;
        }
        self.count.fetch_add(1, Ordering::SeqCst);
        self.searching.fetch_add(1, Ordering::SeqCst);
        due.held += 1;
        if thread::start("gevt-host", move || self.work()) {
            return true;
        }
        due.held -= 1;
        self.searching.fetch_sub(1, Ordering::SeqCst);
        self.count.fetch_sub(1, Ordering::SeqCst);
        false
    }

    /// Returns whether there is a worker.
    #[inline]
    fn has_workers(&self) -> bool {
        self.count.load(Ordering::SeqCst) > 0
    }

    /// Returns whether there are workers, or can be.
    #[inline]
    pub(crate) fn is_staffed(&'static self) -> bool {
        self.has_workers() || self.start_first()
    }

    #[cold]
    fn start_first(&'static self) -> bool {
        let mut due = self.due.lock();
        self.has_workers() || self.start_worker(&mut due)
    }

    /// A worker's life. It begins as one that searches.
    fn work(&'static self) {
        let worker = Worker::enter();
        worker.set_permit(true);
        self.list(worker);
        with_mine(|mine| mine.open_list(self));
        let mut counted = true;
        while self.take_turn(worker, &mut counted) {}
        with_mine(|mine| mine.close_list(self));
        self.unlist(worker);
        worker.leave();
    }

    /// Finds something to do, and does it and what it makes runnable; false ends the worker. `counted`: it is counted as one that
    /// searches.
    fn take_turn(&'static self, worker: &'static Worker, counted: &mut bool) -> bool {
        let Some(first) = self.search(worker, *counted) else { return false };
        self.run_in_turn(worker, first);
        *counted = worker.has_permit();
        if *counted {
            self.searching.fetch_add(1, Ordering::SeqCst);
        }
        true
    }

    /// Does what was due, and what that makes runnable, or some of it.
    pub(super) fn run_in_turn(&'static self, worker: &'static Worker, first: Runnable) {
        let begun = clock::now();
        let mut next = Some(first);
        let mut left = OWN;
        while let Some(runnable) = next {
            worker.begin();
            self.run(runnable);
            left -= 1;
            let is_over = left == 0 || should_return();
            next = if is_over { None } else { with_mine(|mine| mine.take_next(self)) };
        }
        with_mine(|mine| mine.list_next(self));
        self.note_length(clock::now() - begun, OWN - left);
    }

    /// Notes how long so much of what was due has taken.
    fn note_length(&self, took: i64, count: u32) {
        let has_short = took < LONG * i64::from(count);
        // A model has no time.
        if !cfg!(loom) && self.has_short.load(Ordering::Relaxed) != has_short {
            self.has_short.store(has_short, Ordering::Relaxed);
        }
    }

    pub(super) fn run(&'static self, runnable: Runnable) {
        match runnable {
            Runnable::Task(task) => task.run(),
            Runnable::Shared(shared) => shared.take_part(),
            Runnable::Work(work, status) => {
                self.unreserve();
                let _has_run = self.in_call(|| work(status));
            }
        }
    }

    /// The calling thread is about to do what may take long: others are sent for what it was going to do next, if it is a worker.
    pub(crate) fn hand_over(&'static self) {
        if with_mine(|mine| mine.list_next(self)) {
            self.share();
        }
    }

    /// Runs a function of the caller's on a worker, or on a thread that waits for something and runs what is due meanwhile. Functions
    /// of the caller's do not start once its statics are being destroyed: a worker then stops here for good; false on another thread, which
    /// may be one that exit's caller waits for.
    #[must_use]
    pub(crate) fn in_call(&'static self, call: impl FnOnce()) -> bool {
        // It may take long.
        self.hand_over();
        if let Some(worker) = Worker::current() {
            worker.begin();
        }
        while process::is_over() {
            // A thread of the program's.
            if Worker::current().is_none_or(|worker| worker.depth() > 0) {
                // What it owns is the caller's, too.
                std::mem::forget(call);
                return false;
            }
            std::thread::park();
        }
        with_mine(|mine| {
            let outer = mine.replace_in_call(true);
            call();
            mine.replace_in_call(outer);
        });
        true
    }

    /// Sees to it that somebody takes what is in the calling worker's list, which holds something. Takes no lock where there is nobody.
    fn share(&'static self) {
        if self.free.load(Ordering::SeqCst) == 0 {
            monitor::wake();
        } else if self.searching.load(Ordering::SeqCst) == 0 {
            self.send_again();
        }
    }

    /// Lets the monitor see the worker, if there is memory for that.
    pub(super) fn list(&self, worker: &'static Worker) {
        let mut workers = self.workers.lock();
        if workers.try_reserve(1).is_ok() {
            workers.push(worker);
        }
    }

    /// Ends what [`WorkerPool::list`] began.
    pub(super) fn unlist(&self, worker: &'static Worker) {
        self.workers.lock().retain(|other| !std::ptr::eq(*other, worker));
    }

    /// Sees once more to it that a worker takes what is due.
    pub(super) fn send_again(&'static self) {
        self.call_for_help(&mut self.due.lock());
    }

    /// Lets those who are parked see whether they are too many.
    pub(super) fn wake_parked(&self) {
        self.wake.notify_all();
    }

    /// Takes what is due, for a worker that holds a permit or takes a free one.
    pub(super) fn take_due(&'static self, due: &mut Due, worker: &Worker) -> Option<Runnable> {
        if !self.may_run(due, worker) {
            return None;
        }
        let (own, between_calls) = with_mine(|mine| (mine.list(), mine.list_between_calls()));
        let runnable = due.queue.pop_front().or_else(|| self.lists.pop_any(own));
        if runnable.is_some() {
            // One that is inside a function is to come back soon.
            if let Some(own) = between_calls {
                let share = due.queue.len() / self.limit();
                self.lists.fill(own, &mut due.queue, share.min(BATCH));
            }
            self.call_for_help(due);
        }
        runnable
    }

    /// Searches for something to do, and parks until there is something; `None` if the worker is to end.
    fn search(&'static self, worker: &'static Worker, mut counted: bool) -> Option<Runnable> {
        loop {
            if counted {
                self.linger();
            }
            let mut due = self.due.lock();
            if counted {
                self.searching.fetch_sub(1, Ordering::SeqCst);
            }
            if let Some(runnable) = self.take_due(&mut due, worker) {
                return Some(runnable);
            }
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
            worker.set_permit(true);
            counted = true;
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::get;
    use crate::table::Event;

    #[test]
    fn a_callback_that_was_refused_keeps_no_place() {
        const CALLS: usize = 1000;
        let promised = || get().due.lock().promised;
        let before = promised();
        for _ in 0..CALLS {
            assert!(Event::NULL.on_complete(|_| {}).is_err());
        }
        // Other tests make a few streams meanwhile.
        assert!(promised() < before + CALLS / 2, "places are lost");
    }
}
