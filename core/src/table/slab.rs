//! The slots of one kind, in chunks that are made when first needed and never freed.

use super::cache::{BATCH, Local, Shared};
use super::guard::Guard;
use super::handle::{Handle, Kind, MAX_SLOTS};
use super::slot::{Entered, Entry, Slot};
use super::word::Word;
use crate::error::{Error, Result};
use crate::sync::{AtomicU64, Ordering};
use once_cell::race::OnceBox;
use std::thread::LocalKey;

/// Slots in a chunk.
const CHUNK: usize = 1 << 10;
const CHUNKS: usize = MAX_SLOTS as usize / CHUNK;

/// A type that has a table of its own.
pub(crate) trait Stored: Entry {
    const KIND: Kind;
    fn table() -> &'static Table<Self>;
    fn cache() -> &'static LocalKey<Local>;
}

/// All objects of one kind.
pub(crate) struct Table<T: Stored> {
    chunks: [OnceBox<[Slot<T>; CHUNK]>; CHUNKS],
    /// Slots handed out so far, in steps of a batch.
    carved: AtomicU64,
    pub(crate) free: Shared,
}

impl<T: Stored> Table<T> {
    pub(crate) const fn new() -> Table<T> {
        Table { chunks: [const { OnceBox::new() }; CHUNKS], carved: AtomicU64::new(0), free: Shared::new() }
    }

    /// Makes an object: `fill` sets the value up and gives the word its first state; then its handle becomes valid.
    pub(crate) fn insert(&'static self, fill: impl FnOnce(&T, Word) -> Word) -> Result<Handle> {
        let index = self.pop().ok_or(Error::OutOfMemory)?;
        let slot = self.slot(index).ok_or(Error::Internal)?;
        let word = slot.next_life().ok_or(Error::Internal)?;
        slot.word.publish(fill(&slot.value, word));
        Ok(Handle::new(T::KIND, word.generation(), index))
    }

    /// The word of the slot that the handle names, whether or not it is still the handle's.
    #[inline]
    pub(crate) fn word(&self, handle: Handle) -> Option<Word> {
        if handle.kind() != Some(T::KIND) {
            return None;
        }
        self.slot(handle.index()).map(|slot| slot.word.load())
    }

    /// Does the handle name a live object at this moment?
    pub(crate) fn is_live(&self, handle: Handle) -> bool {
        self.word(handle).is_some_and(|word| word.is_live() && word.generation() == handle.generation())
    }

    /// The slot of a handle, live or not.
    pub(crate) fn find(&self, handle: Handle) -> Result<&Slot<T>> {
        match handle.kind() {
            _ if handle == Handle::NULL => Err(Error::NullHandle(T::KIND)),
            Some(kind) if kind == T::KIND => match self.slot(handle.index()) {
                Some(slot) if handle.generation() <= slot.word.load().generation() && handle.generation() > 0 => {
                    Ok(slot)
                }
                _ => Err(Error::UnknownHandle(T::KIND)),
            },
            Some(found) => Err(Error::WrongKind { wanted: T::KIND, found }),
            None => Err(Error::UnknownHandle(T::KIND)),
        }
    }

    /// Takes a live object into use.
    pub(crate) fn get(&'static self, handle: Handle) -> Result<Guard<T>> {
        let slot = self.find(handle)?;
        match slot.enter(handle.generation()) {
            Entered::Yes => Ok(Guard::entered(slot, handle)),
            Entered::No { recycle } => {
                if recycle {
                    self.recycle(slot, handle.index());
                }
                Err(Error::StaleHandle(T::KIND))
            }
        }
    }

    /// Ends an object's life; its last user recycles it.
    pub(crate) fn remove(&'static self, handle: Handle) -> Result<()> {
        let slot = self.find(handle)?;
        match slot.kill(handle.generation()) {
            None => Err(Error::StaleHandle(T::KIND)),
            Some(recycle) => {
                if recycle {
                    self.recycle(slot, handle.index());
                }
                Ok(())
            }
        }
    }

    /// For the one caller whom the slot told to.
    pub(crate) fn recycle(&self, slot: &Slot<T>, index: u32) {
        slot.value.recycle(slot.word.load());
        if slot.next_life().is_some() && T::cache().try_with(|local| local.push(index)).is_err() {
            self.free.put(std::iter::once(index));
        }
    }

    /// Counts the live objects, in about a nanosecond for every slot that was ever used.
    pub(crate) fn live(&self) -> usize {
        let carved = self.carved.load(Ordering::Acquire).min(MAX_SLOTS) as u32;
        let live = |index: &u32| self.slot(*index).is_some_and(|slot| slot.word.load().is_live());
        (0..carved).filter(live).count()
    }

    #[inline]
    fn slot(&self, index: u32) -> Option<&Slot<T>> {
        let chunk = self.chunks.get(index as usize / CHUNK)?.get()?;
        chunk.get(index as usize % CHUNK)
    }

    fn pop(&'static self) -> Option<u32> {
        match T::cache().try_with(|local| local.pop(|free| self.carve(free))) {
            Ok(index) => index,
            Err(_) => self.free.pop().or_else(|| {
                let mut fresh = Vec::new();
                fresh.try_reserve(BATCH).ok()?;
                self.carve(&mut fresh);
                let index = fresh.pop();
                self.free.put(fresh.into_iter());
                index
            }),
        }
    }

    /// Adds a batch of slots that were never used; none when the table or the memory is full.
    fn carve(&self, free: &mut Vec<u32>) {
        let first = self.carved.fetch_add(BATCH as u64, Ordering::AcqRel);
        if first >= MAX_SLOTS {
            self.carved.fetch_sub(BATCH as u64, Ordering::AcqRel);
            return;
        }
        let made = self.chunks[first as usize / CHUNK].get_or_try_init(|| {
            let mut slots = Vec::new();
            slots.try_reserve_exact(CHUNK).map_err(|_| ())?;
            slots.resize_with(CHUNK, Slot::new);
            <Box<[Slot<T>; CHUNK]>>::try_from(slots.into_boxed_slice()).map_err(|_| ())
        });
        if made.is_ok() && self.free.reserve(first as usize + BATCH) {
            free.extend((first as u32..first as u32 + BATCH as u32).rev());
        }
    }
}
