//! The threads of gevt's own: workers that run what backends have to do and the program's callbacks, and those that are woken
//! when it is done. Nothing here knows a backend.

mod lists;
mod mine;
mod parker;
mod pool;
mod sample;
mod task;
mod thread;
mod threads;
mod worker;

/// How deep gevt_sync_helping runs functions inside each other on a thread.
pub(crate) const MOST_NESTED: usize = 4;

pub(crate) use parker::{Parker, wake_all};
#[cfg(not(loom))]
pub use pool::Executor;
#[cfg(not(loom))]
pub(crate) use pool::set_executor;
pub(crate) use pool::{WorkerPool, asleep, get, set_threads, should_return};
pub(crate) use task::{Completion, Runnable, Shared, Task, Waiter};
pub use thread::start as start_thread;
pub(crate) use threads::check_setting;
pub(crate) use worker::Worker;

#[cfg(all(test, loom))]
pub(crate) use pool::{push_modelled, spawn_modelled};

use crate::error::{Error, Result};
use crate::status::Status;

/// Returns how many threads run functions at once.
pub(crate) fn threads() -> usize {
    get().limit()
}

/// Promises that there will be a place and a thread for a completion.
pub(crate) fn promise_completion() -> Result<()> {
    let pool = get();
    if pool.is_staffed() && pool.reserve() { Ok(()) } else { Err(Error::OutOfMemory) }
}

/// Takes a promise back that is not needed.
pub(crate) fn withdraw_completion() {
    get().unreserve();
}

/// Wakes a waiter; a completion gets the status.
pub(crate) fn wake(waiter: Waiter, status: Status) {
    match waiter {
        Waiter::Thread(parker) => parker.unpark(),
        Waiter::Work(work) => get().schedule(Runnable::Work(work, status)),
        Waiter::Now(work) => work(status),
        Waiter::Task(task) => get().schedule(Runnable::Task(task)),
    }
}
