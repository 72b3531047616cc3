//! What calls on several threads make of an event's word: a record in progress shows in it, and a completion is
//! remembered only where no record has begun since the word was read.
//!
//! The backend's mark comes from a closure, so that loom can run this without a backend.

use super::state::{self, Answer, Op, State, answer, is_known};
use crate::backend::Recorded;
use crate::error::{Error, Result};
use crate::sync::spin;
use crate::table::{Entry, Slot, Word};

/// What an event says before its backend is asked.
pub(crate) enum Look<M> {
    /// There is nothing to wait for.
    Done,
    /// The backend knows how the mark stands; `word` is as it was before the mark was read.
    Asked { word: Word, mark: M },
}

/// Looks at an event for `op`. `mark` runs after the word was read: what it finds belongs to the word's record or to a later
/// one, never to an earlier one.
pub(crate) fn look<T: Entry, M>(slot: &Slot<T>, op: Op, mark: impl FnOnce(&T) -> M) -> Result<Look<M>> {
    let word = slot.word.load();
    match answer(State::of(word), is_known(word), op) {
        Answer::Success => Ok(Look::Done),
        Answer::Ask => Ok(Look::Asked { word, mark: mark(&slot.value) }),
        Answer::NotRecorded(status) => Err(Error::NotRecorded(status)),
        Answer::Captured => Err(Error::Captured),
    }
}

/// Remembers that the event is done; `seen` is its word as it was before the mark was read. True where that was new.
pub(crate) fn remember<T: Entry>(slot: &Slot<T>, seen: Word) -> bool {
    slot.word.update(|word| state::remember(word, seen)).is_some()
}

/// The mark of the record that `seen` tells of, which is done; `None` where another may have taken its place.
pub(crate) fn settle<T: Entry, M>(slot: &Slot<T>, seen: Word, mark: impl FnOnce(&T) -> M) -> Option<M> {
    remember(slot, seen);
    let mark = mark(&slot.value);
    state::is_same_record(slot.word.load(), seen).then_some(mark)
}

/// Begins a record; gives the word before and after, or `None` where the event no longer lives.
///
/// From here to [`end`] the event is not recycled.
pub(crate) fn begin<T: Entry>(slot: &Slot<T>, generation: u64) -> Option<(Word, Word)> {
    let mine = |word: Word| word.is_live() && word.generation() == generation;
    loop {
        let begun = slot.word.update(|word| state::begin_record(word).filter(|_| mine(word)));
        if begun.is_some() || !mine(slot.word.load()) {
            return begun;
        }
        spin();
    }
}

/// Ends the record that began at the word `before`. True: the event was destroyed, and the caller has to recycle its slot.
#[must_use]
pub(crate) fn end<T: Entry>(slot: &Slot<T>, before: Word, outcome: Option<Recorded>) -> bool {
    let ended = slot.word.update(|word| Some(state::end_record(word, before, outcome)));
    ended.is_some_and(|(_, word)| word.is_dead()) && slot.take_if_unused()
}

/// As [`end`], for an event that the word does not keep from being destroyed, nor its address from being issued again.
///
/// On a destroyed event the record is left in progress, so that [`revive`] sees it.
pub(crate) fn end_unowned<T: Entry>(slot: &Slot<T>, before: Word, outcome: Recorded) {
    let mine = |word: Word| word.is_live() && word.generation() == before.generation();
    slot.word.update(|word| mine(word).then(|| state::end_record(word, before, Some(outcome))));
}

/// The next life of an address that others give out. A record of the last life that has not ended may reach the new event.
pub(crate) fn revive<T: Entry>(slot: &Slot<T>) {
    slot.word.update(|word| Some(state::revive(word)));
}

/// As [`revive`], for an address whose event others record as well: nothing is ever remembered of it.
pub(crate) fn revive_shared<T: Entry>(slot: &Slot<T>) {
    slot.word.update(|word| Some(state::revive(word).with_ask()));
}

/// The object of `generation` was not destroyed after all, unless its address was given out again.
pub(crate) fn unkill<T: Entry>(slot: &Slot<T>, generation: u64) {
    let mine = |word: Word| word.generation() == generation;
    slot.word.update(|word| mine(word).then(|| word.revived().with_ask()));
}

/// Lets nothing be known of the event. It counts as a record, so that nobody remembers what was asked before.
pub(crate) fn forget<T: Entry>(slot: &Slot<T>) {
    slot.word.update(|word| word.is_live().then(|| state::forget(word)));
}
