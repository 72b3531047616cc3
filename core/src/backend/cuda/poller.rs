//! Wakes those who wait for a native event without blocking in the driver: one thread looks at all such events in turn.
//!
//! It looks every 40 microseconds at first, after ever longer pauses while nothing happens, up to 500 microseconds, and parks
//! when nobody waits. A query never blocks, so that it is made under the lock; and it ends no capture of another thread's.

use super::driver::RELAXED;
use super::{Cuda, SLEEP};
use crate::backend::{Backend, Mark};
use crate::error::{Error, Result};
use crate::status::Status;
use crate::workers::{self, Parker, Waiter};
use parking_lot::{Condvar, Mutex};

struct Entry {
    context: &'static Cuda,
    mark: Mark,
    waiter: Waiter,
}

#[derive(Default)]
struct Poller {
    started: bool,
    waiting: Vec<Entry>,
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
    poller.waiting.push(Entry { context, mark, waiter });
    CALL.notify_one();
    Ok(())
}

/// Takes a parked thread out; its event is not looked at any more once this returns.
pub(super) fn forget(mark: Mark, parker: &Parker) {
    if let Some(poller) = POLLER.lock().as_mut() {
        let is_it = |entry: &Entry| {
            entry.mark == mark && matches!(&entry.waiter, Waiter::Thread(thread) if std::ptr::eq(&**thread, parker))
        };
        poller.waiting.retain(|entry| !is_it(entry));
    }
}

fn poll() {
    if let Ok(driver) = super::driver::get() {
        driver.set_capture_mode(RELAXED);
    }
    let mut sleep = SLEEP.0;
    loop {
        let mut woken = Vec::new();
        let mut poller = POLLER.lock();
        let Some(state) = poller.as_mut() else { return };
        if state.waiting.is_empty() {
            CALL.wait(&mut poller);
            sleep = SLEEP.0;
            continue;
        }
        let mut at = 0;
        while at < state.waiting.len() && !crate::process::is_over() {
            let entry = &state.waiting[at];
            match entry.context.reached(entry.mark) {
                Ok(false) => at += 1,
                Ok(true) => woken.push((state.waiting.swap_remove(at).waiter, Status::SUCCESS)),
                Err(error) => woken.push((state.waiting.swap_remove(at).waiter, error.status())),
            }
        }
        drop(poller);
        sleep = if woken.is_empty() { (sleep * 2).min(SLEEP.1) } else { SLEEP.0 };
        for (waiter, status) in woken {
            workers::wake(waiter, status);
        }
        std::thread::sleep(sleep);
    }
}
