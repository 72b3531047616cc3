//! Handles: values that name a slot and its generation, and that look like a pointer which nobody can follow.
//!
//! A value is issued once in the life of a process. Slots are never freed, so that a stale handle reads a generation and
//! nothing else.

use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

const CHUNK: usize = 1024;
const CHUNKS: usize = 1 << 14;
const INDEX_SHIFT: u32 = 4;
const INDEX_BITS: u32 = 24;
const GENERATION_SHIFT: u32 = INDEX_SHIFT + INDEX_BITS;
const GENERATION_BITS: u32 = 28;
const TAG_SHIFT: u32 = GENERATION_SHIFT + GENERATION_BITS;
const LAST_GENERATION: u32 = (1 << GENERATION_BITS) - 1;

const _: () = assert!(CHUNK * CHUNKS == 1 << INDEX_BITS && TAG_SHIFT == 56);

/// What names an object outside. Zero names nothing.
pub(crate) type Handle = usize;

/// An object's place; its generation is odd while it is live.
struct Slot<T> {
    generation: AtomicU32,
    value: T,
}

/// All objects of one kind.
pub(crate) struct Table<T: 'static> {
    tag: u8,
    chunks: [OnceLock<Box<[Slot<T>]>>; CHUNKS],
    free: Mutex<Free>,
}

struct Free {
    slots: VecDeque<u32>,
    carved: u32,
}

impl<T: Default + Sync> Table<T> {
    /// A table whose handles have that top byte, which no address of a program's own has.
    pub(crate) const fn new(tag: u8) -> Table<T> {
        let free = Mutex::new(Free { slots: VecDeque::new(), carved: 0 });
        Table { tag, chunks: [const { OnceLock::new() }; CHUNKS], free }
    }

    /// Makes an object: `fill` sets it up, then its handle becomes valid. `None` where the table is full.
    pub(crate) fn insert(&'static self, fill: impl FnOnce(&'static T)) -> Option<Handle> {
        let index = self.pop()?;
        let slot = self.slot(index)?;
        fill(&slot.value);
        let generation = slot.generation.load(Ordering::Relaxed) + 1;
        slot.generation.store(generation, Ordering::Release);
        let tag = usize::from(self.tag) << TAG_SHIFT;
        Some(tag | (generation as usize) << GENERATION_SHIFT | (index as usize) << INDEX_SHIFT)
    }

    /// The live object of a handle. It is not freed when it ends, so that a racing destroy does no harm to memory.
    #[inline]
    pub(crate) fn get(&'static self, handle: Handle) -> Option<&'static T> {
        let (index, generation) = self.parts(handle)?;
        let slot = self.slot(index)?;
        (slot.generation.load(Ordering::Acquire) == generation).then_some(&slot.value)
    }

    /// Ends the object; `clear` lets go of what it holds before another one takes its place.
    pub(crate) fn remove(&'static self, handle: Handle, clear: impl FnOnce(&'static T)) -> Option<()> {
        let (index, generation) = self.parts(handle)?;
        let slot = self.slot(index)?;
        slot.generation.compare_exchange(generation, generation + 1, Ordering::AcqRel, Ordering::Relaxed).ok()?;
        clear(&slot.value);
        if generation + 2 < LAST_GENERATION {
            self.free.lock().slots.push_back(index);
        }
        Some(())
    }

    #[inline]
    fn parts(&self, handle: Handle) -> Option<(u32, u32)> {
        let index = (handle >> INDEX_SHIFT) as u32 & ((1 << INDEX_BITS) - 1);
        let generation = (handle >> GENERATION_SHIFT) as u32 & LAST_GENERATION;
        let fits = handle >> TAG_SHIFT == usize::from(self.tag) && handle & 0xF == 0 && generation % 2 == 1;
        fits.then_some((index, generation))
    }

    #[inline]
    fn slot(&'static self, index: u32) -> Option<&'static Slot<T>> {
        self.chunks[index as usize / CHUNK].get()?.get(index as usize % CHUNK)
    }

    fn pop(&'static self) -> Option<u32> {
        let mut free = self.free.lock();
        if let Some(index) = free.slots.pop_front() {
            return Some(index);
        }
        let index = free.carved;
        let chunk = self.chunks.get(index as usize / CHUNK)?;
        chunk.get_or_init(|| (0..CHUNK).map(|_| Slot { generation: AtomicU32::new(0), value: T::default() }).collect());
        free.carved += 1;
        Some(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_good_until_it_is_removed_and_never_again() {
        static TABLE: Table<AtomicU32> = Table::new(0xC9);
        let first = TABLE.insert(|value| value.store(7, Ordering::Relaxed)).expect("there is room");
        assert_eq!(TABLE.get(first).map(|value| value.load(Ordering::Relaxed)), Some(7));
        for near in [0, 1, 0x10, first + 1, first + 16, first ^ (1 << TAG_SHIFT), first + (1 << GENERATION_SHIFT)] {
            assert!(TABLE.get(near).is_none(), "{near:#x}");
        }
        assert_eq!(TABLE.remove(first, |_| ()), Some(()));
        assert_eq!(TABLE.remove(first, |_| ()), None);
        let second = TABLE.insert(|_| ()).expect("there is room");
        assert_ne!(first, second);
        assert!(TABLE.get(first).is_none());
        assert!(TABLE.get(second).is_some());
    }
}
