//! One place of a table: a word, a count of users, and the value, which is reused and never freed.

use super::word::{AtomicWord, Word};
use crate::sync::{AtomicU32, Ordering};

/// A value that lives in a slot and serves one object after the other.
pub(crate) trait Entry: Default + Send + Sync + 'static {
    /// Lets go of all that the destroyed object held; `last` tells the state in which it died. Nobody else uses the value
    /// during the call.
    fn recycle(&self, last: Word);
}

/// What came of [`Slot::enter`].
pub(crate) enum Entered {
    /// The object stays until [`Slot::leave`].
    Yes,
    /// The object no longer lives. Where `recycle` is true, this caller has to recycle the slot.
    No { recycle: bool },
}

/// A slot. The value is shared; only `word` says whom it serves.
pub(crate) struct Slot<T> {
    pub(crate) word: AtomicWord,
    users: AtomicU32,
    pub(crate) value: T,
}

impl<T: Entry> Slot<T> {
    pub(crate) fn new() -> Slot<T> {
        Slot { word: AtomicWord::unused(), users: AtomicU32::new(0), value: T::default() }
    }

    /// Keeps the object of `generation` from being recycled.
    ///
    /// Announces the use before it looks: a destroyer that sees no user has its mark seen by every later one.
    pub(crate) fn enter(&self, generation: u64) -> Entered {
        self.users.fetch_add(1, Ordering::SeqCst);
        let word = self.word.load_ordered();
        if word.is_live() && word.generation() == generation {
            return Entered::Yes;
        }
        Entered::No { recycle: self.leave() }
    }

    /// Ends a use. True: the caller has to recycle the slot.
    pub(crate) fn leave(&self) -> bool {
        self.users.fetch_sub(1, Ordering::SeqCst) == 1 && self.take_if_unused()
    }

    /// Ends the object's life. `None` where it has ended before; true where the caller has to recycle the slot.
    pub(crate) fn kill(&self, generation: u64) -> Option<bool> {
        self.word.kill(generation).then(|| self.take_if_unused())
    }

    /// Is this slot dead and without users, and nobody else recycles it? For whoever may have been its last user.
    ///
    /// The claim names the generation: by then the slot may have served, and lost, another object.
    pub(crate) fn take_if_unused(&self) -> bool {
        let word = self.word.load_ordered();
        word.is_dead() && self.users.load(Ordering::SeqCst) == 0 && self.word.claim(word.generation())
    }

    /// The word of the object that comes next, or `None` where the slot has served its last one.
    pub(crate) fn next_life(&self) -> Option<Word> {
        let word = self.word.load();
        (word.generation() < super::handle::LAST_GENERATION).then(|| word.revived())
    }
}
