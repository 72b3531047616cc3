//! Query: is the last record done?

use super::event::{self, Event};
use super::state::{self, Answer, Op, State, answer, is_known};
use crate::backend::Mark;
use crate::error::{Error, Result};
use crate::process;
use crate::table::{Guard, Handle, Stored, Word};

/// The fast path: one look-up and one load tell that the event is done, or was never recorded. False tells nothing.
#[inline]
pub(crate) fn is_settled(handle: Handle) -> bool {
    let settled = |word: Word| word.is_settled(handle.generation(), State::Unrecorded as u64);
    Event::table().word(handle).is_some_and(settled) && process::is_calm()
}

/// Is the event done?
pub(crate) fn query(handle: Handle) -> Result<bool> {
    if is_settled(handle) {
        return Ok(true);
    }
    let event = event::get(handle)?;
    match look(&event, Op::Query)? {
        Look::Done => Ok(true),
        Look::Asked { word, mark } => ask(&event, word, mark),
    }
}

/// What an event says before its backend is asked.
pub(crate) enum Look {
    /// There is nothing to wait for.
    Done,
    /// The backend knows how the mark stands; `word` is as it was before the mark was read.
    Asked { word: Word, mark: Mark },
}

/// Looks at an event for `op`.
pub(crate) fn look(event: &Guard<Event>, op: Op) -> Result<Look> {
    let context = event.context();
    if let Some(context) = context.filter(|_| !process::is_calm()) {
        context.check()?;
    }
    let word = event.slot().word.load();
    match answer(State::of(word), is_known(word), op) {
        Answer::Success => Ok(Look::Done),
        Answer::Ask => {
            let mark = context.map_or_else(Mark::default, |context| context.backend.mark(&event.cell));
            Ok(Look::Asked { word, mark })
        }
        Answer::NotRecorded(status) => Err(Error::NotRecorded(status)),
        Answer::Captured => Err(Error::Captured),
    }
}

/// Asks the backend, and remembers that the event is done unless it is being recorded again.
pub(crate) fn ask(event: &Guard<Event>, word: Word, mark: Mark) -> Result<bool> {
    let Some(context) = event.context() else { return Ok(true) };
    let reached = context.backend.reached(mark)?;
    if reached {
        remember(event, word);
    }
    Ok(reached)
}

/// Remembers that the event is done; `seen` is its word as it was before the mark was read.
pub(crate) fn remember(event: &Guard<Event>, seen: Word) {
    event.slot().word.update(|word| state::remember(word, seen));
}
