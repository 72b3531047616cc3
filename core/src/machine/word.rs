//! An event's word, as several threads read and change it. A completion is remembered only if no record has been noted since the word was
//! read.
//!
//! A closure supplies the backend's mark, so loom can run this without a backend.

use super::state::{self, Op, answer};
use crate::backend::Recorded;
use crate::error::Result;
use crate::table::{Recycle, Slot, Word};

/// Reads the event for `op`: `None` if there is nothing to wait for. Otherwise only the backend knows: gives the word, and what `look` finds
/// after the word was read. That belongs to the word's record or to a later one, never to an earlier one.
pub(crate) fn read<T: Recycle, R>(slot: &Slot<T>, op: Op, look: impl FnOnce(&T) -> R) -> Result<Option<(Word, R)>> {
    let word = slot.word.load();
    Ok(if answer(word, op)? { None } else { Some((word, look(&slot.value))) })
}

/// Remembers that the event is done; `seen` is its word as it was before the mark was read. True if that was new.
pub(crate) fn remember<T: Recycle>(slot: &Slot<T>, seen: Word) -> bool {
    slot.word.update(|word| state::remember(word, seen)).is_some()
}

/// Notes a record that has been made; without an outcome, it has failed. `seen` is the word from before the record. Until this call
/// the word is that of the previous record.
///
/// The caller need not pin the event: nothing is noted if the slot serves another one by now. Returns whether the count of records has begun anew.
#[inline(always)]
pub(crate) fn note<T: Recycle>(slot: &Slot<T>, seen: Word, outcome: Option<Recorded>) -> bool {
    let is_usual = seen.records() != Word::MAX_RECORDS;
    let noted = is_usual && slot.word.replace(seen, state::record(seen, seen, outcome));
    !noted && note_late(slot, seen, outcome)
}

/// Like [`note`], also in a word that has changed meanwhile.
#[cold]
fn note_late<T: Recycle>(slot: &Slot<T>, seen: Word, outcome: Option<Recorded>) -> bool {
    // A dead event as well: how it was recorded matters when it is recycled.
    let is_it = |word: Word| !word.is_free() && word.generation() == seen.generation();
    let noted = slot.word.update(|word| is_it(word).then(|| state::record(word, seen, outcome)));
    noted.is_some_and(|(before, _)| before.records() == Word::MAX_RECORDS)
}
