//! A use of a live object: it is not recycled before the guard is dropped.

use super::handle::Handle;
use super::slab::Stored;
use super::slot::Slot;
use std::ops::Deref;

/// A live object, kept from being recycled.
pub(crate) struct Guard<T: Stored> {
    slot: &'static Slot<T>,
    handle: Handle,
}

impl<T: Stored> Guard<T> {
    /// For the table, which has entered the slot.
    pub(super) fn entered(slot: &'static Slot<T>, handle: Handle) -> Guard<T> {
        Guard { slot, handle }
    }

    pub(crate) fn handle(&self) -> Handle {
        self.handle
    }

    pub(crate) fn slot(&self) -> &'static Slot<T> {
        self.slot
    }
}

impl<T: Stored> Deref for Guard<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.slot.value
    }
}

impl<T: Stored> Drop for Guard<T> {
    fn drop(&mut self) {
        if self.slot.leave() {
            T::table().recycle(self.slot, self.handle.index());
        }
    }
}
