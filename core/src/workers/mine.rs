//! What the pool knows of the calling thread.

use super::lists::{Lists, Own};
use super::task::{Runnable, Task};
use crate::sync::thread_local;
use std::cell::Cell;

thread_local! {
    static MINE: Mine = const { Mine { list: Cell::new(None), next: Cell::new(None), in_call: Cell::new(false) } };
}

/// Gives `body` the calling thread's share in the pool.
pub(super) fn with_mine<R>(body: impl FnOnce(&Mine) -> R) -> R {
    MINE.with(body)
}

/// A thread's share in the pool.
pub(super) struct Mine {
    /// On a worker: its list.
    list: Cell<Option<Own>>,
    /// What a worker does before what is in its list. Others do not see it: it goes to the list before anything that may take long.
    next: Cell<Option<&'static dyn Task>>,
    /// Set while a worker is inside a function of the caller's.
    in_call: Cell<bool>,
}

impl Mine {
    /// Lets the thread have a list, if there is memory for it.
    pub(super) fn open_list(&self, lists: &Lists) {
        self.list.set(lists.open());
    }

    /// Gives the list up.
    pub(super) fn close_list(&self, lists: &Lists) {
        if self.list.take().is_some() {
            lists.close();
        }
    }

    pub(super) fn list(&self) -> Option<Own> {
        self.list.get()
    }

    /// Returns the worker's list, if the thread is a worker that is not inside a function.
    pub(super) fn list_between_calls(&self) -> Option<Own> {
        self.list.get().filter(|_| !self.in_call.get())
    }

    /// Notes whether the thread is inside a function; returns whether it was before.
    pub(super) fn replace_in_call(&self, inside: bool) -> bool {
        self.in_call.replace(inside)
    }

    pub(super) fn has_next(&self) -> bool {
        self.next.get().is_some()
    }

    /// Keeps something for the worker to do next; gives it back if the thread is no worker, is inside a function, or has no room.
    pub(super) fn keep(&self, lists: &Lists, runnable: Runnable) -> Option<Runnable> {
        match (self.list_between_calls(), runnable) {
            (None, runnable) => Some(runnable),
            (Some(_), Runnable::Task(task)) if self.next.get().is_none() => {
                self.next.set(Some(task));
                None
            }
            (Some(own), runnable) => lists.push(own, runnable),
        }
    }

    /// Takes what the worker does next.
    pub(super) fn take_next(&self, lists: &Lists) -> Option<Runnable> {
        let next = self.next.take().map(Runnable::Task);
        next.or_else(|| self.list.get().and_then(|own| lists.pop(own)))
    }

    /// Puts what the worker was going to do next into its list; gives it back if the list is full.
    pub(super) fn list_next(&self, lists: &Lists) -> Option<Runnable> {
        let own = self.list.get()?;
        lists.push(own, Runnable::Task(self.next.take()?))
    }

    /// Returns whether the worker's list holds something.
    pub(super) fn has_listed(&self, lists: &Lists) -> bool {
        self.list.get().is_some_and(|own| lists.has(own))
    }
}
