//! The threads that do the work. Those that run a function, or search for work, hold a permit; there are so many permits as
//! functions may run at once (`permit.rs`), and more threads only for functions that sleep.

mod executor;
mod helper;
mod monitor;
mod permit;
mod search;

#[cfg(not(loom))]
pub use executor::Executor;
#[cfg(not(loom))]
pub(crate) use executor::set_executor;
pub(crate) use helper::should_return;
pub(crate) use permit::{asleep, set_threads};

use super::lists::Lists;
use super::mine::{Mine, with_mine};
use super::parker::Parker;
use super::task::Runnable;
use super::worker::Worker;
use super::{thread, threads};
use crate::clock;
use crate::process;
use crate::sync::{AtomicUsize, Condvar, Lazy, Mutex, MutexGuard, Ordering};
use executor::Executing;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize as Number};

/// How much of its own list a worker does before it checks what else is due.
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
struct Apart<T>(pub(super) T);

/// The queue of `due`, for threads that have no lock.
#[derive(Default)]
struct Queued {
    len: AtomicUsize,
    /// How many things were ever taken.
    taken: Number,
}

/// The threads and what is due. What every launch reads stands on cache lines of its own, apart from what changes with each hand-over.
#[repr(C, align(128))]
pub(crate) struct WorkerPool {
    /// Workers that exist or are being started. The program's executor counts as one.
    count: AtomicUsize,
    /// How many permits there are.
    limit: Number,
    /// What was due lately was short: one worker does it at less cost than several, which share cache lines.
    is_short: AtomicBool,
    workers: Mutex<Vec<&'static Worker>>,
    /// What workers have taken from `due`, or made runnable themselves, and not begun.
    lists: Lists,
    due: Apart<Mutex<Due>>,
    /// A worker that lingers reads it all the time.
    queued: Apart<Queued>,
    /// Permits that are held, or given to a worker that has not noticed yet. Written under the lock of `due`.
    held: AtomicUsize,
    wake: Condvar,
    executing: Executing,
    /// Workers that linger, or were woken and have not come. Written under the lock of `due`.
    searching: AtomicUsize,
}

#[derive(Default)]
struct Due {
    queue: VecDeque<Runnable>,
    /// How long the queue can become: its memory is there before anything has to go into it.
    promised: usize,
    parked: usize,
    /// Parked workers that have been woken and not yet noticed.
    woken: usize,
    /// Threads without a permit that sleep and would run what is due.
    helpers: Vec<Arc<Parker>>,
}

