//! Wakes those who wait for a native event without blocking in the driver: one thread looks at all such events in turn.
//!
//! It pauses as the youngest of the waits asks for (`pauses.rs`), but most of the time in any case, and parks when nobody waits. A query
//! never blocks, so that it is made under the lock; and it ends no capture of another thread's.

use super::Cuda;
use super::driver::RELAXED;
use super::pauses::pause_after;
use crate::backend::{Backend, Mark};
use crate::error::{Error, Result};
use crate::os::FineTimer;
use crate::process;
use crate::status::Status;
use crate::workers::{self, Parker, Waiter, Waker};
use parking_lot::{Condvar, Mutex};
use std::time::Instant;

/// How many times as long as a round of looks the pause behind it is at least.
const IDLE: u32 = 8;

struct Entry {
    context: &'static Cuda,
    mark: Mark,
    waiter: Waiter,
}

#[derive(Default)]
struct Poller {
    started: bool,
    waiting: Vec<Entry>,
    /// When the last one came.
    youngest: Option<Instant>,
}

static POLLER: Mutex<Option<Poller>> = Mutex::new(None);
static CALL: Condvar = Condvar::new();

/// Adds a waiter; the caller keeps the event until the waiter is woken or forgotten.
pub(super) fn add(context: &'static Cuda, mark: Mark, waiter: Waiter) -> Result<()> {
    let mut poller = POLLER.lock();
    let poller = poller.get_or_insert_default();
    poller.waiting.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
    poller.started = poller.started || workers::start_thread("gevt-poll", poll);
    if !poller.started {
        return Err(Error::OutOfMemory);
    }
    if let Waiter::Thread(parker) = &waiter {
        parker.expect(Waker::Poller);
    }
    poller.waiting.push(Entry { context, mark, waiter });
    poller.youngest = Some(Instant::now());
    CALL.notify_one();
    Ok(())
}

/// Takes a parked thread out, from all of the events for which it waits; none of them is looked at for it once this returns.
pub(super) fn forget(parker: &Parker) {
    if !parker.expects(Waker::Poller) {
        return;
    }
    if let Some(poller) = POLLER.lock().as_mut() {
        let is_it = |entry: &Entry| matches!(&entry.waiter, Waiter::Thread(thread) if std::ptr::eq(&**thread, parker));
        poller.waiting.retain(|entry| !is_it(entry));
    }
    parker.set_forgotten(Waker::Poller);
}

impl Poller {
    /// Takes out those whose wait is over, with what came of it.
    fn take_done(&mut self) -> Vec<(Waiter, Status)> {
        let mut done = Vec::new();
        let mut at = 0;
        while at < self.waiting.len() && !process::is_over() {
            let entry = &self.waiting[at];
            let status = match entry.context.reached(entry.mark) {
                Ok(false) => {
                    at += 1;
                    continue;
                }
                Ok(true) => Status::SUCCESS,
                Err(error) => error.status(),
            };
            done.push((self.waiting.swap_remove(at).waiter, status));
        }
        done
    }
}

fn poll() {
    if let Ok(driver) = super::driver::get() {
        driver.set_capture_mode(RELAXED);
    }
    let _fine = FineTimer::new();
    loop {
        let mut poller = POLLER.lock();
        let Some(state) = poller.as_mut() else { return };
        if state.waiting.is_empty() {
            CALL.wait(&mut poller);
            continue;
        }
        let start = Instant::now();
        let done = state.take_done();
        let youngest = state.youngest.unwrap_or(start);
        drop(poller);
        for (waiter, status) in done {
            workers::wake(waiter, status);
        }
        let now = Instant::now();
        std::thread::sleep(pause_after(now - youngest).max((now - start) * IDLE));
    }
}
