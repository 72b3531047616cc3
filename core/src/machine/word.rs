//! An event's word, as several threads read and change it. It shows a record in progress. A completion is remembered
//! only if no record has begun since the word was read.
//!
//! A closure supplies the backend's mark, so loom can run this without a backend.

use super::state::{self, Answer, Op, State, answer, is_known};
use crate::backend::Recorded;
use crate::error::Result;
use crate::sync::wait_for_another;
use crate::table::{Handle, Recording, Recycle, Slot, Stored, Word};

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

/// Begins a record; gives it with the word that shows it, or `None` if the event is no longer live. `seen` is the word as it was a moment
/// ago.
pub(crate) fn begin<T: Stored>(slot: &Slot<T>, handle: Handle, seen: Word) -> Option<(Recording<'_, T>, Word)> {
    let (before, now) = begin_unowned(slot, handle.generation(), seen)?;
    Some((Recording::begun(slot, handle.index(), before), now))
}

/// Ends a record; `outcome` is `None` if it failed.
pub(crate) fn end<T: Stored>(recording: Recording<'_, T>, outcome: Option<Recorded>) {
    let before = recording.before();
    recording.end(|word| state::end_record(word, before, outcome));
}

/// Returns whether a record may be made at that word that shows only when it has been made, by [`note_made`].
#[inline]
pub(crate) fn is_open_to_made(word: Word) -> bool {
    word.recording() == 0 && !word.asks() && word.records() < Word::MAX_RECORDS
}

/// Notes a record that has just been made and that the word has not shown: it is pending. `seen` is the word as it was before. Others may
/// have noted a completion meanwhile, or may have recorded the event; if they have destroyed it, nothing is noted. `wrapped` is
/// called if the word's count of records has wrapped.
#[inline]
pub(crate) fn note_made<T: Stored>(slot: &Slot<T>, handle: Handle, seen: Word, wrapped: impl FnOnce(&T)) {
    if !slot.word.replace(seen, state::recorded(seen)) {
        note_made_late(slot, handle, wrapped);
    }
}

#[cold]
fn note_made_late<T: Stored>(slot: &Slot<T>, handle: Handle, wrapped: impl FnOnce(&T)) {
    if let Some((recording, now)) = begin(slot, handle, slot.word.load()) {
        if now.records() == 0 {
            wrapped(&slot.value);
        }
        end(recording, Some(Recorded::Pending));
    }
}

/// Like [`begin`], for an event that the word does not keep from being destroyed, nor its address from being issued again. Gives
/// the word before and after.
#[inline]
pub(crate) fn begin_unowned<T: Recycle>(slot: &Slot<T>, generation: u64, seen: Word) -> Option<(Word, Word)> {
    let step = |word: Word| state::begin_record(word).filter(|_| word.is_life_of(generation));
    slot.word.update_from(seen, step).or_else(|| begin_in_turn(slot, generation))
}

/// Like [`begin_unowned`], for an event with the maximum number of records in progress.
#[cold]
fn begin_in_turn<T: Recycle>(slot: &Slot<T>, generation: u64) -> Option<(Word, Word)> {
    let mine = |word: Word| word.is_life_of(generation);
    for tries in 0.. {
        let begun = slot.word.update(|word| state::begin_record(word).filter(|_| mine(word)));
        if begun.is_some() || !mine(slot.word.load()) {
            return begun;
        }
        // Until one of the greatest number of records in progress has ended.
        wait_for_another(tries);
    }
    None
}

/// Like [`end`], for a record that [`begin_unowned`] began at the word `before`.
///
/// On a destroyed event the record stays in progress, where the next life of the address sees it.
pub(crate) fn end_unowned<T: Recycle>(slot: &Slot<T>, before: Word, outcome: Recorded) {
    let mine = |word: Word| word.is_live() && word.generation() == before.generation();
    slot.word.update(|word| mine(word).then(|| state::end_record(word, before, Some(outcome))));
}

/// Revives the object of `generation`, whose destruction failed, unless its address was reused.
pub(crate) fn unkill<T: Recycle>(slot: &Slot<T>, generation: u64) {
    let mine = |word: Word| word.generation() == generation;
    slot.word.update(|word| mine(word).then(|| word.revived().with_ask()));
}
