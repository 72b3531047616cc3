//! The threads that do the work: as many as there are cores, and more only for those that block.

use super::{Completion, thread, watcher};
use crate::os::ThreadWatch;
use crate::process;
use crate::status::Status;
use crate::sync::{AtomicU64, AtomicUsize, Condvar, Lazy, Mutex, Ordering, looks, thread_local};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How often an idle worker looks for work before it parks: some microseconds.
const SPINS: u32 = 400;
/// How long a worker beyond the usual number stays parked before it ends.
const LINGER: Duration = Duration::from_secs(1);
/// How many things a worker keeps to go on with itself.
const FOLLOWERS: usize = 64;
/// The greatest number of workers: each function that blocks holds one.
pub(crate) const MAX_WORKERS: usize = 1024;

/// What a worker can do next.
pub(crate) enum Runnable {
    /// Go on with something of a backend's.
    Task(&'static dyn Task),
    /// A callback.
    Work(Completion, Status),
}

/// Something that goes on by turns on any thread, one at a time, such as a stream.
///
/// Whoever makes a task has promised it a place with [`WorkerPool::reserve`].
pub(crate) trait Task: Sync {
    /// Goes on until there is nothing to do, until it has to wait, or until others are due.
    fn run(&'static self);

    /// As [`Task::run`], on a thread that others wait for: only a little, and no function of the caller's. The rest is
    /// scheduled.
    fn run_briefly(&'static self);
}

/// What the watcher sees of a worker.
pub(crate) struct Worker {
    /// What its thread is doing.
    pub(crate) thread: ThreadWatch,
    /// Set while it has a piece of work. A worker without one may sleep and is free nevertheless.
    pub(super) is_working: AtomicBool,
    /// Pieces of work begun.
    pub(crate) begun: AtomicU64,
    pub(super) seen: parking_lot::Mutex<watcher::Sight>,
}

/// The threads and what is due.
pub(crate) struct WorkerPool {
    due: Mutex<Due>,
    /// The length of the queue of `due`.
    len: AtomicUsize,
    wake: Condvar,
    /// Workers that look for work and are not parked, or are about to.
    searching: AtomicUsize,
    pub(crate) workers: Mutex<Vec<Arc<Worker>>>,
    /// Workers that exist or are being started.
    pub(crate) count: AtomicUsize,
    pub(crate) cores: usize,
}

#[derive(Default)]
struct Due {
    queue: VecDeque<Runnable>,
    /// How long the queue can become: its memory is there before anything has to go into it.
    promised: usize,
    parked: usize,
    /// Parked workers that have been woken and not yet noticed.
    woken: usize,
}

/// The one pool.
pub(crate) fn get() -> &'static WorkerPool {
    static POOL: Lazy<WorkerPool> = Lazy::new(|| WorkerPool {
        due: Mutex::default(),
        len: AtomicUsize::new(0),
        wake: Condvar::new(),
        searching: AtomicUsize::new(0),
        workers: Mutex::default(),
        count: AtomicUsize::new(0),
        cores: std::thread::available_parallelism().map_or(1, |n| n.get()),
    });
    Lazy::force(&POOL)
}

thread_local! {
    /// On a worker: what its work made runnable, and what it may go on with itself.
    static FOLLOWING: RefCell<Option<VecDeque<Runnable>>> = const { RefCell::new(None) };
    /// Set on a worker. Other threads do not touch FOLLOWING: they may have no memory for a value with a destructor.
    static IS_WORKER: Cell<bool> = const { Cell::new(false) };
    /// Set while a worker is inside a function of the caller's.
    static IN_CALL: Cell<bool> = const { Cell::new(false) };
}

/// Lets the calling thread go on itself with what its work makes runnable.
fn follow() {
    IS_WORKER.with(|is_worker| is_worker.set(true));
    FOLLOWING.with(|following| *following.borrow_mut() = Some(VecDeque::with_capacity(FOLLOWERS)));
}

impl WorkerPool {
    /// Makes something runnable.
    ///
    /// What a worker makes runnable between functions waits until it is free or begins the next one, whichever comes
    /// first: what one stream hands to another usually goes on in the same thread.
    pub(crate) fn schedule(&'static self, runnable: Runnable) {
        if IN_CALL.with(Cell::get) || !IS_WORKER.with(Cell::get) {
            return self.push(std::iter::once(runnable));
        }
        let mut runnable = Some(runnable);
        // A thread whose locals are gone is no worker.
        let _ = FOLLOWING.try_with(|following| {
            if let Some(list) = following.borrow_mut().as_mut().filter(|list| list.len() < list.capacity()) {
                list.extend(runnable.take());
            }
        });
        if let Some(runnable) = runnable {
            self.push(std::iter::once(runnable));
        }
    }

    fn push(&'static self, runnables: impl Iterator<Item = Runnable>) {
        let mut due = self.due.lock();
        due.queue.extend(runnables);
        self.call_for_help(&mut due);
    }

    /// Publishes the length of the queue, and sees to it that somebody takes what is in it.
    fn call_for_help(&'static self, due: &mut Due) {
        self.len.store(due.queue.len(), Ordering::SeqCst);
        if self.searching.load(Ordering::SeqCst) >= due.queue.len() {
            return;
        }
        if due.parked > due.woken {
            due.woken += 1;
            self.searching.fetch_add(1, Ordering::SeqCst);
            self.wake.notify_one();
        } else if self.count.load(Ordering::SeqCst) >= self.cores || !self.start_worker() {
            watcher::wake();
        }
    }

