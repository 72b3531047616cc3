//! One place of a table: a word, a count of users, and the value, which is reused and never freed.

use super::word::{AtomicWord, Word};
use crate::sync::{AtomicU32, Ordering, fence};

/// A value that lives in a slot and serves one object after the other.
pub trait Recycle: Default + Send + Sync + 'static {
    /// Lets go of all that the destroyed object held; `last` is the word of the slot at the object's end. Nobody else uses the
    /// value during the call.
    fn recycle(&self, last: Word);
}

/// What came of [`Slot::enter`].
pub(crate) enum Entered {
    /// The object stays until [`Slot::leave`].
    Yes,
    /// The object is no longer live. If `recycle` is true, this caller has to recycle the slot.
    No { recycle: bool },
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

    /// Keeps the object of `generation` from being recycled.
    ///
    /// Announces the use before it looks: a destroyer that sees no user has its mark seen by every later one.
    #[inline]
    pub(crate) fn enter(&self, generation: u64) -> Entered {
        self.users.fetch_add(1, Ordering::SeqCst);
        let word = self.word.load_ordered();
        if word.is_live() && word.generation() == generation {
            return Entered::Yes;
        }
        Entered::No { recycle: self.leave() }
    }

    /// Ends a use. True: the caller has to recycle the slot.
    #[inline]
    pub(crate) fn leave(&self) -> bool {
        self.users.fetch_sub(1, Ordering::SeqCst) == 1 && self.take_if_unused()
    }

    /// Ends the object's life. `None` if it has ended before; true if the caller has to recycle the slot.
    pub(crate) fn kill(&self, generation: u64) -> Option<bool> {
        self.word.kill(generation).then(|| self.take_if_unused())
    }

    /// Returns whether the caller has to recycle the slot: its object is dead and unused, and no other thread has
    /// claimed it. The caller may have been the last user.
    ///
    /// The claim names the generation: by then the slot may have served, and lost, another object.
    #[inline]
    pub(crate) fn take_if_unused(&self) -> bool {
        let word = self.word.load_ordered();
        word.is_dead() && self.take_dead(word)
    }

    #[inline(never)]
    fn take_dead(&self, word: Word) -> bool {
        self.users.load(Ordering::SeqCst) == 0 && self.word.claim(word.generation())
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
