//! The ways in which a live object of a table is reached. Each says what it keeps from happening:
//!
//! | way | the object meanwhile | costs | for |
//! | --- | --- | --- | --- |
//! | [`Guard`], counted | may be destroyed, is not recycled | two changes of a shared counter | calls that use the object for long |
//! | [`Found`], looked up | may be destroyed and recycled at any time | a load | fields that never change during the object's life: [`Found::read`] |
//! | [`Life`], watched | the same | a load each time | steps that undo themselves, or do not take place, once it is over |
//!
//! In addition, a [pin](crate::pin) keeps CUDA's native objects from being destroyed during a driver call, and a Vulkan device from ending.
//!
//! An object that is destroyed while it is in use is recycled by its last user: [`Slot::retire`].

use super::handle::Handle;
use super::slot::{Slot, Stored};
use super::word::{AtomicWord, Word};
use crate::error::{Error, Result};
use crate::sync::{Ordering, fence};
use std::ops::Deref;

/// A live object that is not recycled while the guard lives.
pub struct Guard<'a, T: Stored> {
    slot: &'a Slot<T>,
    handle: Handle,
}

impl<'a, T: Stored> Guard<'a, T> {
    /// Takes the object into use; `None` if it is no longer live.
    #[inline]
    pub(crate) fn enter(slot: &'a Slot<T>, handle: Handle) -> Option<Guard<'a, T>> {
        slot.enter(handle).then(|| Guard { slot, handle })
    }

    pub(crate) fn handle(&self) -> Handle {
        self.handle
    }

    pub(crate) fn slot(&self) -> &'a Slot<T> {
        self.slot
    }
}

impl<T: Stored> Deref for Guard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.slot.value
    }
}

impl<T: Stored> Drop for Guard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.slot.leave(self.handle.index());
    }
}

/// A live object as a call has found it. Nothing pins it.
pub(crate) struct Found<'a, T> {
    pub(crate) slot: &'a Slot<T>,
    pub(crate) handle: Handle,
    /// As it was then.
    pub(crate) word: Word,
}

impl<T> Clone for Found<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Found<'_, T> {}

impl<'a, T> Found<'a, T> {
    /// A pinned object, as it is now.
    pub(crate) fn new(pinned: &Guard<'a, T>) -> Found<'a, T>
    where
        T: Stored,
    {
        Found { slot: pinned.slot, handle: pinned.handle, word: pinned.slot.word.load() }
    }

    /// `None` if the slot no longer serves the handle.
    #[inline]
    pub(crate) fn of(slot: &'a Slot<T>, handle: Handle) -> Option<Found<'a, T>> {
        let word = slot.word.load();
        word.is_life_of(handle.generation()).then_some(Found { slot, handle, word })
    }

    pub(crate) fn life(&self) -> Life<'a> {
        Life { word: &self.slot.word, life: self.word.life() }
    }

    /// Returns whether the object lives and its word is unchanged. What was read of the object before then belongs to it, and to the word.
    ///
    /// The fields are written before the object's word, and after the release fence of [`Slot::begin_life`]: a reader
    /// that sees a later object's field also sees that the word has changed.
    #[inline]
    pub(crate) fn is_unchanged(&self) -> bool {
        fence(Ordering::Acquire);
        self.slot.word.load() == self.word
    }

    /// Reads fields; `None` if the object was destroyed or its word has changed. `body` may see the fields of a later object, and has no
    /// effect but its result.
    #[inline]
    pub(crate) fn read<R>(&self, body: impl FnOnce(&T) -> R) -> Option<R> {
        let result = body(&self.slot.value);
        self.is_unchanged().then_some(result)
    }
}

impl<'a, T: Stored> Found<'a, T> {
    /// Pins the object, if it still lives.
    #[inline]
    pub(crate) fn pin(&self) -> Result<Guard<'a, T>> {
        Guard::enter(self.slot, self.handle).ok_or(Error::StaleHandle(T::KIND))
    }
}

/// The life of an unpinned object.
#[derive(Clone, Copy)]
pub(crate) struct Life<'a> {
    word: &'a AtomicWord,
    /// As [`Word::life`].
    life: u64,
}

impl Life<'_> {
    /// Returns whether the object has not been destroyed. False if the caller has observed, with Acquire, a write of
    /// its recycling.
    #[inline]
    pub(crate) fn lasts(self) -> bool {
        self.word.load().life() == self.life
    }
}
