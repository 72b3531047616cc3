//! Waiting for a record in shared memory.

use super::page::Outcome;
use super::shared::SharedEvent;
use super::watcher::{self, INTERVAL};
use crate::error::{Error, Result};
use crate::os;
use crate::point::LOOKS;
use crate::probe;
use crate::status::Status;
use crate::workers::{Parker, Waiter};
use std::time::Duration;

/// The answer where the process that had to finish a record is gone.
pub(super) const PEER_GONE: Error = Error::PeerGone(Status::CONTEXT_IS_DESTROYED);

impl SharedEvent {
    /// Returns whether the record is complete; an error if it cannot complete any more.
    pub(crate) fn reached(&self, ticket: u64) -> Result<bool> {
        match self.peek(ticket)? {
            // It may have finished just before it ended.
            Some(peer) if self.place.is_gone(peer) => self.peek(ticket)?.map_or(Ok(true), |_| Err(PEER_GONE)),
            pending => Ok(pending.is_none()),
        }
    }

    /// Like [`SharedEvent::reached`], but returns the number of the process that has to finish a pending record, and does not check whether
    /// it lives.
    pub(super) fn peek(&self, ticket: u64) -> Result<Option<u32>> {
        match self.page().outcome(ticket) {
            Outcome::Pending(peer) => Ok(Some(peer)),
            Outcome::Done => {
                // This process may have finished it.
                probe::acquire(self);
                Ok(None)
            }
            Outcome::Lost => Err(PEER_GONE),
            Outcome::Failed(status) => Err(Error::EventFailed(status)),
        }
    }

    /// Looks until the record is finished, for some microseconds at most.
    pub(crate) fn spin(&self, ticket: u64) {
        let is_pending = || matches!(self.page().outcome(ticket), Outcome::Pending(_));
        (0..LOOKS).take_while(|_| is_pending()).for_each(|_| std::hint::spin_loop());
    }

    /// Wakes the waiter when the record is finished or lost; gives it back where it is done already.
    pub(crate) fn notify(&self, ticket: u64, waiter: Waiter) -> Result<Option<Waiter>> {
        if self.reached(ticket)? {
            return Ok(Some(waiter));
        }
        watcher::add(self.arc(), ticket, waiter)?;
        Ok(None)
    }

    /// Removes a parked thread of [`SharedEvent::notify`].
    pub(crate) fn forget(&self, ticket: u64, parker: &Parker) {
        watcher::forget(self, ticket, parker);
    }

    /// Sleeps on the event's own word, for at most that long, in a wait that has lasted so long. False after a while: then one thread checks for
    /// all whether the other processes live.
    pub(crate) fn sleep(&self, ticket: u64, lasted: Duration, most: Duration) -> bool {
        let left = INTERVAL.saturating_sub(lasted).min(most);
        let bell = self.page().listen();
        if !left.is_zero() && matches!(self.page().outcome(ticket), Outcome::Pending(_)) {
            os::sleep(self.bell(), bell, Some(left));
        }
        !left.is_zero()
    }
}