/// The one pool.
pub(crate) fn get() -> &'static WorkerPool {
    static POOL: Lazy<WorkerPool> = Lazy::new(|| WorkerPool {
        due: Apart::default(),
        queued: Apart::default(),
        lists: Lists::default(),
        held: AtomicUsize::new(0),
        wake: Condvar::new(),
        executing: Executing::default(),
        searching: AtomicUsize::new(0),
        workers: Mutex::default(),
        count: AtomicUsize::new(0),
        limit: Number::new(threads::default()),
        is_short: AtomicBool::new(false),
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
        if let Some(runnable) = with_mine(|mine| mine.keep(&self.lists, runnable)) {
            self.push(std::iter::once(runnable));
        }
    }

    /// Makes something runnable that has had its turn: what is due already comes before it.
    pub(crate) fn give_way(&'static self, runnable: Runnable) {
        self.push(std::iter::once(runnable));
    }

    fn push(&'static self, runnables: impl ExactSizeIterator<Item = Runnable>) {
        let (mut due, count) = (self.due.0.lock(), runnables.len());
        due.queue.extend(runnables);
        self.call_for_help(due);
        self.submit(count);
    }

    /// Makes something runnable that is for as many workers, and takes long: there is a worker for each thing in the queue.
    pub(crate) fn push_shared(&'static self, copies: impl ExactSizeIterator<Item = Runnable>) {
        let (mut due, count) = (self.due.0.lock(), copies.len());
        let searching = self.searching.load(Ordering::SeqCst);
        due.queue.extend(copies);
        let mut woken = 0;
        for _ in searching..due.queue.len() {
            self.send_for_worker(&mut due, &mut woken);
        }
        self.send(due, woken);
        self.submit(count);
    }

    /// Publishes the state of the queue, and sees to it that a worker takes what is due.
    fn call_for_help(&'static self, due: MutexGuard<'_, Due>) {
        self.send(due, 0);
    }

    fn send(&'static self, mut due: MutexGuard<'_, Due>, mut woken: usize) {
        self.call_locked(&mut due, &mut woken);
        drop(due);
        // Without the lock: the system call takes some microseconds.
        (0..woken).for_each(|_| self.wake.notify_one());
    }

    /// Afterwards nothing is due, or a worker searches or was sent for, or the monitor is awake. A worker that has searched calls this again
    /// before it runs something or parks, under the lock under which it is no longer counted. One that starts to run a function
    /// with more in its own list calls [`WorkerPool::share`].
    fn call_locked(&'static self, due: &mut Due, woken: &mut usize) {
        // One that searches sends for the next one when it finds something and there is more.
        let enough = usize::from(due.queue.len() >= CROWD && !self.is_short());
        let is_wanted =
            self.searching.load(Ordering::SeqCst) <= enough && (!due.queue.is_empty() || self.lists.have_any());
        let is_sent = is_wanted && self.send_for_worker(due, woken);
        // Late: idle workers that see it come for the lock.
        self.queued.0.len.store(due.queue.len(), Ordering::SeqCst);
        if is_wanted && !is_sent {
            monitor::wake();
        }
    }

    /// Gives a free permit to a worker, which then searches for work; false if there is no permit or no worker. The caller
    /// wakes as many parked workers as `woken` counts.
    fn send_for_worker(&'static self, due: &mut Due, woken: &mut usize) -> bool {
        if !self.has_free() {
            return false;
        }
        if let Some(helper) = due.helpers.pop() {
            self.hold();
            helper.unpark();
            return true;
        }
        if due.parked > due.woken {
            due.woken += 1;
            self.hold();
            self.searching.fetch_add(1, Ordering::SeqCst);
            *woken += 1;
            return true;
        }
        // All that is in the queue has been submitted to the program's executor.
        !self.executing.needs_workers() || self.start_worker()
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

    /// Returns whether anything is due that nobody has begun, as far as the calling thread can see.
    pub(crate) fn has_others(&self) -> bool {
        self.queued.0.len.load(Ordering::SeqCst) > 0 || self.lists.have_any() || with_mine(Mine::has_next)
    }

    /// Returns whether the calling worker may wait a little for more of what it does: nothing else is due, and whoever brings it can
    /// run at the same time.
    pub(crate) fn has_time(&self) -> bool {
        self.limit() > 1 && !self.has_others()
    }

    /// Returns how many things are due that nobody has begun.
    pub(crate) fn due(&self) -> usize {
        self.queued.0.len.load(Ordering::SeqCst) + self.lists.len()
    }

    /// Returns whether there are as many workers as there can be.
    fn is_full(&self) -> bool {
        self.count.load(Ordering::SeqCst) >= self.limit() + MOST_ASLEEP
    }

    /// Adds a worker, with a permit, under the lock of `due`; false where the system has no thread to give, or the pool is full.
    fn start_worker(&'static self) -> bool {
        if self.is_full() || !monitor::start() {
            return false;
        }
        self.count.fetch_add(1, Ordering::SeqCst);
        self.searching.fetch_add(1, Ordering::SeqCst);
        self.hold();
        if thread::start("gevt-host", move || self.work()) {
            return true;
        }
        self.held.fetch_sub(1, Ordering::SeqCst);
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
        let _due = self.due.0.lock();
        self.has_workers() || self.start_worker()
    }

    /// A worker's life. It begins as one that searches.
    fn work(&'static self) {
        let worker = Worker::enter();
        worker.set_permit(true);
        self.list(worker);
        self.open_list();
        {
            let _due = self.due.0.lock();
            self.searching.fetch_sub(1, Ordering::SeqCst);
        }
        let mut is_active = false;
        while let Some(first) = self.search(worker, is_active) {
            self.run_in_turn(worker, first);
            is_active = true;
        }
        self.close_list();
        self.unlist(worker);
        worker.leave();
    }

    /// Does what was due, and what that makes runnable, or some of it.
    fn run_in_turn(&'static self, worker: &'static Worker, first: Runnable) {
        let begun = clock::now();
        let mut next = Some(first);
        let mut left = OWN;
        while let Some(runnable) = next {
            worker.begin();
            self.run(runnable);
            left -= 1;
            let is_over = left == 0 || should_return();
            next = if is_over { None } else { with_mine(|mine| mine.take_next(&self.lists)) };
        }
        self.list_next();
        self.note_length(clock::now() - begun, OWN - left);
    }

    /// Notes how long so much of what was due has taken.
    fn note_length(&self, took: i64, count: u32) {
        let is_short = took < LONG * i64::from(count);
        // A model has no time.
        if !cfg!(loom) && self.is_short() != is_short {
            self.is_short.store(is_short, Ordering::Relaxed);
        }
    }

    fn is_short(&self) -> bool {
        self.is_short.load(Ordering::Relaxed)
    }

    fn run(&'static self, runnable: Runnable) {
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
        if self.list_next() {
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

    /// Lets the calling thread have a list. The program's executor sees only what is in the queue.
    fn open_list(&self) {
        if !self.executing.is_set() {
            with_mine(|mine| mine.open_list(&self.lists));
        }
    }

    /// Ends what [`WorkerPool::open_list`] began. Others see what the list holds.
    fn close_list(&'static self) {
        self.list_next();
        with_mine(|mine| mine.close_list(&self.lists));
    }

    /// Lets others see what the calling worker was going to do next; returns whether its list holds something.
    fn list_next(&'static self) -> bool {
        let (left, has_listed) = with_mine(|mine| (mine.list_next(&self.lists), mine.has_listed(&self.lists)));
        if let Some(left) = left {
            self.push(std::iter::once(left));
        }
        has_listed
    }

    /// Sees to it that somebody takes what is in the calling worker's list, which holds something. Takes no lock where there is nobody.
    fn share(&'static self) {
        if !self.has_free() {
            monitor::wake();
        } else if self.searching.load(Ordering::SeqCst) == 0 {
            self.send_again();
        }
    }

    /// Lets the monitor see the worker, if there is memory for that.
    fn list(&self, worker: &'static Worker) {
        let mut workers = self.workers.lock();
        if workers.try_reserve(1).is_ok() {
            workers.push(worker);
        }
    }

    /// Ends what [`WorkerPool::list`] began.
    fn unlist(&self, worker: &'static Worker) {
        self.workers.lock().retain(|other| !std::ptr::eq(*other, worker));
    }

    /// Sees once more to it that a worker takes what is due.
    fn send_again(&'static self) {
        self.call_for_help(self.due.0.lock());
    }

    /// Lets those who are parked see whether they are too many.
    fn wake_parked(&self) {
        self.wake.notify_all();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::get;
    use crate::table::Event;

    #[test]
    fn a_callback_that_was_refused_keeps_no_place() {
        const CALLS: usize = 1000;
        let promised = || get().due.0.lock().promised;
        let before = promised();
        for _ in 0..CALLS {
            assert!(Event::NULL.on_complete(|_| {}).is_err());
        }
        // Other tests make a few streams meanwhile.
        assert!(promised() < before + CALLS / 2, "places are lost");
    }
}
