//! The slots of one kind, in chunks that are made when first needed and never freed.

use super::cache::{BATCH, FreeSlots, LocalCache};
use super::guard::{Found, Guard};
use super::handle::{Handle, LAST_GENERATION, MAX_SLOTS};
use super::slot::{Slot, Stored};
use super::word::Word;
use crate::error::{Error, Result};
use crate::sync::{AtomicU64, Ordering};
use crate::thread;
use once_cell::race::OnceBox;
use std::sync::OnceLock;

/// Slots in a chunk.
#[cfg(not(miri))]
const CHUNK: usize = 1 << 10;
const CHUNKS: usize = if cfg!(miri) { 64 } else { MAX_SLOTS as usize / CHUNK };

/// Few and small ones: Miri looks at all of them whenever a table or a slot is borrowed.
#[cfg(miri)]
const CHUNK: usize = BATCH;

/// All objects of one kind. [`table!`](crate::table::table) declares one.
///
/// A new table is all zeros, so a static one takes no space in the library's file.
pub struct Table<T: Stored> {
    chunks: [OnceBox<[Slot<T>; CHUNK]>; CHUNKS],
    /// Slots handed out so far, in steps of a batch.
    carved: AtomicU64,
    free: FreeSlots,
}

/// The first generation of all slots. It is random: handles of another copy of this library, or of another process,
/// almost never match this one's.
pub(super) fn first_generation() -> u64 {
    static FIRST: OnceLock<u64> = OnceLock::new();
    *FIRST.get_or_init(|| crate::os::random() & LAST_GENERATION)
}

/// How many objects a slot had served up to `generation`.
fn lives(generation: u64) -> u64 {
    generation.wrapping_sub(first_generation()) & LAST_GENERATION
}

impl<T: Stored> Table<T> {
    /// For [`table!`](crate::table::table) alone.
    #[doc(hidden)]
    pub const fn new() -> Table<T> {
        Table { chunks: [const { OnceBox::new() }; CHUNKS], carved: AtomicU64::new(0), free: FreeSlots::new() }
    }

    /// For [`table!`](crate::table::table) alone.
    #[doc(hidden)]
    pub const fn free(&self) -> &FreeSlots {
        &self.free
    }

