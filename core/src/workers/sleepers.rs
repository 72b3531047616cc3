//! All who sleep until something is done: exit wakes them, as it may never be done then.

use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Something that a thread sleeps on.
pub(crate) trait Sleeper: Send + Sync {
    /// Wakes the threads that sleep on it, which then find that the process exits.
    fn rouse(&self);
}

/// Lists, so that threads which go to sleep at the same time rarely meet at one lock.
const LISTS: usize = 16;

static SLEEPERS: [Mutex<Vec<Arc<dyn Sleeper>>>; LISTS] = [const { Mutex::new(Vec::new()) }; LISTS];

/// A thread is about to sleep, or sleeps, until this is dropped.
pub(crate) struct Asleep {
    list: usize,
    sleeper: *const (),
}

impl Asleep {
    /// Lists a sleeper, before the process is seen not to exit; `None` where there is no memory for it.
    pub(crate) fn on(sleeper: Arc<dyn Sleeper>) -> Option<Asleep> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let list = NEXT.fetch_add(1, Ordering::Relaxed) % LISTS;
        let mut sleepers = SLEEPERS[list].lock();
        sleepers.try_reserve(1).ok()?;
        let asleep = Asleep { list, sleeper: Arc::as_ptr(&sleeper).cast() };
        sleepers.push(sleeper);
        Some(asleep)
    }
}

impl Drop for Asleep {
    fn drop(&mut self) {
        let mut sleepers = SLEEPERS[self.list].lock();
        let at = sleepers.iter().rposition(|sleeper| Arc::as_ptr(sleeper).cast() == self.sleeper);
        let woken = at.map(|at| sleepers.swap_remove(at));
        drop(sleepers);
        drop(woken);
    }
}

/// Wakes all who sleep. The process has been marked as exiting.
pub(crate) fn rouse_all() {
    for list in &SLEEPERS {
        list.lock().iter().for_each(|sleeper| sleeper.rouse());
    }
}
