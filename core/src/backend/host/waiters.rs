//! Those who wait for a stream to come to a position.

use super::queue::WorkQueue;
use crate::sync::{AtomicU64, Mutex, Ordering};
use crate::workers::{Parker, Waiter};
use std::collections::BTreeMap;

/// So many waiters need no memory of their own.
const FEW: usize = 4;

/// No waiter.
const NOBODY: u64 = u64::MAX;

/// The waiters of a stream, and the nearest position that one of them waits for. On cache lines of their own, apart from what every
/// launch reads.
#[repr(align(128))]
pub(super) struct Waiters {
    nearest: AtomicU64,
    listed: Mutex<Listed>,
}

/// Those who wait, by position, then by arrival.
#[derive(Default)]
struct Listed {
    /// Some of them, mostly all: who waits for the stream's end, and the next stream or two.
    few: [Option<(Key, Waiter)>; FEW],
    others: BTreeMap<Key, Waiter>,
    arrivals: u64,
}

type Key = (u64, u64);

impl Listed {
    fn add(&mut self, position: u64, waiter: Waiter) {
        self.arrivals += 1;
        let key = (position, self.arrivals);
        match self.few.iter_mut().find(|free| free.is_none()) {
            Some(free) => *free = Some((key, waiter)),
            None => drop(self.others.insert(key, waiter)),
        }
    }

    /// Returns the key of the one to be woken first.
    fn first(&self) -> Option<Key> {
        let few = self.few.iter().flatten().map(|(key, _)| *key);
        few.chain(self.others.first_key_value().map(|(key, _)| *key)).min()
    }

    fn remove(&mut self, key: Key) -> Option<Waiter> {
        let few = self.few.iter_mut().find_map(|one| one.take_if(|(one, _)| *one == key));
        few.map(|(_, waiter)| waiter).or_else(|| self.others.remove(&key))
    }

    /// Takes the first one out, if that waits for the position or one before it.
    fn take_due(&mut self, position: u64) -> Option<(u64, Waiter)> {
        let key = self.first().filter(|key| key.0 <= position)?;
        self.remove(key).map(|waiter| (key.0, waiter))
    }
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

    /// Adds a waiter; gives it back if the queue has come to the position already.
    pub(super) fn add(&self, queue: &WorkQueue, position: u64, waiter: Waiter) -> Option<Waiter> {
        let mut listed = self.listed.lock();
        // Before the progress is read, so that whoever makes it comes for the waiter, and to the lock.
        self.nearest.store(listed.first().map_or(position, |first| first.0.min(position)), Ordering::SeqCst);
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
        let is_it = |waiter: &Waiter| matches!(waiter, Waiter::Thread(thread) if std::ptr::eq(&**thread, parker));
        for one in &mut listed.few {
            one.take_if(|(key, waiter)| key.0 == position && is_it(waiter));
        }
        while let Some((key, _)) =
            listed.others.range((position, 0)..=(position, u64::MAX)).find(|(_, waiter)| is_it(waiter))
        {
            let key = *key;
            listed.others.remove(&key);
        }
        self.publish(&listed);
    }

    /// Publishes the nearest position that somebody waits for, and returns it.
    fn publish(&self, listed: &Listed) -> u64 {
        let nearest = listed.first().map_or(NOBODY, |first| first.0);
        self.nearest.store(nearest, Ordering::SeqCst);
        nearest
    }
}
