//! Parked threads. Exit wakes them, as what they wait for may never complete then.

use super::Parker;
use crate::lock::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Several lists, so threads that go to sleep at the same time rarely meet at one lock.
const LISTS: usize = 16;

static SLEEPERS: [Mutex<Vec<Arc<Parker>>>; LISTS] = [const { Mutex::new(Vec::new()) }; LISTS];

/// A thread is about to sleep, or sleeps, until this is dropped.
pub(crate) struct Asleep {
    list: usize,
    parker: *const Parker,
}

impl Asleep {
    /// Lists a thread, before the process is seen not to exit; `None` without memory.
    pub(crate) fn on(parker: Arc<Parker>) -> Option<Asleep> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let list = NEXT.fetch_add(1, Ordering::Relaxed) % LISTS;
        let mut sleepers = SLEEPERS[list].lock();
        sleepers.try_reserve(1).ok()?;
        let asleep = Asleep { list, parker: Arc::as_ptr(&parker) };
        sleepers.push(parker);
        Some(asleep)
    }
}

impl Drop for Asleep {
    fn drop(&mut self) {
        let mut sleepers = SLEEPERS[self.list].lock();
        let at = sleepers.iter().rposition(|parker| Arc::as_ptr(parker) == self.parker);
        let woken = at.map(|at| sleepers.swap_remove(at));
        drop(sleepers);
        drop(woken);
    }
}

/// Wakes all parked threads. The process has been marked as exiting.
pub(crate) fn rouse_all() {
    for list in &SLEEPERS {
        list.lock().iter().for_each(|parker| parker.rouse());
    }
}
