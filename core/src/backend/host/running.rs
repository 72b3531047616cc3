//! The functions of streams that a thread is inside.

use super::deadlock;
use super::point::Point;
use crate::sync::thread_local;
use crate::workers::{self, MOST_NESTED};
use std::cell::Cell;

/// The functions that a thread is inside, the outermost first: more than one where gevt_sync_working runs others inside one.
/// Each by the point at which it will be done.
pub(super) struct Running([Cell<Option<Point>>; MOST_NESTED + 1]);

thread_local! {
    static RUNNING: Running = const { Running([const { Cell::new(None) }; MOST_NESTED + 1]) };
}

/// Gives `body` the functions that the calling thread is inside.
pub(super) fn with_running<R>(body: impl FnOnce(&Running) -> R) -> R {
    RUNNING.with(body)
}

impl Running {
    pub(super) fn points(&self) -> impl Iterator<Item = Point> {
        self.0.iter().map_while(Cell::get)
    }

    pub(super) fn innermost(&self) -> Option<Point> {
        self.points().last()
    }
}

impl Point {
    /// Runs a function of the caller's, which is done at this point or before it.
    #[inline]
    pub(super) fn call(self, call: impl FnOnce()) {
        let depth = with_running(|running| running.points().count());
        let _holding = (depth > 0).then(|| self.hold_outer());
        workers::get().in_call(|| {
            let set = |point| with_running(|running| running.0[depth.min(MOST_NESTED)].set(point));
            set(Some(self));
            call();
            set(None);
        });
    }

    /// Notes that the function around it continues only when this one is done.
    #[cold]
    fn hold_outer(self) -> Option<deadlock::Waiting> {
        with_running(Running::innermost).map(|outer| deadlock::Waiting::of(outer, self))
    }
}
