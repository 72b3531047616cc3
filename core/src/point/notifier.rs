//! Wakes the waiters of timelines that wake none themselves: one thread for all timelines of a [`Source`].
//!
//! The thread looks at the nearest awaited value of each timeline, wakes the waiters whose values are reached, and sleeps in the way of
//! the source once there are none. A look never blocks, so it is made under the lock.

use super::WaiterList;
use crate::error::{Error, Result};
use crate::os::FineTimer;
use crate::process;
use crate::status::Status;
use crate::sync::{Mutex, Signal};
use crate::workers::{self, Parker, Waiter};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Bound;

/// So many timelines are looked at before other threads get the lock.
const SLICE: usize = 16;

/// Why no more waiters are taken.
const ENDED: Error = Error::ContextLost(Status::CONTEXT_IS_DESTROYED);

/// Names a timeline to its source.
pub(crate) type Key = [u64; 2];

/// Timelines that one thread watches, and how it sleeps until one of them makes progress.
pub(crate) trait Source: Send + Sync + 'static {
    /// The thread's name.
    const NAME: &'static str;
    /// A timeline, kept while it has waiters.
    type Timeline: Send;
    /// What the thread learns as it looks at the timelines, for its next sleep.
    type Round: Default;

    /// Called by the thread, to do all its work in `body`.
    fn run(&self, body: impl FnOnce()) {
        body();
    }

    /// The thread begins to look at the timelines; `news` if it has woken a waiter in the last round, or was interrupted since.
    fn begin(&self, round: &mut Self::Round, news: bool);

    /// Returns how the wait for the value has ended, if it has. Otherwise the next sleep ends soon after it has. An error is a failed look:
    /// the threads that wait for the timeline wake up and look themselves, and the others wait on.
    fn look(&self, timeline: &mut Self::Timeline, value: u64, round: &mut Self::Round) -> Result<Option<Status>>;

    /// Sleeps until one of the looks would have another result, or [`Source::interrupt`], which gives `call` before. May wake for no reason.
    fn sleep(&self, round: &mut Self::Round, call: &Signal);

    /// Ends the sleep, if `call` alone does not.
    fn interrupt(&self) {}
}

/// The waiters for one timeline: one at least.
struct Line<T> {
    timeline: T,
    waiters: WaiterList,
}

struct State<T> {
    is_started: bool,
    has_ended: bool,
    lines: BTreeMap<Key, Line<T>>,
}

impl<T> Default for State<T> {
    fn default() -> State<T> {
        State { is_started: false, has_ended: false, lines: BTreeMap::new() }
    }
}

/// A thread that wakes others, and the waiters that it wakes. It runs as long as the process, or until [`Notifier::end`].
pub(crate) struct Notifier<S: Source> {
    pub(crate) source: S,
    state: Mutex<State<S::Timeline>>,
    /// Given when there is a new waiter, or the end.
    call: Signal,
}

impl<S: Source> Notifier<S> {
    pub(crate) fn new(source: S) -> Notifier<S> {
        Notifier { source, state: Mutex::default(), call: Signal::new() }
    }

    /// Starts the thread, if there is none. It has `owner`, which may keep the notifier's memory, until it ends.
    pub(crate) fn start(&'static self, owner: impl Send + 'static) -> Result<()> {
        let mut state = self.state.lock();
        let run = move || {
            self.source.run(|| self.watch());
            drop(owner);
        };
        state.is_started = state.is_started || workers::start_thread(S::NAME, run);
        if state.is_started { Ok(()) } else { Err(Error::OutOfMemory) }
    }

    /// Wakes `waiter` when the timeline reaches the value, or no longer can. The thread was started.
    pub(crate) fn add(&self, key: Key, timeline: S::Timeline, value: u64, waiter: Waiter) -> Result<()> {
        let mut state = self.state.lock();
        if state.has_ended {
            return Err(ENDED);
        }
        let line = state.lines.entry(key).or_insert_with(|| Line { timeline, waiters: WaiterList::default() });
        let nearest = line.waiters.nearest();
        line.waiters.add(value, waiter);
        drop(state);
        if nearest.is_none_or(|nearest| value < nearest) {
            self.interrupt();
        }
        Ok(())
    }

