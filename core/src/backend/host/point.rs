//! A place in a stream.

use super::stream::HostStream;
use crate::backend::deadlock::{Dependency, check_all};
use crate::error::{Error, Result};
use crate::point::{Awaitable, Until, wait};
use crate::workers::{Parker, Waiter};
use std::time::Instant;

/// A place in a stream: reached when the stream has come to `position`.
#[derive(Clone, Copy)]
pub(crate) struct Point {
    pub(crate) stream: &'static HostStream,
    pub(crate) position: u64,
}

impl Point {
    #[inline]
    pub(crate) fn is_reached(self) -> bool {
        self.stream.done() >= self.position
    }

    /// Returns, for a point that is reached, why the stream was then without something that it had to wait for, if it was.
    pub(crate) fn failure(self) -> Option<Error> {
        self.stream.failure_at(self.position)
    }

    /// The point as something to wait for.
    pub(super) fn dependency(self) -> Dependency {
        Dependency::new(self.stream.token().0, self.position)
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
        Ok(self.stream.notify(self.position, waiter))
    }

    fn forget(&self, parker: &Parker) {
        self.stream.forget(self.position, parker);
    }
}

/// Blocks until all points are reached, or until the deadline; returns whether they are.
pub(super) fn block_until_all(points: impl Iterator<Item = Point>, deadline: Option<Instant>) -> Result<bool> {
    let points: Vec<_> = points.filter(|point| !point.is_reached()).collect();
    check_all(points.iter().map(|point| point.dependency()), deadline)?;
    wait(&points, Until::All, true, deadline)
}

/// Blocks until the stream has at most so many pieces of work that are not done.
pub(crate) fn block_until_at_most(stream: &'static HostStream, most: u64) -> Result<()> {
    let end = stream.end();
    let point = Point { position: end.position.saturating_sub(most), ..end };
    block_until_all(std::iter::once(point), None).map(drop)
}
