//! Waiting for a record in shared memory.

use super::page::Outcome;
use super::shared::SharedEvent;
use super::watcher::{self, INTERVAL};
use crate::backend::host::stream::HostStream;
use crate::error::{Error, Result};
use crate::os;
use crate::point::{Awaitable, LOOKS, Until, wait};
use crate::probe;
use crate::process;
use crate::status::Status;
use crate::workers::{self, Parker, Waiter};
use std::sync::Arc;
use std::time::Instant;

/// After so many useless polls a thread sleeps at once, but for one time in so many.
const SPIN_MISSES: u32 = 2;
const SPIN_AGAIN: u32 = 256;

thread_local! {
    /// How many times in a row the thread has waited without having seen the end of it by looking.
    static MISSES: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

impl SharedEvent {
    /// Returns the state of the record.
    pub(in super::super) fn look(&self, ticket: u64) -> Outcome {
        match self.peek(ticket) {
            // It may have finished just before it ended.
            Outcome::Pending(peer) if self.place.is_gone(peer) => match self.peek(ticket) {
                Outcome::Pending(_) => Outcome::Lost,
                finished => finished,
            },
            outcome => outcome,
        }
    }

    /// Like [`SharedEvent::look`], but does not check whether the process lives that has to finish the record.
    pub(super) fn peek(&self, ticket: u64) -> Outcome {
        let outcome = self.page().outcome(ticket);
        if outcome == Outcome::Done {
            // This process may have finished it.
            probe::acquire(self);
        }
        outcome
    }

    /// Returns whether the record is complete; an error if it cannot complete any more.
    pub(in super::super) fn reached(&self, ticket: u64) -> Result<bool> {
        self.look(ticket).reached()
    }

    /// Blocks until the record is finished, or until the deadline; false if the time ran out. With `spin`, the thread polls for
    /// some time before it sleeps.
    pub(in super::super) fn block(&self, ticket: u64, spin: bool, deadline: Option<Instant>) -> Result<bool> {
        if spin {
            self.spin(ticket);
        }
        loop {
            match self.look(ticket) {
                Outcome::Pending(_) => {}
                outcome => return outcome.reached(),
            }
            if let Some(reached) = workers::asleep(|| self.sleep(ticket, deadline))? {
                return Ok(reached);
            }
            match wait(&[(self, ticket)], Until::All, false, deadline) {
                // Without a watcher, it sleeps again.
                Err(Error::OutOfMemory) => {}
                parked => return parked,
            }
        }
    }

    /// Sleeps on the event's own word, for one interval at most; `None` if the record is pending then.
    fn sleep(&self, ticket: u64, deadline: Option<Instant>) -> Result<Option<bool>> {
        let end = Instant::now() + INTERVAL;
        let until = deadline.map_or(end, |at| at.min(end));
        loop {
            let bell = self.page().listen();
            process::check()?;
            match self.peek(ticket) {
                Outcome::Pending(_) => {}
                outcome => return outcome.reached().map(Some),
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return if until < end { self.reached(ticket).map(Some) } else { Ok(None) };
            }
            os::sleep(self.bell(), bell, Some(left));
        }
    }

    /// Looks until the record is finished, for some microseconds at most. Where that was for nothing lately it hardly ever
    /// does: the other process may need this very core to get there.
    pub(in super::super) fn spin(&self, ticket: u64) {
        let misses = MISSES.get();
        if misses < SPIN_MISSES || misses.is_multiple_of(SPIN_AGAIN) {
            for looks in 0..LOOKS {
                if !matches!(self.page().outcome(ticket), Outcome::Pending(_)) {
                    // One that was finished already says nothing about the looks.
                    if looks > 0 {
                        MISSES.set(0);
                    }
                    return;
                }
                std::hint::spin_loop();
            }
        }
        MISSES.set(misses.wrapping_add(1));
    }

    /// Wakes the waiter when the record is finished or lost; gives it back where it is done already.
    pub(in super::super) fn notify(&self, ticket: u64, waiter: Waiter) -> Result<Option<Waiter>> {
        if self.reached(ticket)? {
            return Ok(Some(waiter));
        }
        watcher::add(self.arc(), ticket, waiter)?;
        Ok(None)
    }

    /// Makes the stream runnable when the record is finished or lost.
    pub(in super::super) fn wake_later(self: Arc<SharedEvent>, ticket: u64, stream: &'static HostStream) {
        if watcher::add(self, ticket, Waiter::Task(stream)).is_err() {
            // Without a thread it looks again.
            workers::wake(Waiter::Task(stream), Status::SUCCESS);
        }
    }

    /// Makes sure, before a stream waits, that a thread can wake it.
    pub(in super::super) fn expect_notify() -> Result<()> {
        watcher::start()
    }
}

impl Awaitable for (&SharedEvent, u64) {
    fn reached(&self) -> Result<bool> {
        self.0.reached(self.1)
    }

    fn notify(&self, waiter: Waiter) -> Result<Option<Waiter>> {
        self.0.notify(self.1, waiter)
    }

    fn forget(&self, parker: &Parker) {
        watcher::forget(self.0, self.1, parker);
    }
}
