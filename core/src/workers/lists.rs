//! What workers will do next: a short list of each one's, from which the others take if its worker is busy.

use super::task::Runnable;
use crate::sync::{AtomicUsize, Mutex, Ordering};
use std::collections::VecDeque;
use std::sync::atomic::AtomicUsize as Number;

/// How many lists there are. Workers beyond that number share them. A model has one for each of its workers.
const LISTS: usize = if cfg!(loom) { 2 } else { 64 };
/// How much a list holds.
const ROOM: usize = 64;

/// The lists of all workers.
pub(super) struct Lists {
    lists: Box<[List]>,
    /// How many workers there are that have one, which may share it.
    workers: Number,
    /// How many of the lists were ever in use.
    used: Number,
}

impl Default for Lists {
    fn default() -> Lists {
        let lists = (0..LISTS).map(|_| List::default()).collect();
        Lists { lists, workers: Number::new(0), used: Number::new(0) }
    }
}

/// On cache lines of its own.
#[derive(Default)]
#[repr(align(128))]
struct List {
    /// The length of the queue, written under its lock.
    len: AtomicUsize,
    queue: Mutex<VecDeque<Runnable>>,
}

/// The number of a worker's list.
#[derive(Clone, Copy)]
pub(super) struct Own(usize);

impl Lists {
    /// Gives a worker a list; `None` where there is no memory for it.
    pub(super) fn open(&self) -> Option<Own> {
        let own = self.workers.fetch_add(1, Ordering::SeqCst) % LISTS;
        let mut queue = self.lists[own].queue.lock();
        let more = ROOM - queue.len();
        if queue.try_reserve_exact(more).is_err() {
            self.close();
            return None;
        }
        drop(queue);
        self.used.fetch_max(own + 1, Ordering::SeqCst);
        Some(Own(own))
    }

    /// A worker that has a list ends.
    pub(super) fn close(&self) {
        self.workers.fetch_sub(1, Ordering::SeqCst);
    }

    fn used(&self) -> &[List] {
        &self.lists[..self.used.load(Ordering::SeqCst)]
    }

    /// Returns whether any list holds something.
    pub(super) fn have_any(&self) -> bool {
        self.used().iter().any(|list| list.len() > 0)
    }

    /// Returns how much all lists hold.
    pub(super) fn len(&self) -> usize {
        self.used().iter().map(List::len).sum()
    }

    /// Returns whether that list holds something.
    pub(super) fn has(&self, Own(own): Own) -> bool {
        self.lists[own].len() > 0
    }

    /// Puts something last in a list; gives it back if the list is full.
    pub(super) fn push(&self, Own(own): Own, runnable: Runnable) -> Option<Runnable> {
        self.lists[own].change(|queue| {
            if queue.len() >= ROOM {
                return Some(runnable);
            }
            queue.push_back(runnable);
            None
        })
    }

    /// Moves as much as that from the front of `from` to a list, as far as it has room.
    pub(super) fn fill(&self, Own(own): Own, from: &mut VecDeque<Runnable>, count: usize) {
        self.lists[own].change(|queue| {
            let count = count.min(ROOM.saturating_sub(queue.len()));
            queue.extend(from.drain(..count));
        });
    }

    /// Takes the first thing from a list.
    pub(super) fn pop(&self, own: Own) -> Option<Runnable> {
        if self.has(own) { self.lists[own.0].change(VecDeque::pop_front) } else { None }
    }

    /// Takes the first thing from any list, beginning with that one.
    pub(super) fn pop_any(&self, own: Option<Own>) -> Option<Runnable> {
        let used = self.used().len();
        let first = own.map_or(0, |Own(own)| own);
        (0..used).find_map(|step| self.pop(Own((first + step) % used)))
    }
}

impl List {
    fn len(&self) -> usize {
        self.len.load(Ordering::SeqCst)
    }

    fn change<T>(&self, body: impl FnOnce(&mut VecDeque<Runnable>) -> T) -> T {
        let mut queue = self.queue.lock();
        let result = body(&mut queue);
        self.len.store(queue.len(), Ordering::SeqCst);
        result
    }
}
