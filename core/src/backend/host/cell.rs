//! What the host backend keeps in an event: the last mark, or the memory that the event shares with other processes.

use super::ipc::SharedEvent;
use super::point::Point;
use super::stream::HostStream;
use crate::backend::cell::{Cell, CellState, Mark};
use crate::error::Result;
use crate::point::Gate;
use crate::status::Status;
use crate::table::Life;
use crate::workers::Waiter;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Set in the first word where that is the address of a [`SharedEvent`]: neither these nor gates and streams lie at odd addresses.
const SHARED: u64 = 1;
/// Set in the first word where that is the address of a gate.
const GATE: u64 = 2;
/// The words of a cell, and of a mark.
#[derive(Default)]
#[repr(C)]
struct HostState {
    /// The stream, the gate, or the shared event.
    place: AtomicU64,
    /// How much the stream had been given when it was recorded.
    position: AtomicU64,
    /// When the stream reached the mark, or the gate was opened, in nanoseconds of the host's clock. Zero for an untimed or failed record.
    /// Valid once the mark is reached.
    time: AtomicU64,
}

// SAFETY: three atomics of eight bytes; zeros are a cell without a mark.
unsafe impl CellState for HostState {}

/// What a mark of the host backend stands for.
pub(super) enum HostMark<'a> {
    /// Nothing was recorded.
    None,
    /// A place in a stream, and when the stream came there, if it noted that: then the record did not fail.
    Local(Point, i64),
    /// A gate, and when it was opened. The cell keeps it until it is armed again or emptied, and so does who [holds](HostCell::hold) it.
    Gate(*const Gate, i64),
    /// A record of that ticket in memory that processes share.
    Shared(&'a SharedEvent, u64),
}

