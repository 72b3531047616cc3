//! The program's executor. It calls back on its own threads for what is due, and gevt creates no workers.
//!
//! While the queue has entries, at least one submitted call has not begun yet, or polls. A call that begins submits the next one if there is
//! more, and runs what is due until the queue stays empty or the call has lasted long enough. With a call for each entry, the thread that brings
//! the work would wake a thread for each. If the executor refuses a call, gevt's own workers take part from then on.

use super::{CROWD, Due, WorkerPool};
use crate::clock;
use crate::error::{Error, Result};
use crate::probe::{self, Inside};
use crate::process::{self, Uncancelled};
use crate::sync::Ordering;
use crate::workers::threads;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;

/// The time, in nanoseconds, after which a call takes nothing more. The header names it, at gevt_host_set_executor.
const LONG_CALL: i64 = 200_000;

/// Arranges that `run(arg)` is called once, on any thread, not before this has returned. 0 if it will be.
pub type Submit = extern "C" fn(user: *mut c_void, run: Option<extern "C" fn(*mut c_void)>, arg: *mut c_void) -> c_int;

/// The program's job system.
pub struct Executor {
    submit: Submit,
    user: *mut c_void,
    threads: usize,
    has_refused: AtomicBool,
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
        Executor { submit, user, threads: threads as usize, has_refused: AtomicBool::new(false) }
    }

    /// Submits a call; false if it will not come.
    fn accepts(&self) -> bool {
        let outer = HAS_RUN.replace(Some(false));
        let answer = probe::outside(|| (self.submit)(self.user, Some(run), std::ptr::null_mut()));
        HAS_RUN.replace(outer) == Some(false) && answer == 0
    }

    /// Returns whether it has refused a call.
    pub(super) fn has_refused(&self) -> bool {
        self.has_refused.load(Ordering::SeqCst)
    }
}

/// Called by the executor. In `submit` the caller may be recording, and what it would run may wait for that.
extern "C" fn run(_: *mut c_void) {
    if HAS_RUN.get().is_some() {
        HAS_RUN.set(Some(true));
    } else if !process::is_over() {
        let (_inside, _uncancelled) = (Inside::enter(), Uncancelled::new());
        // The executor could not report the panic.
        let _ = catch_unwind(AssertUnwindSafe(|| super::get().run_due()));
    }
}

/// Has the executor run what is due from now on; refused once anything may be due.
pub(crate) fn set_executor(executor: Executor) -> Result<()> {
    let (pool, threads) = (super::get(), threads::checked(executor.threads, "executor->threads")?);
    let due = pool.due.0.lock();
    // Work that may become due is promised a place first.
    let is_used = due.promised > 0 || pool.count.load(Ordering::SeqCst) > 0;
    if is_used || pool.executor.set(executor).is_err() {
        return Err(Error::Executor("the executor was set twice, or after the first stream or callback"));
    }
    pool.limit.store(threads, Ordering::Relaxed);
    // It counts as a worker: submitted work then has a thread.
    pool.count.store(1, Ordering::SeqCst);
    Ok(())
}

impl WorkerPool {
    /// Counts the calls that are to be submitted, so that as many as wanted have not begun or poll, but at least one, and one more for each
    /// [`CROWD`] of things in the queue. The caller submits them once it holds no lock.
    pub(super) fn missing_calls(&self, due: &mut Due, wanted: usize) -> usize {
        if self.executor.get().is_none() {
            return 0;
        }
        let wanted = wanted.max(1 + due.queue.len() / CROWD).min(due.queue.len()).min(self.limit());
        let missing = wanted.saturating_sub(due.pending_calls + due.polling_calls);
        due.pending_calls += missing;
        missing
    }

    /// Submits so many calls. The calling thread holds no lock.
    pub(super) fn submit(&'static self, calls: usize) {
        let Some(executor) = self.executor.get() else { return };
        for _ in 0..calls {
            if !executor.accepts() {
                executor.has_refused.store(true, Ordering::SeqCst);
                let mut due = self.due.0.lock();
                due.pending_calls = due.pending_calls.saturating_sub(1);
                drop(due);
                self.send_again();
            }
        }
    }

    /// Runs what is due, from the front of the queue. While others run things, it polls for more: to wake a thread of the executor takes longer.
    fn run_due(&'static self) {
        let begun = clock::now();
        let is_over = || process::is_over() || clock::now() - begun >= LONG_CALL;
        let mut has_polled = false;
        let mut due = self.due.0.lock();
        due.pending_calls = due.pending_calls.saturating_sub(1);
        loop {
            if let Some(runnable) = due.queue.pop_front() {
                self.queued.0.taken.fetch_add(1, Ordering::Relaxed);
                self.queued.0.len.store(due.queue.len(), Ordering::SeqCst);
                let calls = self.missing_calls(&mut due, 1);
                drop(due);
                self.submit(calls);
                self.run_in_turn(runnable);
                if is_over() {
                    return;
                }
                has_polled = false;
                due = self.due.0.lock();
            } else if !has_polled && due.polling_calls < self.limit() / 2 {
                due.polling_calls += 1;
                drop(due);
                self.linger(is_over);
                due = self.due.0.lock();
                due.polling_calls -= 1;
                has_polled = true;
            } else {
                return;
            }
        }
    }
}
