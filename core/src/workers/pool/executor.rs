//! The program's executor: it calls back on its own threads for what is due, so that gevt creates no workers.
//!
//! Each thing that goes into the queue is submitted once, and each call takes one out. A call that finds none has lost the race
//! against a thread inside gevt_sync_helping, which takes from the same queue. If the executor refuses a call, workers of gevt's take part
//! from then on: nothing is lost, and no function runs on a thread that does not expect it.

use super::WorkerPool;
use crate::error::{Error, Result};
use crate::probe::{self, Inside};
use crate::process::{self, Uncancelled};
use crate::sync::Ordering;
use crate::workers::threads;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

/// Arranges that `run(arg)` is called once, on any thread, not before this has returned. 0 if it will be.
pub type Submit = extern "C" fn(user: *mut c_void, run: Option<extern "C" fn(*mut c_void)>, arg: *mut c_void) -> c_int;

/// The program's job system.
pub struct Executor {
    submit: Submit,
    user: *mut c_void,
    threads: usize,
}

// SAFETY: the constructor's caller promised that `submit(user, …)` may be called on any thread.
unsafe impl Send for Executor {}
// SAFETY: as above, several at once.
unsafe impl Sync for Executor {}

thread_local! {
    /// Set while the thread is inside `submit`: whether that has called `run` itself.
    static HAS_RUN: Cell<Option<bool>> = const { Cell::new(None) };
}

impl Executor {
    /// Returns an executor of so many threads, 0 for the default number.
    ///
    /// # Safety
    /// `submit(user, …)` may be called until the process ends, on any thread and on several at once. It must return.
    pub unsafe fn new(submit: Submit, user: *mut c_void, threads: u32) -> Executor {
        Executor { submit, user, threads: threads as usize }
    }

    /// Submits a call; false if it will not come.
    fn accepts(&self) -> bool {
        let outer = HAS_RUN.replace(Some(false));
        let answer = probe::outside(|| (self.submit)(self.user, Some(run), std::ptr::null_mut()));
        HAS_RUN.replace(outer) == Some(false) && answer == 0
    }
}

/// Has the executor run what is due from now on; refused once anything may be due.
pub(crate) fn set_executor(executor: Executor) -> Result<()> {
    let threads = threads::checked(executor.threads, "executor->threads")?;
    super::get().set_executor(executor, threads)
}

/// Called by the executor. In `submit` the caller may be recording, and what it would run may wait for that.
extern "C" fn run(_: *mut c_void) {
    if HAS_RUN.get().is_some() {
        HAS_RUN.set(Some(true));
    } else if !process::is_over() {
        let (_inside, _uncancelled) = (Inside::enter(), Uncancelled::new());
        // No caller could report the panic.
        let _ = catch_unwind(AssertUnwindSafe(|| super::get().run_one()));
    }
}

/// The executor, and whether it has refused a call.
#[derive(Default)]
pub(super) struct Executing {
    executor: OnceLock<Executor>,
    has_refused: std::sync::atomic::AtomicBool,
}

impl Executing {
    pub(super) fn is_set(&self) -> bool {
        self.executor.get().is_some()
    }

    /// Returns whether gevt's own workers run what is due.
    pub(super) fn needs_workers(&self) -> bool {
        !self.is_set() || self.has_refused.load(Ordering::SeqCst)
    }
}

impl WorkerPool {
    fn set_executor(&self, executor: Executor, threads: usize) -> Result<()> {
        let due = self.due.0.lock();
        // Who has something to run has promised it a place before.
        if due.promised > 0 || self.count.load(Ordering::SeqCst) > 0 || self.executing.is_set() {
            return Err(Error::Executor("the executor was set twice, or after the first stream or callback"));
        }
        self.limit.store(threads, Ordering::Relaxed);
        let _ = self.executing.executor.set(executor);
        // It counts as a worker: there is somebody to run what is given.
        self.count.store(1, Ordering::SeqCst);
        Ok(())
    }

    /// Submits as many calls as things were put into the queue. The calling thread holds no lock.
    pub(super) fn submit(&'static self, count: usize) {
        let Some(executor) = self.executing.executor.get() else { return };
        for _ in 0..count {
            if !executor.accepts() {
                self.executing.has_refused.store(true, Ordering::SeqCst);
                self.send_again();
            }
        }
    }

    /// Runs the first thing in the queue.
    fn run_one(&'static self) {
        let mut due = self.due.0.lock();
        let first = due.queue.pop_front();
        self.queued.0.len.store(due.queue.len(), Ordering::SeqCst);
        drop(due);
        if let Some(runnable) = first {
            self.run(runnable);
        }
    }
}
