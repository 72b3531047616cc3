//! Waiters for positions of a stream.

use super::queue::WorkQueue;
use crate::point::WaiterList;
use crate::sync::{AtomicU64, Mutex, Ordering};
use crate::workers::{Parker, Waiter};

/// No waiter.
const NOBODY: u64 = u64::MAX;

/// The waiters of a stream, and the nearest position that one of them waits for. On cache lines of their own, apart from what every
/// launch reads.
#[repr(align(128))]
pub(super) struct Waiters {
    nearest: AtomicU64,
    listed: Mutex<WaiterList>,
}

impl Default for Waiters {
    fn default() -> Waiters {
        Waiters { nearest: AtomicU64::new(NOBODY), listed: Mutex::default() }
    }
}

impl Waiters {
    /// Returns whether a waiter waits for the position or one before it. The order with the queue's progress, which was published
    /// before, is that of [`Waiters::add`], mirrored: one of the two sees the other.
    #[inline]
    pub(super) fn are_due(&self, position: u64) -> bool {
        self.nearest.load(Ordering::SeqCst) <= position
    }

    /// Removes the waiters for the position or one before it, and passes them to `wake`, each with its position.
    #[cold]
    #[inline(never)]
    pub(super) fn take(&self, position: u64, wake: impl Fn(u64, Waiter)) {
        loop {
            let mut listed = self.listed.lock();
            let due = listed.take_due(position);
            let next = self.publish(&listed);
            // Nobody is woken under the lock.
            drop(listed);
            if let Some((position, waiter)) = due {
                wake(position, waiter);
            }
            if next > position {
                break;
            }
        }
    }

    /// Adds a waiter; gives it back if the queue has reached the position already.
    pub(super) fn add(&self, queue: &WorkQueue, position: u64, waiter: Waiter) -> Option<Waiter> {
        let mut listed = self.listed.lock();
        // Before the progress is read, so the thread that makes progress comes for the waiter, and to the lock.
        self.nearest.store(listed.nearest().map_or(position, |nearest| nearest.min(position)), Ordering::SeqCst);
        if queue.done_ordered() >= position {
            self.publish(&listed);
            return Some(waiter);
        }
        listed.add(position, waiter);
        None
    }

    /// Takes a parked thread out of the waiters for the position.
    pub(super) fn forget(&self, position: u64, parker: &Parker) {
        let mut listed = self.listed.lock();
        listed.forget(position, parker);
        self.publish(&listed);
    }

    /// Publishes the nearest position with a waiter, and returns it.
    fn publish(&self, listed: &WaiterList) -> u64 {
        let nearest = listed.nearest().unwrap_or(NOBODY);
        self.nearest.store(nearest, Ordering::SeqCst);
        nearest
    }
}
