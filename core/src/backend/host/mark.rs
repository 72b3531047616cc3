//! Marks of the host backend.

use super::ipc::SharedEvent;
use super::point::Point;
use super::timeline::Timeline;
use crate::backend::Mark;
use crate::error::Result;
use crate::point::Awaitable;
use crate::workers::{Parker, Waiter};
use std::time::Duration;

/// Set in the first word where that is the address of a [`SharedEvent`]: neither these nor timelines lie at odd addresses.
pub(super) const SHARED: u64 = 1;

/// The meaning of a mark.
#[derive(Clone, Copy)]
pub(super) enum HostMark<'a> {
    /// Nothing was recorded.
    None,
    /// A place in a stream or a gate, and when that was reached, if the event has noted it: then the record did not fail.
    Local(Point, i64),
    /// A record of that ticket in memory that processes share.
    Shared(&'a SharedEvent, u64),
}

impl HostMark<'_> {
    /// Reads a mark of an event that the caller has in use.
    #[inline]
    pub(super) fn of<'a>(Mark([place, position, time]): Mark) -> HostMark<'a> {
        if place == 0 {
            HostMark::None
        } else if place & SHARED == 0 {
            // SAFETY: the address of a timeline, as the bit is not set; timelines are never freed.
            let timeline = unsafe { &*(place as *const Timeline) };
            HostMark::Local(Point { timeline, position }, time.cast_signed())
        } else {
            // SAFETY: the bit is set in the address of an `Arc`'s shared event alone. Its cell owns it until the event is
            // released, and the caller has the event in use, by the contract of `Backend`.
            HostMark::Shared(unsafe { &*((place & !SHARED) as *const SharedEvent) }, position)
        }
    }

    /// When the mark was reached, on the host's clock; 0 if that was not noted.
    pub(super) fn time(self) -> i64 {
        if let HostMark::Local(_, time) = self { time } else { 0 }
    }

    /// Returns the pending point of this process that a waiter for the mark waits for.
    pub(super) fn pending(self) -> Option<Point> {
        let point = match self {
            HostMark::None => None,
            HostMark::Local(point, _) => Some(point),
            HostMark::Shared(shared, ticket) => shared.own_point(ticket),
        };
        point.filter(|point| !point.is_reached())
    }
}

impl Awaitable for HostMark<'_> {
    #[inline]
    fn reached(&self) -> Result<bool> {
        match *self {
            HostMark::None => Ok(true),
            HostMark::Local(point, time) => point.reached_by(time),
            HostMark::Shared(shared, ticket) => shared.reached(ticket),
        }
    }

    fn notify(&self, waiter: Waiter) -> Result<Option<Waiter>> {
        let back = match *self {
            HostMark::None => Some(waiter),
            HostMark::Local(point, _) => point.notify(waiter)?,
            HostMark::Shared(shared, ticket) => shared.notify(ticket, waiter)?,
        };
        // A failure is the caller's to know.
        if back.is_some() {
            self.reached()?;
        }
        Ok(back)
    }

    fn forget(&self, parker: &Parker) {
        match *self {
            HostMark::None => {}
            HostMark::Local(point, _) => point.forget(parker),
            HostMark::Shared(shared, ticket) => shared.forget(ticket, parker),
        }
    }

    fn sleep(&self, lasted: Duration, most: Duration) -> bool {
        if let HostMark::Shared(shared, ticket) = *self { shared.sleep(ticket, lasted, most) } else { false }
    }
}
