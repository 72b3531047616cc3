//! The CUDA backend's state in an event: its native events. Usually one; more if the event is recorded again during a
//! wait.
//!
//! A wait applies to the record that it saw. The driver's event only knows its last record, so while it is held a new
//! record uses another native event. Native events stay with their event until it ends, and longer while a thread
//! protects them.

use crate::backend::cell::{Cell, CellState, LockedCell};
use crate::error::Result;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// In the count of holds: others know the native event.
const GIVEN: u64 = 1 << 63;
/// In the count of holds: processes share the native event, or may.
const SHARED: u64 = 1 << 62;
/// A flag in an unused address bit of the current native event: its event has not recorded it yet, and it may have
/// served another event before.
const FRESH: u64 = 1;

/// The words of a cell.
#[repr(C)]
pub(super) struct CudaState {
    /// The present native event, which may be [`FRESH`].
    native: AtomicU64,
    /// The native events that were ever held, with the waits on each. Null in most events; only used under the cell's lock.
    held: AtomicPtr<Held>,
    /// Waits in progress on any of the native events, and the bits above. They are set before the native event that they concern.
    holds: AtomicU64,
}

// SAFETY: three atomics of eight bytes; zeros are an event without a native one.
unsafe impl CellState for CudaState {}

type Held = Vec<(u64, u32)>;

/// A cell of an event that is bound to a CUDA context.
#[derive(Clone, Copy)]
pub(super) struct CudaCell<'a> {
    cell: &'a Cell,
    state: &'a CudaState,
}