    /// Promises a place in the queue to a new task or completion; false where there is no memory for it.
    pub(crate) fn reserve(&self) -> bool {
        let mut due = self.due.lock();
        let more = due.promised + 1 - due.queue.len();
        let reserved = due.queue.try_reserve(more).is_ok();
        due.promised += usize::from(reserved);
        reserved
    }

    /// Takes a promise back: a callback has run.
    pub(crate) fn unreserve(&self) {
        self.due.lock().promised -= 1;
    }

    /// Is anything due that no worker has taken?
    pub(crate) fn has_others(&self) -> bool {
        self.len.load(Ordering::SeqCst) > 0
    }

    /// Returns whether there are as many workers as there can be.
    pub(crate) fn is_full(&self) -> bool {
        self.count.load(Ordering::SeqCst) >= MAX_WORKERS
    }

    /// Returns how many things are due that no worker has taken.
    pub(super) fn due(&self) -> usize {
        self.len.load(Ordering::SeqCst)
    }

    /// Adds a worker; false where the system has no thread to give, or the pool is full.
    pub(crate) fn start_worker(&'static self) -> bool {
        if self.count.fetch_add(1, Ordering::SeqCst) < MAX_WORKERS {
            self.searching.fetch_add(1, Ordering::SeqCst);
            if thread::start("gevt-host", move || self.work()) {
                return true;
            }
            self.searching.fetch_sub(1, Ordering::SeqCst);
        }
        self.count.fetch_sub(1, Ordering::SeqCst);
        false
    }

    /// Are there workers, or can there be?
    pub(crate) fn is_staffed(&'static self) -> bool {
        self.count.load(Ordering::SeqCst) > 0 || self.start_worker()
    }

    /// A worker's life. It begins as one that searches.
    fn work(&'static self) {
        let worker = Arc::new(Worker {
            thread: ThreadWatch::of_this_thread(),
            is_working: AtomicBool::new(false),
            begun: AtomicU64::new(0),
            seen: Default::default(),
        });
        self.workers.lock().push(worker.clone());
        follow();
        while let Some(first) = self.search() {
            worker.is_working.store(true, Ordering::Relaxed);
            self.take_turn(first, &worker.begun);
            worker.is_working.store(false, Ordering::Relaxed);
        }
        self.workers.lock().retain(|other| !Arc::ptr_eq(other, &worker));
    }

    /// Does what was found and what that makes runnable; in the end the worker is one of those that search.
    fn take_turn(&'static self, first: Runnable, begun: &AtomicU64) {
        let mut next = Some(first);
        while let Some(runnable) = next {
            begun.fetch_add(1, Ordering::Relaxed);
            match runnable {
                Runnable::Task(task) => task.run(),
                Runnable::Work(work, status) => {
                    self.unreserve();
                    self.in_call(|| work(status));
                }
            }
            next = FOLLOWING.with(|following| following.borrow_mut().as_mut().and_then(VecDeque::pop_front));
        }
        self.searching.fetch_add(1, Ordering::SeqCst);
    }

    /// Runs a function of the caller's on a worker.
    pub(crate) fn in_call(&'static self, call: impl FnOnce()) {
        // It may take long: what this worker was going to do next goes to the others.
        FOLLOWING.with(|following| {
            if let Some(list) = following.borrow_mut().as_mut()
                && !list.is_empty()
            {
                self.push(list.drain(..));
            }
        });
        // Functions of the caller's do not start once its statics are being destroyed.
        while process::is_over() {
            std::thread::park();
        }
        IN_CALL.with(|inside| inside.set(true));
        call();
        IN_CALL.with(|inside| inside.set(false));
    }

    /// Waits for something to do, as one of those that search; `None` ends the worker.
    fn search(&'static self) -> Option<Runnable> {
        loop {
            for _ in 0..looks(SPINS) {
                if self.has_others() {
                    break;
                }
                std::hint::spin_loop();
            }
            let mut due = self.due.lock();
            self.searching.fetch_sub(1, Ordering::SeqCst);
            if let Some(runnable) = due.queue.pop_front() {
                self.call_for_help(&mut due);
                return Some(runnable);
            }
            due.parked += 1;
            while due.woken == 0 {
                let spare = self.count.load(Ordering::SeqCst) > self.cores;
                if !spare {
                    self.wake.wait(&mut due);
                } else if self.wake.wait_for(&mut due, LINGER).timed_out()
                    && due.woken == 0
                    && self.count.load(Ordering::SeqCst) > self.cores
                {
                    due.parked -= 1;
                    self.count.fetch_sub(1, Ordering::SeqCst);
                    return None;
                }
            }
            // Whoever woke this worker has counted it as searching.
            due.woken -= 1;
            due.parked -= 1;
        }
    }
}

/// Starts workers for a model, which begin as those that search, and take turns until `is_over`; then each wakes another by
/// `last`, which has nothing to do.
#[cfg(all(test, loom))]
pub(crate) fn spawn_modelled(
    count: usize,
    is_over: fn() -> bool,
    last: fn() -> Runnable,
) -> Vec<loom::thread::JoinHandle<()>> {
    get().searching.fetch_add(count, Ordering::SeqCst);
    let life = move || {
        follow();
        let begun = AtomicU64::new(0);
        while !is_over() {
            get().take_turn(get().search().expect("a worker that has work"), &begun);
        }
        get().searching.fetch_sub(1, Ordering::SeqCst);
        get().push(std::iter::once(last()));
    };
    (0..count).map(|_| loom::thread::spawn(life)).collect()
}

/// Makes something runnable for a worker of a model, from a thread that is none.
#[cfg(all(test, loom))]
pub(crate) fn push_modelled(runnable: Runnable) {
    get().push(std::iter::once(runnable));
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