    /// Makes an object: `fill` sets its value up, and then its handle becomes valid.
    pub fn insert(&'static self, fill: impl FnOnce(&'static T)) -> Result<Handle> {
        self.insert_word(|value, word| {
            fill(value);
            word
        })
    }

    /// Like [`Table::insert`]; `fill` also gives the word its first state.
    pub(crate) fn insert_word(&'static self, fill: impl FnOnce(&'static T, Word) -> Word) -> Result<Handle> {
        let index = self.pop().ok_or(Error::OutOfMemory)?;
        let slot = self.slot(index).ok_or(Error::Internal)?;
        let word = slot.begin_life(first_generation()).ok_or(Error::Internal)?;
        slot.word.publish(fill(&slot.value, word));
        Ok(Handle::new(T::KIND, word.generation(), index))
    }

    /// The word of the slot that the handle names, whether or not it is still the handle's.
    #[inline]
    pub(crate) fn word(&self, handle: Handle) -> Option<Word> {
        if !handle.is_of(T::KIND) {
            return None;
        }
        self.slot(handle.index()).map(|slot| slot.word.load())
    }

    /// Finds a live object without pinning it.
    #[inline]
    pub(crate) fn find(&self, handle: Handle) -> Result<Found<'_, T>> {
        self.find_live(handle).ok_or_else(|| self.refusal(handle))
    }

    /// Like [`Table::find`], for a caller that does not ask why there is none.
    #[inline]
    pub(crate) fn find_live(&self, handle: Handle) -> Option<Found<'_, T>> {
        if handle.is_of(T::KIND) { Found::of(self.slot(handle.index())?, handle) } else { None }
    }

    /// Why there is no live object of that handle.
    #[cold]
    fn refusal(&self, handle: Handle) -> Error {
        if handle == Handle::NULL {
            return Error::NullHandle(T::KIND);
        }
        if !handle.is_of(T::KIND) {
            let refuse = |found| Error::WrongKind(T::KIND, found);
            return handle.kind().map_or(Error::UnknownHandle(T::KIND), refuse);
        }
        let was_issued =
            |slot: &Slot<T>| (1..=lives(slot.word.load().generation())).contains(&lives(handle.generation()));
        if self.slot(handle.index()).is_some_and(was_issued) {
            Error::StaleHandle(T::KIND)
        } else {
            Error::UnknownHandle(T::KIND)
        }
    }

    /// Takes a live object into use: it is not recycled before the guard is dropped.
    pub fn get(&'static self, handle: Handle) -> Result<Guard<'static, T>> {
        self.find(handle)?.pin()
    }

    /// Returns the value of a live object without keeping it: it may be destroyed at any time, and serve another object then.
    /// For values that any thread may touch at any time without harm.
    #[inline]
    pub fn peek(&'static self, handle: Handle) -> Result<&'static T> {
        self.find(handle).map(|found| &found.slot.value)
    }

    /// Ends an object's life; its last user recycles it.
    pub fn remove(&'static self, handle: Handle) -> Result<()> {
        let slot = self.find(handle)?.slot;
        if slot.kill(handle) { Ok(()) } else { Err(Error::StaleHandle(T::KIND)) }
    }

    /// For [`table!`](crate::table::table) alone: makes a slot free for the next object, or retires one whose generations would repeat.
    #[doc(hidden)]
    pub fn give_back(&self, index: u32) {
        if self.slot(index).is_none_or(|slot| slot.next_life(first_generation()).is_none()) {
            return;
        }
        if self.with_cache(|local| local.push(index)).is_none() {
            self.free.put(std::iter::once(index));
        }
    }

    /// Counts the live objects, in about a nanosecond for every slot that was ever used.
    pub(crate) fn live(&self) -> usize {
        let is_live = |index: &u32| self.slot(*index).is_some_and(|slot| slot.word.load().is_live());
        self.used().filter(is_live).count()
    }

    /// The slots that were ever used, and some more.
    fn used(&self) -> std::ops::Range<u32> {
        0..self.carved.load(Ordering::Acquire).min(MAX_SLOTS) as u32
    }

    /// Takes one live object after the other into use.
    pub(crate) fn each(&'static self, mut body: impl FnMut(Guard<'static, T>)) {
        for index in self.used() {
            if let Some(word) = self.slot(index).map(|slot| slot.word.load()).filter(|word| word.is_live())
                && let Ok(object) = self.get(Handle::new(T::KIND, word.generation(), index))
            {
                body(object);
            }
        }
    }

    #[inline]
    fn slot(&self, index: u32) -> Option<&Slot<T>> {
        let chunk = self.chunks.get(index as usize / CHUNK)?.get()?;
        chunk.get(index as usize % CHUNK)
    }

    fn pop(&self) -> Option<u32> {
        self.with_cache(|local| local.pop(|free| self.carve(free))).flatten()
    }

    /// Passes the calling thread's free slots to `body`; `None` if there is no memory for them.
    fn with_cache<R>(&self, body: impl FnOnce(&LocalCache) -> R) -> Option<R> {
        T::cache().with(|cache| (cache.is_there.get() || begin_cache::<T>(cache)).then(|| body(cache)))
    }

    /// Adds a batch of slots that were never used; none when the table or the memory is full.
    fn carve(&self, free: &mut Vec<u32>) {
        let mut first = self.carved.load(Ordering::Acquire);
        // Their memory comes first: what cannot be had uses up no slots.
        while first < MAX_SLOTS && self.make_room(first as usize) {
            let next = first + BATCH as u64;
            match self.carved.compare_exchange(first, next, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return free.extend((first as u32..next as u32).rev()),
                Err(now) => first = now,
            }
        }
    }

    /// Allocates the batch of slots from `first` on, and space for them in the free list; false if memory runs out.
    fn make_room(&self, first: usize) -> bool {
        let made = self.chunks[first / CHUNK].get_or_try_init(|| {
            let mut slots = Vec::new();
            slots.try_reserve_exact(CHUNK).map_err(|_| ())?;
            slots.resize_with(CHUNK, || Slot::new(first_generation()));
            <Box<[Slot<T>; CHUNK]>>::try_from(slots.into_boxed_slice()).map_err(|_| ())
        });
        made.is_ok() && self.free.reserve(first + BATCH)
    }
}

/// Registers the cleanup of the calling thread's free slots; false if memory runs out.
#[cold]
fn begin_cache<T: Stored>(cache: &LocalCache) -> bool {
    cache.is_there.set(thread::at_end(|| T::cache().with(LocalCache::end)));
    cache.is_there.get()
}
