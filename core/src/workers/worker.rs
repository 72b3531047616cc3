//! What the pool knows of a thread that runs functions of the program's.

use super::parker::Parker;
use super::sample::Sample;
use crate::process;
use crate::sync::thread_local;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

/// A thread that runs functions of the program's. Used again for another thread when that one ends, and never freed.
#[derive(Default)]
pub(crate) struct Worker {
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

thread_local! {
    static CURRENT: Cell<Option<&'static Worker>> = const { Cell::new(None) };
}

/// Those of threads that have ended.
static SPARE: crate::lock::Mutex<Vec<&'static Worker>> = crate::lock::Mutex::new(Vec::new());

impl Worker {
    /// Makes the calling thread a worker without a permit, until [`Worker::leave`].
    pub(super) fn enter() -> &'static Worker {
        let spare = SPARE.lock().pop();
        let worker = spare.unwrap_or_else(|| Box::leak(Box::default()));
        worker.set_permit(false);
        *worker.sample.lock() = Some(Sample::of_this_thread());
        CURRENT.with(|current| current.set(Some(worker)));
        worker
    }

    /// Ends what [`Worker::enter`] began.
    pub(super) fn leave(&'static self) {
        CURRENT.with(|current| current.set(None));
        let mut spare = SPARE.lock();
        if spare.try_reserve(1).is_ok() {
            spare.push(self);
        }
    }

    /// The calling thread's, if it is a worker.
    pub(crate) fn current() -> Option<&'static Worker> {
        CURRENT.with(Cell::get)
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

    pub(super) fn set_withdrawn(&self) {
        self.is_withdrawn.store(true, Ordering::Relaxed);
    }
}
