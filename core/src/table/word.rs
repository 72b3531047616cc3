//! The word of a slot: generation, life cycle and, for an event, its records.
//!
//! One word holds all that a query of a completed event needs, so one load decides it.

use super::field::Field;
use super::handle::LAST_GENERATION;
use crate::sync::{AtomicU64, Ordering};

/// Bits that the slot's owner defines; an event keeps its state there.
const STATE: Field = Field::first(3);
/// Set while the backend has to be asked every time.
const ASK: Field = STATE.then(1);
/// Set from destroy until the last user leaves.
const DEAD: Field = ASK.then(1);
/// Set while the slot names nothing.
const FREE: Field = DEAD.then(1);
/// Records in progress, of a driver's event alone.
const RECORDING: Field = FREE.then(5);
/// How many records there were, modulo the field's length.
const RECORDS: Field = RECORDING.then(25);
const GENERATION: Field = RECORDS.then(28);

const _: () = assert!(GENERATION.end() == 64 && GENERATION.max() == LAST_GENERATION);

/// One value of a slot's word. Only the core interprets it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Word(pub(crate) u64);

impl Word {
    /// The greatest count of records; the next one begins again from zero.
    pub(crate) const MAX_RECORDS: u64 = RECORDS.max();

    /// So many of the lowest bits are zero in a word that is known to be complete.
    pub(crate) const COMPLETE_ZEROS: u32 = RECORDING.end();

    pub(crate) const fn generation(self) -> u64 {
        GENERATION.get(self.0)
    }
    pub(crate) const fn is_live(self) -> bool {
        self.0 & (DEAD.mask() | FREE.mask()) == 0
    }
    /// Returns what the words of one life have in common, and no others.
    pub(crate) const fn life(self) -> u64 {
        self.0 & (GENERATION.mask() | DEAD.mask() | FREE.mask())
    }
    /// Returns whether the object of that generation lives.
    pub(crate) const fn is_life_of(self, generation: u64) -> bool {
        self.life() == GENERATION.set(0, generation)
    }
    pub(crate) const fn is_free(self) -> bool {
        FREE.get(self.0) != 0
    }
    pub(crate) const fn is_dead(self) -> bool {
        DEAD.get(self.0) != 0
    }
    pub(crate) const fn state(self) -> u64 {
        STATE.get(self.0)
    }
    pub(crate) const fn with_state(self, state: u64) -> Word {
        Word(STATE.set(self.0, state))
    }
    pub(crate) const fn asks(self) -> bool {
        ASK.get(self.0) != 0
    }
    pub(crate) const fn with_ask(self) -> Word {
        Word(ASK.set(self.0, 1))
    }
    pub(crate) const fn recording(self) -> u64 {
        RECORDING.get(self.0)
    }
    /// Returns whether the greatest number of records is in progress; a further one waits for its turn.
    pub(crate) const fn is_full(self) -> bool {
        self.recording() == RECORDING.max()
    }
    pub(crate) const fn records(self) -> u64 {
        RECORDS.get(self.0)
    }
    /// The word with another count of records, for tests that are about a great one.
    #[cfg(test)]
    pub(crate) const fn with_records(self, records: u64) -> Word {
        Word(RECORDS.set(self.0, records))
    }
    pub(crate) const fn begin_record(self) -> Word {
        Word(RECORDING.set(self.0, self.recording() + 1)).count_record()
    }
    /// As if a record had begun and ended.
    pub(crate) const fn count_record(self) -> Word {
        Word(RECORDS.set(self.0, self.records() + 1))
    }
    pub(crate) const fn end_record(self) -> Word {
        Word(RECORDING.set(self.0, self.recording() - 1))
    }
    /// Returns whether the slot is live in `generation` and in a state of at most `state`, with no record in progress and no
    /// need to ask the backend. One comparison.
    pub(crate) const fn is_known_to_be(self, generation: u64, state: u64) -> bool {
        let known = self.0 & !(RECORDS.mask() | STATE.mask()) == GENERATION.set(0, generation);
        known && self.state() <= state
    }

    /// A free slot's word, whose last object had that generation.
    pub(super) const fn free(generation: u64) -> Word {
        Word(GENERATION.set(FREE.mask(), generation))
    }

    /// The word with which the next generation begins.
    pub(crate) const fn revived(self) -> Word {
        Word(GENERATION.set(0, self.generation() + 1))
    }
    const fn killed(self) -> Word {
        Word(DEAD.set(self.0, 1))
    }
    /// Nobody uses the slot: it keeps its generation, and the state in which its object died.
    const fn freed(self) -> Word {
        Word(DEAD.set(FREE.set(self.0, 1), 0))
    }
}

/// The word in memory, with the changes that the table makes to it.
pub(crate) struct AtomicWord(AtomicU64);

impl AtomicWord {
    /// The word of a slot that was never used, and whose first object will have the generation after this one.
    pub(crate) fn unused(generation: u64) -> AtomicWord {
        AtomicWord(AtomicU64::new(Word::free(generation).0))
    }

    #[inline]
    pub(crate) fn load(&self) -> Word {
        Word(self.0.load(Ordering::Acquire))
    }

    /// For the free slot's owner alone: makes it live.
    pub(crate) fn publish(&self, word: Word) {
        self.0.store(word.0, Ordering::Release);
    }

    /// Changes the word by `step` until it fits; gives the word before and after, or `None` as soon as `step` declines.
    #[inline]
    pub(crate) fn update(&self, step: impl Fn(Word) -> Option<Word>) -> Option<(Word, Word)> {
        let mut seen = self.load();
        loop {
            let next = step(seen)?;
            if next == seen {
                return Some((seen, seen));
            }
            match self.0.compare_exchange_weak(seen.0, next.0, Ordering::SeqCst, Ordering::Acquire) {
                Ok(_) => return Some((seen, next)),
                Err(now) => seen = Word(now),
            }
        }
    }

    /// Changes the word from `seen`; false if it is another one.
    #[inline]
    pub(crate) fn replace(&self, seen: Word, next: Word) -> bool {
        self.0.compare_exchange(seen.0, next.0, Ordering::SeqCst, Ordering::Relaxed).is_ok()
    }

    /// Marks the slot of `generation` as destroyed; false where it is no longer live.
    pub(crate) fn kill(&self, generation: u64) -> bool {
        let step = |w: Word| (w.is_live() && w.generation() == generation).then(|| w.killed());
        self.update(step).is_some()
    }

    /// Claims the dead object of `generation` for cleanup, if no record is in progress. Only one caller gets it.
    pub(crate) fn claim(&self, generation: u64) -> bool {
        let due = |w: Word| w.is_dead() && w.generation() == generation && w.recording() == 0;
        self.update(|w| due(w).then(|| w.freed())).is_some()
    }

    /// For a reader that must come after its own earlier writes in the one order of all threads.
    pub(crate) fn load_ordered(&self) -> Word {
        Word(self.0.load(Ordering::SeqCst))
    }
}
