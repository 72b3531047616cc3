//! What the host backend keeps in an event: the last mark, or the memory that the event shares with other processes.

use super::ipc::SharedEvent;
use super::mark::{HostMark, SHARED};
use super::point::Point;
use super::timeline::{Role, Timeline};
use crate::backend::EventRef;
use crate::backend::cell::{Cell, CellState, LockedCell, Mark};
use crate::error::{Error, Result};
use crate::status::Status;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The words of a cell, and of a mark.
#[derive(Default)]
#[repr(C)]
struct HostState {
    /// The timeline, or the shared event.
    place: AtomicU64,
    /// How much the stream had been given when it was recorded, or the number of the gate.
    position: AtomicU64,
    /// When the mark was reached, in nanoseconds of the host's clock. Zero for an untimed or failed one. Valid once it is reached.
    time: AtomicU64,
}

// SAFETY: three atomics of eight bytes; zeros are a cell without a mark.
unsafe impl CellState for HostState {}

/// A cell of an event that is bound to the host backend.
#[derive(Clone, Copy)]
pub(super) struct HostCell<'a> {
    cell: &'a Cell,
    state: &'a HostState,
}

impl<'a> HostCell<'a> {
    #[inline]
    pub(super) fn of(cell: &'a Cell) -> HostCell<'a> {
        HostCell { cell, state: cell.state() }
    }

    fn words(self) -> [u64; 3] {
        let HostState { place, position, time } = self.state;
        [place, position, time].map(|word| word.load(Ordering::Relaxed))
    }

    fn write(self, locked: &mut LockedCell<'_>, [place, position, time]: [u64; 3]) {
        locked.write(|| {
            self.state.place.store(place, Ordering::Relaxed);
            self.state.position.store(position, Ordering::Relaxed);
            self.state.time.store(time, Ordering::Relaxed);
        });
    }

    /// Returns the last mark.
    #[inline]
    pub(super) fn mark(self) -> Mark {
        let words = self.cell.read(|| self.words());
        match HostMark::of(Mark(words)) {
            HostMark::Shared(shared, _) => Mark([words[0], shared.last(), 0]),
            _ => Mark(words),
        }
    }

    /// Returns the last mark and its time, if it is a point of this process; `None` if the event does not last. The event need not be pinned.
    #[inline]
    pub(super) fn local_mark(self, event: EventRef<'_>) -> Option<(Point, i64)> {
        let words = self.cell.read(|| self.words());
        // Before the words are believed: they may be another event's, of another backend.
        if words[0] & SHARED != 0 || !event.lasts() {
            return None;
        }
        match HostMark::of(Mark(words)) {
            HostMark::Local(point, time) => Some((point, time)),
            _ => None,
        }
    }

    /// Sets the mark of the next number, which is returned: `make` gives its position and its time, or 0. If that fails, the old mark stays.
    #[inline]
    pub(super) fn set<E>(
        self,
        timeline: &'static Timeline,
        make: impl FnOnce(u64) -> std::result::Result<(u64, i64), E>,
    ) -> std::result::Result<u64, E> {
        let mut locked = self.cell.lock();
        // It counts only once there is a mark: until then the stamp of the old one is still to come.
        let (position, time) = make(self.cell.serial() + 1)?;
        self.write(&mut locked, [timeline.name() as u64, position, time.cast_unsigned()]);
        Ok(locked.next_serial())
    }

    /// Notes the time of the mark of that number, unless a later one or another event has taken its place.
    pub(super) fn stamp(self, serial: u64, time: i64) {
        let mut locked = self.cell.lock();
        if self.cell.serial() == serial {
            locked.write(|| self.state.time.store(time.cast_unsigned(), Ordering::Relaxed));
        }
    }

    /// Gives the cell a closed gate, unless it has one. Fails if it has another mark.
    pub(super) fn arm(self) -> Result<()> {
        let mut locked = self.cell.lock();
        let timeline = match HostMark::of(Mark(self.words())) {
            HostMark::None => Timeline::of_gates(Role::Signal)?,
            HostMark::Local(gate, _) if !gate.is_reached() => return Ok(()),
            HostMark::Local(gate, _) if gate.timeline.is_of_gates() => gate.timeline,
            _ => return Err(Error::Internal),
        };
        locked.next_serial();
        self.write(&mut locked, [timeline.name() as u64, timeline.next_gate().position, 0]);
        Ok(())
    }

    /// Opens the cell's gate; false if it is already open, or if the cell has no gate.
    pub(super) fn open(self, status: Status, time: i64) -> bool {
        let mut locked = self.cell.lock();
        let HostMark::Local(gate, _) = HostMark::of(Mark(self.words())) else { return false };
        if gate.is_reached() {
            return false;
        }
        // First, so that whoever sees it open sees the time.
        if status == Status::SUCCESS {
            locked.write(|| self.state.time.store(time.cast_unsigned(), Ordering::Relaxed));
        }
        gate.open(status);
        drop(locked);
        gate.wake_from_gate();
        true
    }

    /// Counts a record that goes to shared memory; returns its number.
    pub(super) fn count_shared(self) -> u64 {
        self.cell.lock().next_serial()
    }

    /// The event in shared memory, if it is shared. The caller has the event in use for as long as it keeps the reference.
    #[inline]
    pub(super) fn shared(self) -> Option<&'a SharedEvent> {
        let place = self.state.place.load(Ordering::Acquire);
        match HostMark::of(Mark([place, 0, 0])) {
            HostMark::Shared(shared, _) => Some(shared),
            _ => None,
        }
    }

    /// The event in shared memory, which is made for a cell without.
    pub(super) fn shared_or_new(self) -> Result<&'a SharedEvent> {
        self.shared().map_or_else(|| Ok(self.share(SharedEvent::make()?)), Ok)
    }

    /// Puts an event in shared memory into the cell; where another thread was first, returns that one's.
    pub(super) fn share(self, event: Arc<SharedEvent>) -> &'a SharedEvent {
        let mut locked = self.cell.lock();
        if let Some(first) = self.shared() {
            return first;
        }
        let event = Arc::into_raw(event);
        self.write(&mut locked, [event as u64 | SHARED, 0, 0]);
        // SAFETY: the cell owns it from now on, until `clear`, which nobody calls while the event is in use.
        unsafe { &*event }
    }

    /// Empties the cell: nobody uses its event any more.
    pub(super) fn clear(self) {
        let mut locked = self.cell.lock();
        let old = HostMark::of(Mark(self.words()));
        // A stamp that comes late finds another number.
        locked.next_serial();
        self.write(&mut locked, [0; 3]);
        drop(locked);
        match old {
            HostMark::Local(gate, _) if gate.timeline.is_of_gates() => gate.timeline.free_gates(),
            // SAFETY: `share` has put it there by `into_raw`, it has just been taken out, and nobody uses the event.
            HostMark::Shared(shared, _) => drop(unsafe { Arc::from_raw(shared) }),
            _ => {}
        }
    }
}

#[cfg(all(test, not(loom)))]
#[path = "cell_tests.rs"]
mod tests;
