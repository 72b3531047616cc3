//! Threads that park until they are woken, or until the process exits.

use crate::error::Result;
use crate::lock::Mutex;
use crate::process;
use crate::sync::Signal;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A thread that waits until it is woken.
pub(crate) struct Parker {
    signal: Signal,
    /// How many calls of [`Parker::unpark`] come before the one that wakes it.
    before: AtomicUsize,
}

/// The longest sleep of a thread that exit will not wake, because there was no memory to list it.
const UNLISTED: Duration = Duration::from_millis(100);

impl Parker {
    /// For the calling thread, which alone may park.
    pub(crate) fn new() -> Arc<Parker> {
        Parker::for_all(1)
    }

    /// As [`Parker::new`], for a thread that waits until it has been unparked `count` times: at least once.
    pub(crate) fn for_all(count: usize) -> Arc<Parker> {
        Arc::new(Parker { signal: Signal::new(), before: AtomicUsize::new(count - 1) })
    }

    /// Blocks until [`Parker::unpark`], or until the deadline; returns whether it was woken. Fails if the process exits.
    pub(crate) fn park(self: &Arc<Parker>, deadline: Option<Instant>) -> Result<bool> {
        if self.signal.take() {
            return Ok(true);
        }
        let parked = Parked::list(self.clone());
        loop {
            // Listed before: either exit shows here, or it wakes the thread.
            process::check()?;
            let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Ok(self.signal.take());
            }
            let time = if parked.is_some() { left } else { Some(left.map_or(UNLISTED, |left| left.min(UNLISTED))) };
            self.signal.sleep(time);
            if self.signal.take() {
                return process::check().map(|()| true);
            }
        }
    }

    /// Returns whether it was woken since it parked last.
    pub(super) fn is_woken(&self) -> bool {
        self.signal.is_given()
    }

    pub(crate) fn unpark(&self) {
        let counted = self.before.fetch_update(Ordering::AcqRel, Ordering::Acquire, |before| before.checked_sub(1));
        if counted.is_err() {
            self.signal.give();
        }
    }
}

/// Several lists: threads that park at the same time rarely meet at one lock.
const LISTS: usize = 16;

static SLEEPERS: [Mutex<Vec<Arc<Parker>>>; LISTS] = [const { Mutex::new(Vec::new()) }; LISTS];

/// A thread's entry among those that exit wakes.
struct Parked {
    list: usize,
    parker: *const Parker,
}

impl Parked {
    /// Lists a thread; `None` without memory.
    fn list(parker: Arc<Parker>) -> Option<Parked> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let list = NEXT.fetch_add(1, Ordering::Relaxed) % LISTS;
        let mut sleepers = SLEEPERS[list].lock();
        sleepers.try_reserve(1).ok()?;
        let parked = Parked { list, parker: Arc::as_ptr(&parker) };
        sleepers.push(parker);
        Some(parked)
    }
}

impl Drop for Parked {
    fn drop(&mut self) {
        let mut sleepers = SLEEPERS[self.list].lock();
        let at = sleepers.iter().rposition(|parker| Arc::as_ptr(parker) == self.parker);
        let woken = at.map(|at| sleepers.swap_remove(at));
        drop(sleepers);
        drop(woken);
    }
}

/// Wakes all parked threads: what they wait for may never complete. The process has been marked as exiting.
pub(crate) fn wake_all() {
    for list in &SLEEPERS {
        list.lock().iter().for_each(|parker| parker.signal.give());
    }
}
