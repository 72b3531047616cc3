//! Waiters ordered by the value that they wait for.

use crate::workers::{Parker, Waiter};
use std::collections::VecDeque;

/// Waiters by value, and by arrival within a value. Most come in the order of their values, and wait last.
#[derive(Default)]
pub(crate) struct WaiterList(VecDeque<(u64, Waiter)>);

impl WaiterList {
    pub(crate) fn add(&mut self, value: u64, waiter: Waiter) {
        let at = self.0.partition_point(|(known, _)| *known <= value);
        self.0.insert(at, (value, waiter));
    }

    /// Returns the least value that a waiter waits for.
    pub(crate) fn nearest(&self) -> Option<u64> {
        self.0.front().map(|(value, _)| *value)
    }

    /// Removes the first waiter if its value is at most `value`, and returns it with its value.
    pub(crate) fn take_due(&mut self, value: u64) -> Option<(u64, Waiter)> {
        if self.nearest()? <= value { self.0.pop_front() } else { None }
    }

    /// Removes a parked thread from the waiters for the value, however often it was added.
    pub(crate) fn forget(&mut self, value: u64, parker: &Parker) {
        let mut at = self.0.partition_point(|(known, _)| *known < value);
        while let Some((_, waiter)) = self.0.get(at).filter(|(known, _)| *known == value) {
            let is_it = matches!(waiter, Waiter::Thread(known) if std::ptr::eq(&**known, parker));
            if is_it { drop(self.0.remove(at)) } else { at += 1 }
        }
    }

    /// Removes all parked threads.
    pub(crate) fn take_threads(&mut self) -> impl Iterator<Item = Waiter> + use<> {
        let all = std::mem::take(&mut self.0);
        let (threads, others) = all.into_iter().partition(|(_, waiter)| matches!(waiter, Waiter::Thread(_)));
        self.0 = others;
        let threads: VecDeque<_> = threads;
        threads.into_iter().map(|(_, waiter)| waiter)
    }

    /// Removes all waiters.
    pub(crate) fn take_all(&mut self) -> impl Iterator<Item = Waiter> + use<> {
        std::mem::take(&mut self.0).into_iter().map(|(_, waiter)| waiter)
    }
}

#[cfg(all(test, not(loom)))]
#[path = "waiter_list_tests.rs"]
mod tests;
