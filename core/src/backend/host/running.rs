//! The functions of streams that a thread is inside.

use super::deadlock;
use super::point::Point;
use crate::sync::thread_local;
use crate::workers::{self, MOST_NESTED};
use std::cell::Cell;

/// The functions that a thread is inside, the outermost first: more than one where gevt_sync_working runs others inside one.
#[derive(Clone, Copy)]
pub(super) struct Running {
    /// Each by the point at which it will be done.
    points: [Option<Point>; MOST_NESTED + 1],
}

const NONE: Running = Running { points: [None; MOST_NESTED + 1] };

thread_local! {
    static RUNNING: Cell<Running> = const { Cell::new(NONE) };
}

/// Returns the functions that the calling thread is inside.
pub(super) fn running() -> Running {
    RUNNING.with(Cell::get)
}

impl Running {
    pub(super) fn points(&self) -> impl DoubleEndedIterator<Item = Point> {
        self.points.iter().flatten().copied()
    }

    pub(super) fn innermost(&self) -> Option<Point> {
        self.points().next_back()
    }
}

impl Point {
    /// Runs a function of the caller's, which is done at this point or before it.
    pub(super) fn call(self, call: impl FnOnce()) {
        let outer = running();
        let mut inner = outer;
        if let Some(place) = inner.points.iter_mut().find(|place| place.is_none()) {
            *place = Some(self);
        }
        // The function around it goes on when this one is done.
        let _holding = outer.innermost().map(|outer| deadlock::Waiting::of(outer, self));
        workers::get().in_call(|| {
            RUNNING.with(|running| running.set(inner));
            call();
            RUNNING.with(|running| running.set(outer));
        });
    }
}
