//! Gates: the positions of a timeline without a stream. Each is closed until the host opens it, for good or with a failure.

use super::free_list::FreeList;
use super::point::Point;
use super::timeline::{Role, Timeline};
use crate::error::{Error, Result};
use crate::point::Opener;
use crate::probe;
use crate::status::Status;
use crate::workers;

static FREE: FreeList<Timeline> = FreeList::new();

impl Timeline {
    /// Returns a timeline for gates.
    pub(super) fn of_gates(role: Role) -> Result<&'static Timeline> {
        let timeline = FREE.take(|| true).ok_or(Error::OutOfMemory)?;
        timeline.begin(role, 0, std::ptr::null());
        Ok(timeline)
    }

    pub(super) fn is_of_gates(&self) -> bool {
        matches!(self.role(), Role::Signal | Role::Backend)
    }

    /// Returns the next gate. The earlier gates are open.
    pub(super) fn next_gate(&'static self) -> Point {
        Point { timeline: self, position: self.done() + 1 }
    }

    /// Makes the timeline free for other gates. No thread opens a gate of its present use afterwards.
    pub(super) fn free_gates(&'static self) {
        self.advance(self.done() + 1);
        FREE.put(self);
    }
}

impl Point {
    /// Opens the gate, which is closed. The caller calls [`Point::wake_from_gate`] next, and no other thread opens it.
    pub(super) fn open(self, status: Status) {
        probe::release(self.timeline);
        if status != Status::SUCCESS {
            self.timeline.failures.begin(self.position - 1, Error::EventFailed(status));
            self.timeline.failures.end(|| self.position);
        }
        self.timeline.advance(self.position);
    }

    /// Wakes the waiters for the gate, which was opened. With a failure this may be called under locks.
    pub(super) fn wake_from_gate(self) {
        self.timeline.wake(self.position, |waiter, status| workers::wake_here([(waiter, status)]));
    }
}

/// Returns a gate for a stream, and its opener, which is a backend's.
pub(super) fn of_backend() -> Result<(Point, Opener)> {
    let gate = Timeline::of_gates(Role::Backend)?.next_gate();
    let open = move |status| {
        gate.open(status);
        gate.wake_from_gate();
        gate.timeline.free_gates();
    };
    Ok((gate, Opener::new(open)))
}
