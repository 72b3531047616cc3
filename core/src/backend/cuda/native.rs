//! The native events of one event: one as a rule, and more where it is recorded again while somebody waits.
//!
//! A wait means the record that it saw. As the driver's event only knows its last record, a new record takes another native
//! event while the present one is held. Native events stay with their event until it ends, so that a query that has read
//! one of them never finds it gone.

use crate::backend::Cell;
use crate::error::Result;
use std::sync::atomic::Ordering;

/// In the count of holds: others know the native event.
const GIVEN: u32 = 1 << 31;

impl Cell {
    /// The native event; 0 where there is none.
    pub(crate) fn native(&self) -> u64 {
        self.native.load(Ordering::Acquire)
    }

    /// Sets the native event; where another thread was first, gives the one that it has set.
    pub(crate) fn set_native(&self, event: u64) -> std::result::Result<(), u64> {
        self.native.compare_exchange(0, event, Ordering::AcqRel, Ordering::Acquire).map(drop)
    }

    /// Holds the native event for a wait, and gives it; 0 where there is none.
    pub(crate) fn hold(&self) -> u64 {
        let mut inner = self.inner.lock();
        let native = self.native();
        if native != 0 {
            let held = &mut inner.held.get_or_insert_default().0;
            match held.iter_mut().find(|(event, _)| *event == native) {
                Some((_, count)) => *count += 1,
                None => held.push((native, 1)),
            }
            self.holds.fetch_add(1, Ordering::SeqCst);
        }
        native
    }

    /// Ends a hold.
    pub(crate) fn unhold(&self, native: u64) {
        let mut inner = self.inner.lock();
        let mut held = inner.held.iter_mut().flat_map(|held| held.0.iter_mut());
        if let Some((_, count)) = held.find(|(event, count)| *event == native && *count > 0) {
            *count -= 1;
            self.holds.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// Others know the native event from now on: it is the one for all further records. Gives it.
    pub(crate) fn give(&self) -> u64 {
        let _locked = self.inner.lock();
        self.holds.fetch_or(GIVEN, Ordering::SeqCst);
        self.native()
    }

    /// A native event for a new record, which is not held unless others know it: the present one, or else one that was held
    /// before, or a new one. It becomes the present one by [`Cell::recorded`].
    pub(crate) fn native_to_record(&self, make: impl FnOnce() -> Result<u64>) -> Result<u64> {
        let holds = self.holds.load(Ordering::SeqCst);
        if holds == 0 || holds & GIVEN != 0 {
            return Ok(self.native());
        }
        let mut inner = self.inner.lock();
        let present = self.native();
        let held = &inner.held.get_or_insert_default().0;
        if held.iter().all(|(event, count)| *event != present || *count == 0) {
            return Ok(present);
        }
        if let Some((event, _)) = held.iter().find(|(_, count)| *count == 0) {
            return Ok(*event);
        }
        drop(inner);
        let made = make()?;
        self.inner.lock().held.get_or_insert_default().0.push((made, 0));
        Ok(made)
    }

    /// The driver has recorded that native event: it is the present one. False where others know another one meanwhile, which
    /// has to be recorded too.
    pub(crate) fn recorded(&self, event: u64) -> bool {
        if event == self.native() {
            return true;
        }
        let _locked = self.inner.lock();
        let free = self.holds.load(Ordering::SeqCst) & GIVEN == 0;
        if free {
            self.native.store(event, Ordering::Release);
        }
        free
    }

    /// Takes all native events away, the present one first.
    pub(crate) fn take_natives(&self) -> impl Iterator<Item = u64> {
        let present = self.native.swap(0, Ordering::AcqRel);
        self.holds.fetch_and(!GIVEN, Ordering::SeqCst);
        let others = self.inner.lock().held.take().into_iter().flat_map(|held| held.0);
        let others = others.map(|(event, _)| event).filter(move |event| *event != present);
        Some(present).filter(|event| *event != 0).into_iter().chain(others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_native_event_is_not_recorded_again() {
        let cell = Cell::default();
        assert_eq!(cell.set_native(10), Ok(()));
        assert_eq!(cell.native_to_record(|| unreachable!("nobody waits")), Ok(10));
        assert_eq!(cell.hold(), 10);
        assert_eq!(cell.native_to_record(|| Ok(11)), Ok(11));
        // A record that failed changes nothing, and what was made for it serves the next one.
        assert_eq!(cell.native(), 10);
        assert_eq!(cell.native_to_record(|| unreachable!("11 is free")), Ok(11));
        assert!(cell.recorded(11));
        assert_eq!(cell.hold(), 11);
        assert_eq!(cell.native_to_record(|| Ok(12)), Ok(12));
        assert!(cell.recorded(12));
        cell.unhold(10);
        assert_eq!(cell.hold(), 12);
        assert_eq!(cell.native_to_record(|| unreachable!("10 is free again")), Ok(10));
        // Somebody is told of 12 while 10 is being recorded.
        assert_eq!(cell.give(), 12);
        assert!(!cell.recorded(10));
        assert_eq!(cell.native_to_record(|| unreachable!("others know 12")), Ok(12));
        assert!(cell.recorded(12));
        let mut all: Vec<u64> = cell.take_natives().collect();
        assert_eq!(all.first(), Some(&12));
        all.sort_unstable();
        assert_eq!(all, [10, 11, 12]);
        assert_eq!(cell.native(), 0);
    }
}
