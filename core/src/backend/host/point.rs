//! A place in a stream.

use super::stream::HostStream;
use crate::backend::deadlock::Dependency;
use crate::error::Error;

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

/// A point that another stream waits for: that it failed, if it does, is not forgotten meanwhile.
pub(crate) struct AwaitedPoint {
    point: Point,
    is_held: bool,
}

impl AwaitedPoint {
    /// A point that is not reached, or that is held.
    pub(super) fn new(point: Point) -> AwaitedPoint {
        // The order counts: a point of a stream that has never failed needs no hold.
        let is_held = point.stream.has_ever_failed();
        if is_held {
            point.stream.failures.hold(point.position);
        }
        AwaitedPoint { point, is_held }
    }

    #[inline]
    pub(super) fn point(&self) -> Point {
        self.point
    }
}

impl Drop for AwaitedPoint {
    #[inline]
    fn drop(&mut self) {
        if self.is_held {
            self.point.stream.failures.unhold(self.point.position);
        }
    }
}
