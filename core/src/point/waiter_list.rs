//! Waiters ordered by the value that they wait for. Every operation takes logarithmic time.

use crate::workers::{Parker, Waiter};
use std::collections::BTreeMap;

/// How many waiters need no allocation.
const FEW: usize = 4;

/// The value, the address of the parked thread's parker (0 for other waiters), and the arrival.
type Key = (u64, usize, u64);

/// Waiters by value, and by arrival within a value. Threads come after all others.
#[derive(Default)]
pub(crate) struct WaiterList {
    /// The first to arrive. Most lists are never longer.
    few: [Option<(Key, Waiter)>; FEW],
    others: BTreeMap<Key, Waiter>,
    arrivals: u64,
}

fn thread_of(waiter: &Waiter) -> usize {
    match waiter {
        Waiter::Thread(parker) => std::ptr::from_ref::<Parker>(parker).addr(),
        Waiter::Work(_) | Waiter::Now(_) | Waiter::Task(_) => 0,
    }
}

impl WaiterList {
    pub(crate) fn add(&mut self, value: u64, waiter: Waiter) {
        self.arrivals += 1;
        let key = (value, thread_of(&waiter), self.arrivals);
        match self.few.iter_mut().find(|free| free.is_none()) {
            Some(free) => *free = Some((key, waiter)),
            None => drop(self.others.insert(key, waiter)),
        }
    }

    fn first(&self) -> Option<Key> {
        let few = self.few.iter().flatten().map(|(key, _)| *key);
        few.chain(self.others.first_key_value().map(|(key, _)| *key)).min()
    }

    /// Returns the least value that a waiter waits for.
    pub(crate) fn nearest(&self) -> Option<u64> {
        self.first().map(|key| key.0)
    }

    /// Removes the first waiter if its value is at most `value`, and returns it with its value.
    pub(crate) fn take_due(&mut self, value: u64) -> Option<(u64, Waiter)> {
        let key = self.first().filter(|key| key.0 <= value)?;
        let few = self.few.iter_mut().find_map(|one| one.take_if(|(one, _)| *one == key));
        let waiter = few.map(|(_, waiter)| waiter).or_else(|| self.others.remove(&key))?;
        Some((key.0, waiter))
    }

    /// Removes a parked thread from the waiters for the value, however often it was added.
    pub(crate) fn forget(&mut self, value: u64, parker: &Parker) {
        let thread = std::ptr::from_ref(parker).addr();
        for one in &mut self.few {
            one.take_if(|(key, _)| (key.0, key.1) == (value, thread));
        }
        let own = (value, thread, 0)..=(value, thread, u64::MAX);
        while let Some((key, _)) = self.others.range(own.clone()).next() {
            let key = *key;
            self.others.remove(&key);
        }
    }

    /// Removes all parked threads.
    pub(crate) fn take_threads(&mut self) -> impl Iterator<Item = Waiter> {
        let WaiterList { few, others, .. } = self;
        let keys: Vec<_> = others.keys().filter(|key| key.1 != 0).copied().collect();
        let few = few.iter_mut().filter_map(|one| one.take_if(|(key, _)| key.1 != 0)).map(|(_, waiter)| waiter);
        few.chain(keys.into_iter().filter_map(|key| others.remove(&key)))
    }

    /// Removes all waiters.
    pub(crate) fn take_all(&mut self) -> impl Iterator<Item = Waiter> + use<> {
        let WaiterList { few, others, .. } = std::mem::take(self);
        few.into_iter().flatten().map(|(_, waiter)| waiter).chain(others.into_values())
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn thread(parker: &Arc<Parker>) -> Waiter {
        Waiter::Thread(parker.clone())
    }

    #[test]
    fn waiters_are_taken_by_value_and_then_by_arrival() {
        let mut list = WaiterList::default();
        let next = Arc::new(AtomicUsize::new(0));
        for (value, place) in [(7, 5), (9, 7), (1, 0), (7, 6), (1, 1), (3, 2), (3, 3), (3, 4)] {
            let next = next.clone();
            list.add(value, Waiter::Now(Box::new(move |_| assert_eq!(next.fetch_add(1, Ordering::Relaxed), place))));
        }
        assert_eq!(list.nearest(), Some(1));
        while let Some((_, Waiter::Now(call))) = list.take_due(3) {
            call(crate::status::Status::SUCCESS);
        }
        assert_eq!((next.load(Ordering::Relaxed), list.nearest()), (5, Some(7)));
        assert_eq!(list.take_all().count(), 3);
        assert_eq!(list.nearest(), None);
    }

    #[test]
    fn a_thread_is_forgotten_at_one_value_and_nobody_else_is() {
        let mut list = WaiterList::default();
        let (one, other) = (Parker::new(), Parker::new());
        for value in [5, 6] {
            for _ in 0..2 * FEW {
                list.add(value, thread(&one));
                list.add(value, thread(&other));
            }
        }
        list.forget(5, &one);
        list.forget(4, &other);
        let left: Vec<_> = std::iter::from_fn(|| list.take_due(u64::MAX)).collect();
        let count = |value, parker: &Arc<Parker>| {
            let is_it = |found: &&(u64, Waiter)| (found.0, thread_of(&found.1)) == (value, thread_of(&thread(parker)));
            left.iter().filter(is_it).count()
        };
        let counts = [count(5, &one), count(5, &other), count(6, &one), count(6, &other)];
        assert_eq!(counts, [0, 2 * FEW, 2 * FEW, 2 * FEW]);
    }
}
