//! A place in a stream, or a gate.

use super::timeline::Timeline;
use crate::backend::deadlock::{Dependency, check_all};
use crate::error::Result;
use crate::point::{Awaitable, Until, wait};
use crate::probe;
use crate::workers::{Parker, Waiter};
use std::time::Instant;

/// Reached when the timeline has come to `position`.
#[derive(Clone, Copy)]
pub(crate) struct Point {
    pub(crate) timeline: &'static Timeline,
    pub(crate) position: u64,
}

impl Point {
    #[inline]
    pub(crate) fn is_reached(self) -> bool {
        self.timeline.done() >= self.position
    }

    /// Returns whether the point is reached; an error if it failed, which it did not if it has noted a time.
    pub(super) fn reached_by(self, time: i64) -> Result<bool> {
        if !self.is_reached() {
            return Ok(false);
        }
        probe::acquire(self.timeline);
        self.timeline.failures.at(self.position).filter(|_| time == 0).map_or(Ok(true), Err)
    }

    /// The point as something to wait for.
    pub(super) fn dependency(self) -> Dependency {
        Dependency::new(self.timeline.name() as u64, self.position)
    }

    /// As [`Dependency::call`], for a function that is done at this point or before it.
    #[inline]
    #[must_use]
    pub(super) fn call(self, call: impl FnOnce()) -> bool {
        self.dependency().call(call)
    }
}

impl Awaitable for Point {
    /// True also for a point that failed.
    fn reached(&self) -> Result<bool> {
        Ok(self.is_reached())
    }

    fn notify(&self, waiter: Waiter) -> Result<Option<Waiter>> {
        Ok(self.timeline.notify(self.position, waiter))
    }

    fn forget(&self, parker: &Parker) {
        self.timeline.forget(self.position, parker);
    }
}

/// Blocks until all points are reached, or until the deadline; returns whether they are.
pub(super) fn block_until_all(points: impl Iterator<Item = Point>, deadline: Option<Instant>) -> Result<bool> {
    let points: Vec<_> = points.filter(|point| !point.is_reached()).collect();
    check_all(points.iter().map(|point| point.dependency()), deadline)?;
    wait(&points, Until::All, true, deadline)
}
