//! What the pool knows of a thread that runs functions of the program's.

use super::parker::Parker;
use super::sample::Sample;
use super::task::Task;
use crate::process;
use crate::sync::thread_local;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

/// A thread that runs functions of the program's. Used again for another thread when that one ends, and never freed.
#[derive(Default)]
pub(crate) struct Worker {
    /// Changes under the lock of `ALL`.
    is_used: AtomicBool,
    /// Functions and turns begun. Only the thread itself counts them.
    begun: AtomicU64,
    /// It counts as one of those that run functions. Changes under the pool's lock.
    has_permit: AtomicBool,
    /// The monitor has taken its permit, and it has not ended what it had begun. Changes under the pool's lock.
    is_withdrawn: AtomicBool,
    pub(super) sample: crate::lock::Mutex<Option<Sample>>,
    /// How many waits that run what is due the thread is inside.
    depth: AtomicUsize,
    /// What the thread waits for, if it runs what is due meanwhile.
    pub(super) awaited: crate::lock::Mutex<Option<Awaited>>,
}

/// What a thread waits for that runs what is due meanwhile.
pub(super) struct Awaited {
    /// Woken when it may be done.
    pub(super) parker: Arc<Parker>,
    pub(super) deadline: Option<Instant>,
}

impl Awaited {
    /// Returns whether there may be nothing left to wait for.
    pub(super) fn may_be_over(&self) -> bool {
        let is_late = || self.deadline.is_some_and(|at| at <= Instant::now());
        self.parker.is_woken() || process::is_over() || is_late()
    }
}

/// What the pool knows of the calling thread.
pub(super) struct Current {
    worker: Cell<Option<&'static Worker>>,
    /// What the thread does before what is in the queue. Others do not see it.
    next: Cell<Option<&'static dyn Task>>,
    /// Set while the thread does what is due, and takes `next` after it.
    in_turn: Cell<bool>,
    /// Set while the thread is inside a function of the caller's.
    in_call: Cell<bool>,
    /// How long so much of what was due has taken, since that was noted last.
    length: Cell<(i64, u32)>,
}

thread_local! {
    static CURRENT: Current = const { Current { worker: Cell::new(None), next: Cell::new(None), in_turn: Cell::new(false), in_call: Cell::new(false), length: Cell::new((0, 0)) } };
}

/// Passes the calling thread's to `body`.
pub(super) fn with_current<R>(body: impl FnOnce(&Current) -> R) -> R {
    CURRENT.with(body)
}

impl Current {
    /// Keeps a task for the thread to do next; false if it does nothing that was due, is inside a function, or has kept one.
    pub(super) fn keep(&self, task: &'static dyn Task) -> bool {
        let is_free = self.in_turn.get() && !self.in_call.get() && self.next.get().is_none();
        if is_free {
            self.next.set(Some(task));
        }
        is_free
    }

    pub(super) fn has_next(&self) -> bool {
        self.next.get().is_some()
    }

    /// Takes what the worker does next.
    pub(super) fn take_next(&self) -> Option<&'static dyn Task> {
        self.next.take()
    }

    /// Adds how long so much of what was due has taken; returns the sums.
    pub(super) fn add_length(&self, took: i64, count: u32) -> (i64, u32) {
        let (before, count_before) = self.length.get();
        let sums = (before + took, count_before + count);
        self.length.set(sums);
        sums
    }

    pub(super) fn forget_length(&self) {
        self.length.take();
    }

    /// Says whether the thread does what is due; returns what it said before.
    pub(super) fn set_in_turn(&self, in_turn: bool) -> bool {
        self.in_turn.replace(in_turn)
    }

    /// Calls a function of the caller's.
    pub(super) fn in_call(&self, call: impl FnOnce()) {
        let outer = self.in_call.replace(true);
        call();
        self.in_call.set(outer);
    }
}

/// All that there ever were.
static ALL: crate::lock::Mutex<Vec<&'static Worker>> = crate::lock::Mutex::new(Vec::new());

impl Worker {
    /// Makes the calling thread a worker without a permit, until [`Worker::leave`].
    pub(super) fn enter() -> &'static Worker {
        let mut all = ALL.lock();
        let unused = all.iter().copied().find(|worker| !worker.is_used());
        let worker = unused.unwrap_or_else(|| {
            all.push(Box::leak(Box::default()));
            all[all.len() - 1]
        });
        worker.is_used.store(true, Ordering::Relaxed);
        worker.set_permit(false);
        *worker.sample.lock() = Some(Sample::of_this_thread());
        CURRENT.with(|current| current.worker.set(Some(worker)));
        worker
    }

    /// Ends what [`Worker::enter`] began.
    pub(super) fn leave(&'static self) {
        CURRENT.with(|current| current.worker.set(None));
        let _all = ALL.lock();
        self.is_used.store(false, Ordering::Relaxed);
    }

    /// Returns those of all threads.
    pub(super) fn all() -> Vec<&'static Worker> {
        ALL.lock().iter().copied().filter(|worker| worker.is_used()).collect()
    }

    fn is_used(&self) -> bool {
        self.is_used.load(Ordering::Relaxed)
    }

    /// The calling thread's, if it is a worker.
    pub(crate) fn current() -> Option<&'static Worker> {
        CURRENT.with(|current| current.worker.get())
    }

    /// Counts a function or a turn that the calling thread begins.
    pub(super) fn begin(&self) {
        self.begun.store(self.begun() + 1, Ordering::Relaxed);
    }

    pub(super) fn begun(&self) -> u64 {
        self.begun.load(Ordering::Relaxed)
    }

    /// Returns how many waits that run what is due the thread is inside.
    pub(super) fn depth(&self) -> usize {
        self.depth.load(Ordering::Relaxed)
    }

    pub(super) fn set_depth(&self, depth: usize) {
        self.depth.store(depth, Ordering::Relaxed);
    }

    pub(super) fn has_permit(&self) -> bool {
        self.has_permit.load(Ordering::Relaxed)
    }

    pub(super) fn set_permit(&self, has: bool) {
        self.has_permit.store(has, Ordering::Relaxed);
        self.is_withdrawn.store(false, Ordering::Relaxed);
    }

    pub(super) fn is_withdrawn(&self) -> bool {
        self.is_withdrawn.load(Ordering::Relaxed)
    }

    pub(super) fn set_withdrawn(&self, is_withdrawn: bool) {
        self.is_withdrawn.store(is_withdrawn, Ordering::Relaxed);
    }
}
