//! A backend's state inside an event: a few words stored inline. Each backend views them as its own type.

use crate::sync::wait_for_another;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

/// The words that a backend has in an event.
const WORDS: usize = 3;

/// The bits of a cell's version: the words are being written, and a thread has locked the cell. The others count the writes.
const WRITING: u32 = 1;
const LOCKED: u32 = 2;
const WRITTEN: u32 = 4;

/// The point in a stream that a record marked. Only the backend that set it reads the words; all zeros mean no mark.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Mark(pub(crate) [u64; WORDS]);

/// A backend's state inside an event. It is never freed, and serves one event after another.
///
/// From bind to [`super::Backend::release`] it belongs to the backend of the event's context, which sees the words as its own
/// [`CellState`] and leaves them zero.
#[derive(Default)]
pub(crate) struct Cell {
    /// Counts the marks that were set here, over all the events and backends that the cell serves.
    serial: AtomicU64,
    /// The bits above. The thread that has locked the cell changes it by plain stores.
    version: AtomicU32,
    words: [AtomicU64; WORDS],
}

/// A type that a backend keeps in a cell.
///
/// # Safety
///
/// The type consists only of 8-byte atomics, so every bit pattern is a valid value, and all zeros is the empty state. A
/// uniform size is required because a thread with a stale handle may still read the words as another backend's type:
/// atomic accesses of different sizes may not race.
pub(crate) unsafe trait CellState: Sync {}

impl Cell {
    /// Returns the words as the backend's own type. The event is bound to that backend.
    #[inline]
    pub(crate) fn state<T: CellState>(&self) -> &T {
        const {
            assert!(size_of::<T>() <= size_of::<[AtomicU64; WORDS]>());
            assert!(align_of::<T>() <= align_of::<AtomicU64>() && !std::mem::needs_drop::<T>());
        }
        // SAFETY: the assertions check that the words are large and aligned enough. `CellState` promises that `T`
        // consists of atomics, so any bits are a valid `T`, and other threads may change them during the borrow.
        unsafe { &*self.words.as_ptr().cast() }
    }

    /// Returns the words, for a backend whose marks have the same. They may be of two marks unless the caller excludes that.
    #[inline]
    pub(crate) fn words(&self) -> Mark {
        let [first, second, third] = &self.words;
        Mark([first.load(Ordering::Relaxed), second.load(Ordering::Relaxed), third.load(Ordering::Relaxed)])
    }

    /// Returns the number of the last mark, which is never used again in this cell.
    pub(crate) fn serial(&self) -> u64 {
        self.serial.load(Ordering::Relaxed)
    }

    /// Returns the cell's name in traces.
    pub(crate) fn address(&self) -> usize {
        std::ptr::from_ref(self) as usize
    }

    /// Counts a mark when the cell is emptied. No other thread uses the cell.
    pub(crate) fn end_life(&self) {
        self.serial.store(self.serial() + 1, Ordering::Relaxed);
    }

    /// Returns the words as a mark, for a backend whose marks have the same.
    #[inline]
    pub(crate) fn mark(&self) -> Mark {
        self.read(|| self.words())
    }

    /// Locks the cell for a change.
    #[inline]
    pub(crate) fn lock(&self) -> LockedCell<'_> {
        self.try_lock().unwrap_or_else(|| self.lock_in_turn())
    }

    /// Like [`Cell::lock`]; `None` if the cell is locked.
    #[inline]
    pub(crate) fn try_lock(&self) -> Option<LockedCell<'_>> {
        let version = self.version.load(Ordering::Relaxed);
        let locked = version | LOCKED;
        let lock = || self.version.compare_exchange(version, locked, Ordering::Acquire, Ordering::Relaxed);
        (version != locked && lock().is_ok()).then(|| LockedCell { cell: self })
    }

    /// The cell that the caller has locked by [`LockedCell::keep_locked`].
    #[inline]
    pub(crate) fn locked(&self) -> LockedCell<'_> {
        LockedCell { cell: self }
    }

    /// Locks a cell that another thread has locked: two threads record one event.
    #[cold]
    fn lock_in_turn(&self) -> LockedCell<'_> {
        let mut tries = 0;
        loop {
            if let Some(locked) = self.try_lock() {
                return locked;
            }
            wait_for_another(tries);
            tries += 1;
        }
    }

    /// Returns a consistent result of `load`: from before or after any [`LockedCell::write`].
    #[inline]
    pub(crate) fn read<T>(&self, load: impl Fn() -> T) -> T {
        let version = self.version.load(Ordering::Acquire);
        let value = load();
        fence(Ordering::Acquire);
        let changed = self.version.load(Ordering::Relaxed) ^ version;
        if version & WRITING == 0 && changed & !LOCKED == 0 {
            return value;
        }
        let _locked = self.lock();
        load()
    }
}

/// A cell that no other thread changes.
pub(crate) struct LockedCell<'a> {
    cell: &'a Cell,
}

impl<'a> LockedCell<'a> {
    /// The cell.
    pub(crate) fn cell(&self) -> &'a Cell {
        self.cell
    }

    /// Leaves the cell locked, for [`Cell::locked`].
    #[inline]
    pub(crate) fn keep_locked(self) {
        std::mem::forget(self);
    }

    /// Sets a new mark, for a backend whose marks have the same words.
    #[inline]
    pub(crate) fn set(&mut self, mark: Mark) {
        self.next_serial();
        self.set_words(mark);
    }

    /// Like [`LockedCell::set`], for words that do not make a new mark.
    #[inline]
    pub(crate) fn set_words(&mut self, Mark(words): Mark) {
        let cell = self.cell;
        self.write(|| cell.words.iter().zip(words).for_each(|(place, word)| place.store(word, Ordering::Relaxed)));
    }

    /// Runs `store`, which changes the words; [`Cell::read`] sees all of its changes or none.
    #[inline]
    pub(crate) fn write(&mut self, store: impl FnOnce()) {
        let version = self.cell.version.load(Ordering::Relaxed);
        self.cell.version.store(version | WRITING, Ordering::Relaxed);
        fence(Ordering::Release);
        store();
        self.cell.version.store(version.wrapping_add(WRITTEN), Ordering::Release);
    }

    /// Counts a new mark; returns its number.
    pub(crate) fn next_serial(&mut self) -> u64 {
        let serial = self.cell.serial() + 1;
        self.cell.serial.store(serial, Ordering::Relaxed);
        serial
    }
}

impl Drop for LockedCell<'_> {
    #[inline]
    fn drop(&mut self) {
        let version = self.cell.version.load(Ordering::Relaxed);
        self.cell.version.store(version & !LOCKED, Ordering::Release);
    }
}

#[cfg(test)]
#[path = "cell_tests.rs"]
mod tests;
