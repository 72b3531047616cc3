//! Those who wait for a stream to come to a position.

use super::queue::WorkQueue;
use crate::sync::{AtomicU64, Mutex, Ordering};
use crate::workers::{Parker, Waiter};
use std::collections::BTreeMap;

/// Waiters that are woken at once.
const DUE: usize = 8;

/// No waiter.
const NOBODY: u64 = u64::MAX;

/// The waiters of a stream, and the nearest position that one of them waits for.
pub(super) struct Waiters {
    nearest: AtomicU64,
    listed: Mutex<Listed>,
}

#[derive(Default)]
struct Listed {
    /// By position, then by arrival.
    waiters: BTreeMap<(u64, u64), Waiter>,
    arrivals: u64,
}

impl Default for Waiters {
    fn default() -> Waiters {
        Waiters { nearest: AtomicU64::new(NOBODY), listed: Mutex::default() }
    }
}

impl Waiters {
    /// Returns whether somebody waits for the position or one before it. The order with the queue's progress, which was published
    /// before, is that of [`Waiters::add`], mirrored: one of the two sees the other.
    #[inline]
    pub(super) fn are_due(&self, position: u64) -> bool {
        self.nearest.load(Ordering::SeqCst) <= position
    }

    /// Takes those out who wait for the position or one before it, and gives them to `wake`, each with its position.
    #[cold]
    #[inline(never)]
    pub(super) fn take(&self, position: u64, wake: impl Fn(u64, Waiter)) {
        // Some at a time, so that nobody is woken under the lock.
        let mut due = [const { None }; DUE];
        loop {
            let mut listed = self.listed.lock();
            for place in &mut due {
                let first = listed.waiters.first_entry().filter(|first| first.key().0 <= position);
                *place = first.map(|first| first.remove_entry());
            }
            self.publish(&listed);
            drop(listed);
            let count = due.iter().flatten().count();
            for ((position, _), waiter) in due.iter_mut().filter_map(Option::take) {
                wake(position, waiter);
            }
            if count < DUE {
                break;
            }
        }
    }

    /// Adds a waiter; gives it back if the queue has come to the position already.
    pub(super) fn add(&self, queue: &WorkQueue, position: u64, waiter: Waiter) -> Option<Waiter> {
        let mut listed = self.listed.lock();
        listed.arrivals += 1;
        let key = (position, listed.arrivals);
        listed.waiters.insert(key, waiter);
        self.publish(&listed);
        if queue.done_ordered() < position {
            return None;
        }
        let back = listed.waiters.remove(&key);
        self.publish(&listed);
        back
    }

    /// Takes a parked thread out of the waiters for the position.
    pub(super) fn forget(&self, position: u64, parker: &Parker) {
        let mut listed = self.listed.lock();
        let is_it = |waiter: &Waiter| matches!(waiter, Waiter::Thread(thread) if std::ptr::eq(&**thread, parker));
        while let Some((key, _)) =
            listed.waiters.range((position, 0)..=(position, u64::MAX)).find(|(_, waiter)| is_it(waiter))
        {
            let key = *key;
            listed.waiters.remove(&key);
        }
        self.publish(&listed);
    }

    fn publish(&self, listed: &Listed) {
        let nearest = listed.waiters.first_key_value().map_or(NOBODY, |(key, _)| key.0);
        self.nearest.store(nearest, Ordering::SeqCst);
    }
}