    /// Has the thread look at all timelines.
    pub(crate) fn interrupt(&self) {
        self.call.give();
        self.source.interrupt();
    }

    /// Removes a parked thread. The timeline is not looked at for it once this returns.
    pub(crate) fn forget(&self, key: Key, value: u64, parker: &Parker) {
        if let Entry::Occupied(mut line) = self.state.lock().lines.entry(key) {
            line.get_mut().waiters.forget(value, parker);
            if line.get().waiters.nearest().is_none() {
                line.remove();
            }
        }
    }

    /// Ends the thread.
    pub(crate) fn end(&self) {
        self.state.lock().has_ended = true;
        self.interrupt();
    }

    /// Wakes all waiters, whose values will not be reached.
    pub(crate) fn wake_all(&self, why: Status) {
        let lines = std::mem::take(&mut self.state.lock().lines);
        lines.into_values().flat_map(|mut line| line.waiters.take_all()).for_each(|waiter| workers::wake(waiter, why));
    }

    /// The thread's loop.
    fn watch(&self) {
        let _fine = FineTimer::new();
        let mut round = S::Round::default();
        let mut news = true;
        while !self.state.lock().has_ended {
            news |= self.call.take();
            if process::is_over() || self.state.lock().lines.is_empty() {
                // No waiter is woken during exit.
                round = S::Round::default();
                self.call.sleep(None);
                continue;
            }
            self.source.begin(&mut round, news);
            news = self.look(&mut round);
            if !news {
                self.source.sleep(&mut round, &self.call);
            }
        }
    }

    /// Looks at all timelines; returns whether a waiter was woken.
    fn look(&self, round: &mut S::Round) -> bool {
        let (mut after, mut has_woken) = (Bound::Unbounded, false);
        loop {
            let mut state = self.state.lock();
            let (mut due, mut idle, mut last) = (Vec::new(), Vec::new(), None);
            for (key, line) in state.lines.range_mut((after, Bound::Unbounded)).take(SLICE) {
                last = Some(*key);
                if line.look(&self.source, round, &mut due) {
                    idle.push(*key);
                }
            }
            let gone: Vec<_> = idle.iter().map(|key| state.lines.remove(key)).collect();
            drop(state);
            drop(gone);
            has_woken |= !due.is_empty();
            workers::wake_here(due);
            let Some(last) = last else { return has_woken };
            after = Bound::Excluded(last);
        }
    }

    /// Wakes the waiters of a timeline that the caller has advanced, as the thread would.
    pub(crate) fn look_at(&self, key: Key) {
        let mut due = Vec::new();
        let mut state = self.state.lock();
        let Entry::Occupied(mut line) = state.lines.entry(key) else { return };
        let gone = line.get_mut().look(&self.source, &mut S::Round::default(), &mut due).then(|| line.remove());
        drop(state);
        drop(gone);
        workers::wake_here(due);
    }
}

impl<T> Line<T> {
    /// Takes the waiters whose values are reached, with what they are told. Returns whether none is left.
    fn look<S: Source<Timeline = T>>(
        &mut self,
        source: &S,
        round: &mut S::Round,
        due: &mut Vec<(Waiter, Status)>,
    ) -> bool {
        while let Some(value) = self.waiters.nearest() {
            match source.look(&mut self.timeline, value, round) {
                Ok(None) => break,
                Ok(Some(status)) => due.extend(self.waiters.take_due(value).map(|(_, waiter)| (waiter, status))),
                Err(error) => {
                    due.extend(self.waiters.take_threads().map(|thread| (thread, error.status())));
                    break;
                }
            }
        }
        self.waiters.nearest().is_none()
    }
}

#[cfg(all(test, not(loom)))]
#[path = "notifier_tests.rs"]
mod tests;

#[cfg(all(test, loom))]
#[path = "notifier_loom_tests.rs"]
mod loom_tests;