impl<'a> CudaCell<'a> {
    #[inline]
    pub(super) fn of(cell: &'a Cell) -> CudaCell<'a> {
        CudaCell { cell, state: cell.state() }
    }

    /// The state of the native events.
    fn held<'b>(self, _locked: &'b mut LockedCell<'_>) -> &'b mut Held {
        let mut held = self.state.held.load(Ordering::Relaxed);
        if held.is_null() {
            held = Box::into_raw(Box::default());
            self.state.held.store(held, Ordering::Relaxed);
        }
        // SAFETY: it came from `Box::into_raw`, and only `take_natives` frees it, when the event is no longer in use.
        // The lock is held for as long as the borrow.
        unsafe { &mut *held }
    }

    /// The native event, or 0.
    #[inline]
    pub(super) fn native(self) -> u64 {
        self.state.native.load(Ordering::Acquire) & !FRESH
    }

    /// The native event; 0 if the cell is empty, or if the native event is fresh, shared, or held by a wait.
    #[inline]
    pub(super) fn unheld_native(self) -> u64 {
        // In this order: the flags of the native event are visible with it.
        let native = self.state.native.load(Ordering::Acquire);
        if self.state.holds.load(Ordering::SeqCst) == 0 && native & FRESH == 0 { native } else { 0 }
    }

    /// Sets the first native event, which is fresh. `shared`: processes share it, or may. If another thread was first,
    /// returns that thread's native event.
    pub(super) fn set_native(self, event: u64, shared: bool) -> std::result::Result<(), u64> {
        if shared {
            self.state.holds.fetch_or(SHARED, Ordering::SeqCst);
        }
        self.replace_native(0, event | FRESH).map_err(|first| first & !FRESH)
    }

    fn replace_native(self, present: u64, event: u64) -> std::result::Result<(), u64> {
        self.state.native.compare_exchange(present, event, Ordering::AcqRel, Ordering::Acquire).map(drop)
    }

    /// Returns whether processes share the native event, or may.
    pub(super) fn is_shared(self) -> bool {
        self.state.holds.load(Ordering::Relaxed) & SHARED != 0
    }

    /// Holds the native event for a wait and returns it; 0 if the cell is empty.
    pub(super) fn hold(self) -> u64 {
        let mut locked = self.cell.lock();
        let native = self.native();
        if native != 0 {
            let held = &mut self.held(&mut locked);
            match held.iter_mut().find(|(event, _)| *event == native) {
                Some((_, count)) => *count += 1,
                None => held.push((native, 1)),
            }
            self.state.holds.fetch_add(1, Ordering::SeqCst);
        }
        native
    }

    /// Ends a hold.
    pub(super) fn unhold(self, native: u64) {
        let mut locked = self.cell.lock();
        let mut held = self.held(&mut locked).iter_mut();
        if let Some((_, count)) = held.find(|(event, count)| *event == native && *count > 0) {
            *count -= 1;
            self.state.holds.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// Gives the native event, if the event has recorded it or it was given before. Others know it from now on: it is the one for all
    /// further records.
    pub(super) fn give(self) -> Option<u64> {
        let native = self.state.native.load(Ordering::Acquire);
        if native == 0 || (native & FRESH != 0 && self.state.holds.load(Ordering::SeqCst) & GIVEN == 0) {
            return None;
        }
        let _locked = self.cell.lock();
        self.state.holds.fetch_or(GIVEN, Ordering::SeqCst);
        Some(self.native())
    }

    /// Like [`CudaCell::give`]; gives `new` unless there is a native event that can be given. What is not given stays with the event,
    /// and a record that has begun with it is repeated: see [`CudaCell::recorded`].
    pub(super) fn give_new(self, new: u64, shared: bool) -> u64 {
        let mut locked = self.cell.lock();
        let bits = if shared { GIVEN | SHARED } else { GIVEN };
        let given = self.state.holds.fetch_or(bits, Ordering::SeqCst) & GIVEN != 0;
        loop {
            let present = self.state.native.load(Ordering::Acquire);
            let replaces = present == 0 || (present & FRESH != 0 && !given);
            // A concurrent record may set one, or may make it sharable.
            if replaces && self.replace_native(present, new).is_err() {
                continue;
            }
            let (native, other) = if replaces { (new, present) } else { (present, new) };
            if other != 0 {
                self.held(&mut locked).push((other & !FRESH, 0));
            }
            return native & !FRESH;
        }
    }

    /// A native event for a new record, which is not held unless others know it: the present one, or else one that was held
    /// before, or a new one. It becomes the present one by [`CudaCell::recorded`].
    pub(super) fn native_to_record(self, make: impl FnOnce() -> Result<u64>) -> Result<u64> {
        let holds = self.state.holds.load(Ordering::SeqCst);
        if holds & !SHARED == 0 || holds & GIVEN != 0 {
            return Ok(self.native());
        }
        let mut locked = self.cell.lock();
        let present = self.native();
        let held = &self.held(&mut locked);
        if held.iter().all(|(event, count)| *event != present || *count == 0) {
            return Ok(present);
        }
        if let Some((event, _)) = held.iter().find(|(_, count)| *count == 0) {
            return Ok(*event);
        }
        drop(locked);
        let made = make()?;
        self.held(&mut self.cell.lock()).push((made, 0));
        Ok(made)
    }

    /// Makes the native event current after the driver has recorded it. False if another one was shared meanwhile,
    /// which must be recorded as well.
    #[inline]
    pub(super) fn recorded(self, event: u64) -> bool {
        let present = self.state.native.load(Ordering::Acquire);
        if present == event || (present == event | FRESH && self.replace_native(present, event).is_ok()) {
            return true;
        }
        let _locked = self.cell.lock();
        let free = self.native() == event || self.state.holds.load(Ordering::SeqCst) & GIVEN == 0;
        if free {
            self.state.native.store(event, Ordering::Release);
        }
        free
    }

    /// Removes all native events, the current one first, and leaves the cell empty. The event must no longer be in use.
    pub(super) fn take_natives(self) -> impl Iterator<Item = u64> {
        self.cell.end_life();
        let present = self.native();
        let held = self.state.held.load(Ordering::Relaxed);
        self.state.native.store(0, Ordering::Release);
        self.state.holds.store(0, Ordering::Relaxed);
        self.state.held.store(std::ptr::null_mut(), Ordering::Relaxed);
        // SAFETY: `held` has put it there by `Box::into_raw`, and it has just been taken out.
        let others = (!held.is_null()).then(|| unsafe { *Box::from_raw(held) });
        let others =
            others.unwrap_or_default().into_iter().map(|(event, _)| event).filter(move |event| *event != present);
        Some(present).filter(|event| *event != 0).into_iter().chain(others)
    }
}

#[cfg(test)]
#[path = "cell_tests.rs"]
mod tests;
