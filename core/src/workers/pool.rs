//! The threads that do the work. Those that run a function, or search for work, hold a permit; there are so many permits as
//! functions may run at once (`permit.rs`), and more threads only for functions that sleep.

mod executor;
mod helper;
mod monitor;
mod permit;
mod search;

pub use executor::Executor;
#[cfg(not(loom))]
pub(crate) use executor::set_executor;
pub(crate) use helper::{can_help, should_return};
pub(crate) use permit::{asleep, set_threads};

use super::parker::Parker;
use super::task::{Runnable, Turn};
use super::worker::{Current, Worker, with_current};
use super::{thread, threads};
use crate::clock;
use crate::process;
use crate::sync::{AtomicUsize, Lazy, Mutex, MutexGuard, Ordering};
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize as Number};
use std::sync::{Arc, OnceLock};

/// How much a worker does of what it makes runnable itself before it checks what else is due.
const OWN: u32 = if cfg!(loom) { 2 } else { 32 };
/// How much is in the queue when a second worker that searches is sent for: the first one may have no core, as the thread that brings the
/// work has it.
const CROWD: usize = if cfg!(loom) { 2 } else { 16 };
/// The average time, in nanoseconds, from which work is not short.
const LONG: i64 = 2_000;
/// How many workers there may be beyond the number of permits: each function that sleeps holds one.
const MOST_ASLEEP: usize = 1000;

/// On cache lines of its own.
#[derive(Default)]
#[repr(align(128))]
struct Apart<T>(T);

/// The queue of `due`, for threads that have no lock.
#[derive(Default)]
struct Queued {
    len: AtomicUsize,
    /// How many things were ever taken.
    taken: Number,
}

/// Threads to wake without the lock: the system call takes some microseconds.
type Sent = SmallVec<[Arc<Parker>; 2]>;

/// The threads and what is due. What every launch reads stands on cache lines of its own, apart from what changes with each hand-over.
#[repr(C, align(128))]
pub(crate) struct WorkerPool {
    /// Workers that exist or are being started. The program's executor counts as one.
    count: AtomicUsize,
    /// How many permits there are.
    limit: Number,
    /// What was due lately was short: one worker does it at less cost than several, which share cache lines.
    is_short: AtomicBool,
    executor: OnceLock<Executor>,
    due: Apart<Mutex<Due>>,
    /// A worker that lingers reads it all the time.
    queued: Apart<Queued>,
    /// Permits that are held, or given to a worker that has not noticed yet. Written under the lock of `due`.
    held: AtomicUsize,
    /// Workers that linger, or were woken and have not come. Written under the lock of `due`.
    searching: AtomicUsize,
}

#[derive(Default)]
struct Due {
    queue: VecDeque<Runnable>,
    /// How long the queue can become: its memory is there before anything has to go into it.
    promised: usize,
    /// Calls that were submitted to the program's executor and have not begun.
    pending_calls: usize,
    /// Calls of the executor's that found nothing and look again.
    polling_calls: usize,
    /// Parked workers without a permit, and threads inside gevt_sync_helping. They run what is due when they are sent for: first the
    /// program's threads, which wait anyway, and of each list the one that parked last.
    idle: [Vec<Arc<Parker>>; 2],
    has_monitor: bool,
}

