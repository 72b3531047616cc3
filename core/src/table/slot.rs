//! One place of a table: a word, a count of users, and the value, which is reused and never freed.

use super::handle::Handle;
use super::word::{AtomicWord, Word};
use crate::kind::Kind;
use crate::sync::{AtomicU32, Ordering, fence};

/// A value that lives in a slot and serves one object after the other.
pub trait Recycle: Default + Send + Sync + 'static {
    /// Lets go of all that the destroyed object held; `last` is the word of the slot at the object's end. Nobody else uses the
    /// value during the call.
    fn recycle(&self, last: Word);
}

/// A type whose objects have their own table. [`table!`](crate::table::table) implements it.
pub trait Stored: Recycle {
    /// The kind of the handles.
    const KIND: Kind;

    /// Returns the free slots that the calling thread holds.
    #[cfg(not(loom))]
    #[doc(hidden)]
    fn cache() -> &'static std::thread::LocalKey<super::LocalCache>;

    /// Makes a recycled slot free for the next object.
    #[doc(hidden)]
    fn give_back(index: u32);
}

/// A slot. The value is shared; only `word` says whom it serves.
pub(crate) struct Slot<T> {
    pub(crate) word: AtomicWord,
    users: AtomicU32,
    pub(crate) value: T,
}

impl<T: Recycle> Slot<T> {
    /// A slot that was never used, and whose first object will have the generation after `generation`.
    pub(crate) fn new(generation: u64) -> Slot<T> {
        Slot { word: AtomicWord::unused(generation), users: AtomicU32::new(0), value: T::default() }
    }

    /// The word of the object that comes next, or `None` if the slot has served its last one: the generation would be
    /// `first`, with which all began, once more.
    pub(crate) fn next_life(&self, first: u64) -> Option<Word> {
        let next = self.word.load().revived();
        (next.generation() != first).then_some(next)
    }

    /// Like [`Slot::next_life`], for the free slot's owner, who then sets up the value and publishes the word.
    pub(crate) fn begin_life(&self, first: u64) -> Option<Word> {
        let word = self.next_life(first);
        // A thread that sees a later write to the value also sees the end of the last object.
        fence(Ordering::Release);
        word
    }
}

impl<T: Stored> Slot<T> {
    /// Keeps a live object from being recycled, until [`Slot::leave`]; false if it is not live.
    ///
    /// Announces the use before it looks: a destroyer that sees no user has its mark seen by every later one.
    #[inline]
    pub(crate) fn enter(&self, handle: Handle) -> bool {
        self.users.fetch_add(1, Ordering::SeqCst);
        let word = self.word.load_ordered();
        let is_live = word.is_live() && word.generation() == handle.generation();
        if !is_live {
            self.leave(handle.index());
        }
        is_live
    }

    /// Ends a use.
    #[inline]
    pub(crate) fn leave(&self, index: u32) {
        if self.users.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.retire(index);
        }
    }

    /// Ends the object's life; false if it has ended before.
    pub(crate) fn kill(&self, handle: Handle) -> bool {
        let killed = self.word.kill(handle.generation());
        if killed {
            self.retire(handle.index());
        }
        killed
    }

    /// Recycles the slot if its object is dead and unused, and no other thread does. The caller may have been the last user.
    #[inline]
    pub(crate) fn retire(&self, index: u32) {
        let word = self.word.load_ordered();
        if word.is_dead() {
            self.retire_dead(word, index);
        }
    }

    /// The claim names the generation: by then the slot may have served, and lost, another object than the caller's.
    #[inline(never)]
    fn retire_dead(&self, word: Word, index: u32) {
        if self.users.load(Ordering::SeqCst) == 0 && self.word.claim(word.generation()) {
            self.value.recycle(self.word.load());
            T::give_back(index);
        }
    }
}