impl HostMark<'_> {
    /// Reads a mark that [`HostCell::mark`] made, of an event that the caller has in use.
    #[inline]
    pub(super) fn of<'a>(Mark([place, position, time]): Mark) -> HostMark<'a> {
        if place == 0 {
            HostMark::None
        } else if place & GATE != 0 {
            HostMark::Gate((place & !GATE) as *const Gate, time.cast_signed())
        } else if place & SHARED == 0 {
            // SAFETY: the address of a stream, as neither bit is set; streams are never freed.
            let stream = unsafe { &*(place as *const HostStream) };
            HostMark::Local(Point { stream, position }, time.cast_signed())
        } else {
            // SAFETY: the bit is set in the address of an `Arc`'s shared event alone. Its cell owns it until the event is
            // released, and the caller has the event in use, by the contract of `Backend`.
            HostMark::Shared(unsafe { &*((place & !SHARED) as *const SharedEvent) }, position)
        }
    }
}

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

    fn write(self, locked: &mut super::LockedCell<'_>, [place, position, time]: [u64; 3]) {
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

    /// Returns the last mark and its time, if it is a place in a stream; `None` if the event does not last. The event need not be pinned.
    #[inline]
    pub(super) fn local_mark(self, event: Life<'_>) -> Option<(Point, i64)> {
        let words = self.cell.read(|| self.words());
        // Before the words are believed: they may be another event's, of another backend.
        if words[0] & (GATE | SHARED) != 0 || !event.lasts() {
            return None;
        }
        match HostMark::of(Mark(words)) {
            HostMark::Local(point, time) => Some((point, time)),
            _ => None,
        }
    }

    /// Sets a mark that is reached already; returns its number.
    pub(super) fn set_reached(self, stream: &'static HostStream, time: i64) -> u64 {
        let mut locked = self.cell.lock();
        let serial = locked.next_serial();
        self.write(&mut locked, [stream.token().0, 0, time.cast_unsigned()]);
        serial
    }

    /// Sets the mark of that number that `submit` makes; on failure the old one stays.
    pub(super) fn set_pending<E>(
        self,
        stream: &'static HostStream,
        submit: impl FnOnce(u64) -> std::result::Result<u64, E>,
    ) -> std::result::Result<(), E> {
        let mut locked = self.cell.lock();
        // It counts only once there is a mark: until then the stamp of the old one is still to come.
        let position = submit(self.cell.serial() + 1)?;
        locked.next_serial();
        self.write(&mut locked, [stream.token().0, position, 0]);
        Ok(())
    }

    /// Notes the time of the mark of that number, unless a later one or another event has taken its place.
    pub(super) fn stamp(self, serial: u64, time: i64) {
        let mut locked = self.cell.lock();
        if self.cell.serial() == serial {
            locked.write(|| self.state.time.store(time.cast_unsigned(), Ordering::Relaxed));
        }
    }

    /// Returns the last mark, if it is reached.
    #[inline]
    pub(super) fn reached_mark(self) -> Result<Option<Mark>> {
        let mark = self.mark();
        if let HostMark::Gate(..) = HostMark::of(mark) {
            let held = self.hold();
            let reached = super::mark_reached(held);
            HostCell::unhold(held);
            return Ok(reached?.then_some(held));
        }
        Ok(super::mark_reached(mark)?.then_some(mark))
    }

    /// Returns the last mark. If it is a gate, the gate lives until [`HostCell::unhold`].
    pub(super) fn hold(self) -> Mark {
        let mark = self.mark();
        if mark.0[0] & GATE == 0 {
            return mark;
        }
        let _locked = self.cell.lock();
        let words = self.words();
        if let HostMark::Gate(gate, _) = HostMark::of(Mark(words)) {
            // SAFETY: the cell has a count of its gate while it is locked.
            unsafe { Arc::increment_strong_count(gate) };
        }
        Mark(words)
    }

    /// Ends what [`HostCell::hold`] began, or what the cell has kept.
    pub(super) fn unhold(mark: Mark) {
        if let HostMark::Gate(gate, _) = HostMark::of(mark) {
            // SAFETY: the count of `hold` or `arm`.
            unsafe { Arc::decrement_strong_count(gate) };
        }
    }

    /// Gives the cell a closed gate, unless it has one; false if the cell has another mark.
    pub(super) fn arm(self) -> bool {
        let mut locked = self.cell.lock();
        let old = Mark(self.words());
        match self.gate() {
            Some(gate) if gate.opened().is_none() => return true,
            None if old != Mark::default() => return false,
            _ => {}
        }
        locked.next_serial();
        self.write(&mut locked, [Arc::into_raw(Gate::new()) as u64 | GATE, 0, 0]);
        HostCell::unhold(old);
        true
    }

    /// Opens the cell's gate; gives those who are to be woken. `None` if it is open, or there is none.
    pub(super) fn open(self, status: Status, time: i64) -> Option<impl Iterator<Item = Waiter> + use<>> {
        let mut locked = self.cell.lock();
        let gate = self.gate().filter(|gate| gate.opened().is_none())?;
        // First, so that whoever sees it open sees the time.
        locked.write(|| self.state.time.store(time.cast_unsigned(), Ordering::Relaxed));
        gate.open_only(status)
    }

    /// Returns the gate of the cell, which the caller has locked: the cell has a count of it.
    fn gate(self) -> Option<Arc<Gate>> {
        match HostMark::of(Mark(self.words())) {
            HostMark::Gate(gate, _) => Some(super::held(gate)),
            _ => None,
        }
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
        let shared = self.shared().map(std::ptr::from_ref);
        let old = Mark(self.words());
        // A stamp that comes late finds another number.
        locked.next_serial();
        self.write(&mut locked, [0; 3]);
        drop(locked);
        HostCell::unhold(old);
        if let Some(shared) = shared {
            // SAFETY: `share` has put it there by `into_raw`, it has just been taken out, and nobody uses the event.
            drop(unsafe { Arc::from_raw(shared) });
        }
    }
}

/// Empties a cell that the host backend uses.
pub(crate) fn clear(cell: &Cell) {
    HostCell::of(cell).clear();
}

#[cfg(all(test, not(loom)))]
#[path = "cell_tests.rs"]
mod tests;
