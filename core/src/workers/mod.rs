//! The threads of gevt's own: workers that run what backends have to do and the program's callbacks, and those that are woken
//! when it is done. Nothing here knows a backend.

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
pub(crate) use pool::{WorkerPool, asleep, can_help, get, set_threads, should_return};
pub(crate) use task::{Completion, Runnable, Shared, Task, Turn, Waiter};
pub use thread::start as start_thread;
pub(crate) use threads::check_setting;
pub(crate) use worker::Worker;

#[cfg(all(test, loom))]
pub(crate) use pool::{push_modelled, spawn_modelled};

use crate::error::{Error, Result};
use crate::status::Status;
use std::cell::Cell;

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

/// Wakes waiters, each with its status. After a success a stream continues on the calling thread, up to its next function: often it only
/// finishes a record that others wait for, and to wake a worker takes longer.
pub(crate) fn wake_here(waiters: impl IntoIterator<Item = (Waiter, Status)>) {
    /// How many streams may continue inside each other on a thread.
    const MOST: u32 = 8;
    crate::sync::thread_local! {
        static NESTED: Cell<u32> = const { Cell::new(0) };
    }
    for (waiter, status) in waiters {
        match waiter {
            Waiter::Task(task) if status == Status::SUCCESS && NESTED.with(Cell::get) < MOST => {
                NESTED.with(|nested| nested.set(nested.get() + 1));
                task.run(Turn::Brief);
                NESTED.with(|nested| nested.set(nested.get() - 1));
            }
            other => wake(other, status),
        }
    }
}