/// The one pool.
pub(crate) fn get() -> &'static WorkerPool {
    static POOL: Lazy<WorkerPool> = Lazy::new(|| WorkerPool {
        count: AtomicUsize::new(0),
        limit: Number::new(threads::default()),
        is_short: AtomicBool::new(false),
        executor: OnceLock::new(),
        due: Apart::default(),
        queued: Apart::default(),
        held: AtomicUsize::new(0),
        searching: AtomicUsize::new(0),
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
    /// The first task that a thread makes runnable between functions, while it does what is due, is what it does next: what one stream hands
    /// to another usually runs on the same thread. It goes to the queue before anything that may take long.
    pub(crate) fn schedule(&'static self, runnable: Runnable) {
        let kept = matches!(runnable, Runnable::Task(task) if with_current(|current| current.keep(task)));
        if !kept {
            self.give_way(runnable);
        }
    }

    /// Makes something runnable that has had its turn: what is due already comes before it.
    pub(crate) fn give_way(&'static self, runnable: Runnable) {
        self.push(std::iter::once(runnable), 1);
    }

    /// Makes something runnable that is for as many workers, and takes long: there is a worker for each thing in the queue.
    pub(crate) fn push_shared(&'static self, copies: impl Iterator<Item = Runnable>) {
        self.push(copies, usize::MAX);
    }

    fn push(&'static self, runnables: impl Iterator<Item = Runnable>, wanted: usize) {
        let mut due = self.due.0.lock();
        due.queue.extend(runnables);
        let calls = self.missing_calls(&mut due, wanted);
        self.call_for_help(due, wanted);
        self.submit(calls);
    }

    /// Publishes the state of the queue, and sees to it that so many workers search for what is due.
    fn call_for_help(&'static self, mut due: MutexGuard<'_, Due>, wanted: usize) {
        let sent = self.call_locked(&mut due, wanted);
        drop(due);
        sent.iter().for_each(|parker| parker.unpark());
    }

    /// Afterwards nothing is due, or a worker searches or was sent for, or the monitor is awake. A worker that has searched calls this again
    /// before it runs something or parks, under the lock under which it is no longer counted. The caller wakes those that are returned.
    fn call_locked(&'static self, due: &mut Due, wanted: usize) -> Sent {
        let mut sent = Sent::new();
        // One that searches sends for the next one when it finds something and there is more.
        let crowd = usize::from(due.queue.len() >= CROWD && !self.is_short());
        let wanted = wanted.max(1 + crowd).min(due.queue.len());
        let mut has_sent = true;
        while has_sent && self.searching.load(Ordering::SeqCst) < wanted {
            has_sent = self.send_for_worker(due, &mut sent);
        }
        // Late: idle workers that see it come for the lock.
        self.queued.0.len.store(due.queue.len(), Ordering::SeqCst);
        if !has_sent {
            monitor::wake();
        }
        sent
    }

    /// Gives a free permit to a thread, which then searches for work; false if there is no permit or no thread.
    fn send_for_worker(&'static self, due: &mut Due, sent: &mut Sent) -> bool {
        if !self.has_free() {
            return false;
        }
        let [workers, helpers] = &mut due.idle;
        if let Some(parker) = helpers.pop().or_else(|| workers.pop()) {
            self.held.fetch_add(1, Ordering::SeqCst);
            self.searching.fetch_add(1, Ordering::SeqCst);
            sent.push(parker);
            return true;
        }
        // The program's executor runs what is in the queue, and has no monitor.
        self.executor.get().is_none_or(Executor::has_refused) && self.start_worker(due)
    }

    /// Promises a place in the queue to a new task or completion; false where there is no memory for it.
    pub(crate) fn reserve(&self) -> bool {
        let mut due = self.due.0.lock();
        let more = (due.promised + 1).saturating_sub(due.queue.len());
        let reserved = due.queue.try_reserve(more).is_ok();
        due.promised += usize::from(reserved);
        reserved
    }

    /// Takes a promise back: a callback has run.
    pub(crate) fn unreserve(&self) {
        self.due.0.lock().promised -= 1;
    }

    /// Returns how many things are due that nobody has begun.
    pub(crate) fn due(&self) -> usize {
        self.queued.0.len.load(Ordering::SeqCst)
    }

    /// Returns whether anything is due that nobody has begun, as far as the calling thread can see.
    pub(crate) fn has_others(&self) -> bool {
        self.due() > 0 || with_current(|current| current.has_next())
    }

    /// Returns whether the calling worker may wait a little for more of what it does: nothing else is due, and whoever brings it can
    /// run at the same time.
    pub(crate) fn has_time(&self) -> bool {
        self.limit() > 1 && !self.has_others()
    }

    /// Adds a worker, with a permit; false where the system has no thread to give, or the pool is full.
    fn start_worker(&'static self, due: &mut Due) -> bool {
        let count = self.count.load(Ordering::SeqCst);
        if count >= self.limit() + MOST_ASLEEP || due.idle[0].try_reserve(count + 1).is_err() {
            return false;
        }
        // It retries when no further worker can be started.
        due.has_monitor = due.has_monitor || monitor::start();
        let has_started = due.has_monitor && thread::start("gevt-host", move || self.work());
        if has_started {
            // It needs the lock before it counts.
            self.count.fetch_add(1, Ordering::SeqCst);
            self.searching.fetch_add(1, Ordering::SeqCst);
            self.held.fetch_add(1, Ordering::SeqCst);
        }
        has_started
    }

    /// Returns whether there are workers, or can be.
    #[inline]
    pub(crate) fn is_staffed(&'static self) -> bool {
        self.count.load(Ordering::SeqCst) > 0 || self.start_first()
    }

    #[cold]
    fn start_first(&'static self) -> bool {
        let mut due = self.due.0.lock();
        self.count.load(Ordering::SeqCst) > 0 || self.start_worker(&mut due)
    }

    /// A worker's life. It begins as one that searches.
    fn work(&'static self) {
        let worker = Worker::enter();
        let parker = Parker::new();
        self.come(&self.due.0.lock(), worker);
        let mut is_active = false;
        while let Some(first) = self.search(worker, &parker, is_active) {
            self.run_in_turn(first);
            is_active = true;
        }
        worker.leave();
    }

    /// Does what was due, and what that makes runnable, or some of it.
    fn run_in_turn(&'static self, first: Runnable) {
        let begun = clock::now();
        let outer = with_current(|current| current.set_in_turn(true));
        let mut next = Some(first);
        let mut left = OWN;
        while let Some(runnable) = next {
            Worker::current().inspect(|worker| worker.begin());
            self.run(runnable);
            left -= 1;
            let is_over = left == 0 || should_return();
            next = if is_over { None } else { with_current(|current| current.take_next()).map(Runnable::Task) };
        }
        self.hand_over();
        with_current(|current| current.set_in_turn(outer));
        self.note_length(clock::now() - begun, OWN - left);
    }

    /// Notes how long so much of what was due has taken. Several turns count together: one in which a stream only comes to a wait is short.
    fn note_length(&self, took: i64, count: u32) {
        let (took, count) = with_current(|current| current.add_length(took, count));
        // A model has no time.
        if cfg!(loom) || (count < OWN && took < LONG * i64::from(OWN)) {
            return;
        }
        with_current(Current::forget_length);
        let is_short = took < LONG * i64::from(count);
        if self.is_short() != is_short {
            self.is_short.store(is_short, Ordering::Relaxed);
        }
    }

    fn is_short(&self) -> bool {
        self.is_short.load(Ordering::Relaxed)
    }

    fn run(&'static self, runnable: Runnable) {
        match runnable {
            Runnable::Task(task) => task.run(Turn::Whole),
            Runnable::Shared(shared) => shared.take_part(),
            Runnable::Work(work, status) => {
                self.unreserve();
                let _has_run = self.in_call(|| work(status));
            }
        }
    }

    /// The calling thread is about to do what may take long: others may do what it was going to do next.
    pub(crate) fn hand_over(&'static self) {
        if let Some(next) = with_current(|current| current.take_next()) {
            self.give_way(Runnable::Task(next));
        }
    }

    /// Runs a function of the caller's on a worker, or on a thread that waits for something and runs what is due meanwhile. Functions
    /// of the caller's do not start once its statics are being destroyed: a worker then stops here for good; false on another thread, which
    /// may be one that exit's caller waits for.
    #[must_use]
    pub(crate) fn in_call(&'static self, call: impl FnOnce()) -> bool {
        self.hand_over();
        if let Some(worker) = Worker::current() {
            worker.begin();
        }
        if process::is_over() {
            // A thread of the program's.
            if Worker::current().is_none_or(|worker| worker.depth() > 0) {
                // What it owns is the caller's, too.
                std::mem::forget(call);
                return false;
            }
            stop_for_good();
        }
        with_current(|current| current.in_call(call));
        true
    }

    /// Sees once more to it that a worker takes what is due.
    fn send_again(&'static self) {
        self.call_for_help(self.due.0.lock(), 1);
    }
}

/// The process exits: a worker begins nothing any more.
fn stop_for_good() -> ! {
    loop {
        std::thread::park();
    }
}

#[cfg(all(test, not(loom)))]
#[path = "pool_tests.rs"]
mod tests;
