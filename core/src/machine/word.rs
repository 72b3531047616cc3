//! An event's word, as several threads read and change it. It shows a record in progress. A completion is remembered
//! only if no record has begun since the word was read.
//!
//! A closure supplies the backend's mark, so loom can run this without a backend.

use super::state::{self, Answer, Op, State, answer, is_known};
use crate::backend::Recorded;
use crate::error::Result;
use crate::sync::wait_for_another;
use crate::table::{Handle, Recycle, Slot, Stored, Word};

/// The answer of an event's word.
pub(crate) enum Reading<M> {
    /// There is nothing to wait for.
    Done,
    /// The backend knows whether the mark is reached; `word` is as it was before the mark was read.
    Ask { word: Word, mark: M },
}

/// Reads the event for `op`. `mark` runs after the word was read: what it finds belongs to the word's record or to a later
/// one, never to an earlier one.
pub(crate) fn read<T: Recycle, M>(slot: &Slot<T>, op: Op, mark: impl FnOnce(&T) -> M) -> Result<Reading<M>> {
    let word = slot.word.load();
    match answer(State::of(word), is_known(word), op) {
        Answer::Success => Ok(Reading::Done),
        Answer::Ask => Ok(Reading::Ask { word, mark: mark(&slot.value) }),
        Answer::Refused(error) => Err(error),
    }
}

/// Remembers that the event is done; `seen` is its word as it was before the mark was read. True if that was new.
pub(crate) fn remember<T: Recycle>(slot: &Slot<T>, seen: Word) -> bool {
    slot.word.update(|word| state::remember(word, seen)).is_some()
}

/// Returns the mark of the record that `seen` is about, and which is done; `None` if another may have taken its place.
pub(crate) fn mark_of<T: Recycle, M>(slot: &Slot<T>, seen: Word, mark: impl FnOnce(&T) -> M) -> Option<M> {
    remember(slot, seen);
    let mark = mark(&slot.value);
    state::is_same_record(slot.word.load(), seen).then_some(mark)
}

/// A record in progress. It shows in the event's word, which keeps the event from being recycled: two changes of the word cost less than those
/// and a guard. Dropped without an outcome, it has failed. It has two fields, which calls keep in registers.
pub(crate) struct Recording<'a, T: Stored> {
    slot: &'a Slot<T>,
    index: u32,
}

impl<'a, T: Stored> Recording<'a, T> {
    /// Begins a record; gives it with the word before, or `None` if the event is no longer live. `seen` is the word as it was a moment ago.
    #[inline]
    pub(crate) fn begin(slot: &'a Slot<T>, handle: Handle, seen: Word) -> Option<(Recording<'a, T>, Word)> {
        let before = begin(slot, handle.generation(), seen)?;
        Some((Recording { slot, index: handle.index() }, before))
    }

    /// The event's value.
    #[inline]
    pub(crate) fn value(&self) -> &'a T {
        &self.slot.value
    }

    /// Ends a record that began at the word `before`.
    pub(crate) fn end(self, before: Word, outcome: Recorded) {
        self.close(|word| state::end_record(word, before, Some(outcome)));
        std::mem::forget(self);
    }

    /// Ends a record that is pending.
    #[inline]
    pub(crate) fn end_pending(self) {
        self.close(|word| state::end_record(word, word, Some(Recorded::Pending)));
        std::mem::forget(self);
    }

    #[inline]
    fn close(&self, step: impl Fn(Word) -> Word) {
        let ended = self.slot.word.update(|word| Some(step(word)));
        if ended.is_some_and(|(_, word)| word.is_dead()) {
            self.slot.retire(self.index);
        }
    }
}

impl<T: Stored> Drop for Recording<'_, T> {
    fn drop(&mut self) {
        self.close(Word::end_record);
    }
}

/// Returns whether a record may be made at that word that shows only when it has been made, by [`note_made`].
#[inline]
pub(crate) fn is_open_to_made(word: Word) -> bool {
    word.recording() == 0 && !word.asks() && word.records() < Word::MAX_RECORDS
}

/// Notes a record that has just been made and that the word has not shown: it is pending. `seen` is the word as it was before. False: others
/// have noted a completion meanwhile, have recorded the event or destroyed it.
#[inline]
pub(crate) fn note_made<T: Recycle>(slot: &Slot<T>, seen: Word) -> bool {
    slot.word.replace(seen, state::recorded(seen))
}

/// Begins a record of the object of `generation`; gives the word before, or `None` if it is no longer live. `seen` is the word as it was a
/// moment ago.
#[inline]
pub(crate) fn begin<T: Recycle>(slot: &Slot<T>, generation: u64, seen: Word) -> Option<Word> {
    let step = |word: Word| state::begin_record(word).filter(|_| word.is_life_of(generation));
    slot.word.update_from(seen, step).map(|(before, _)| before).or_else(|| begin_in_turn(slot, generation))
}

/// Like [`begin`], for an event with the maximum number of records in progress.
#[cold]
fn begin_in_turn<T: Recycle>(slot: &Slot<T>, generation: u64) -> Option<Word> {
    let mine = |word: Word| word.is_life_of(generation);
    for tries in 0.. {
        let begun = slot.word.update(|word| state::begin_record(word).filter(|_| mine(word)));
        if begun.is_some() || !mine(slot.word.load()) {
            return begun.map(|(before, _)| before);
        }
        // Until one of the greatest number of records in progress has ended.
        wait_for_another(tries);
    }
    None
}

/// Revives the object of `generation`, whose destruction failed, unless its address was reused.
pub(crate) fn unkill<T: Recycle>(slot: &Slot<T>, generation: u64) {
    let mine = |word: Word| word.generation() == generation;
    slot.word.update(|word| mine(word).then(|| word.revived().with_ask()));
}
