//! The state machine: an operation's answer in each state, and the next state.
//!
//! Nothing here waits, locks or asks a backend. `docs/STATES.md` holds the same table, and a test compares the two.

use crate::backend::Recorded;
use crate::error::{Error, Result};
use crate::status::Status;
use crate::table::Word;

/// The state of an event, as its word holds it. The first two let a query answer from the word alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum State {
    /// The last record is done.
    Complete = 0,
    /// No record yet.
    Unrecorded = 1,
    /// No record yet, and the event was created STRICT.
    UnrecordedStrict = 2,
    /// Recorded; not known to be done.
    Pending = 3,
    /// Last recorded in a capture.
    Captured = 4,
}

/// The operations on an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Op {
    /// Whether it is done, or when it will be: queries, syncs and callbacks.
    Query,
    /// A stream waits.
    Wait,
    /// One end of an elapsed time.
    Elapsed,
}

impl State {
    pub(crate) const ALL: [State; 5] =
        [State::Complete, State::Unrecorded, State::UnrecordedStrict, State::Pending, State::Captured];

    pub(crate) fn of(word: Word) -> State {
        State::ALL[(word.state() as usize).min(State::ALL.len() - 1)]
    }
}

/// Returns whether the word's event has completed; false if only the backend knows. Fails if the operation is refused.
pub(crate) fn answer(word: Word, op: Op) -> Result<bool> {
    match (State::of(word), op) {
        // A stream that waits for a captured event joins its capture.
        (State::Captured, Op::Wait) => Ok(false),
        (State::Captured, _) => Err(Error::Captured),
        _ if !is_known(word) => Ok(false),
        (State::Unrecorded | State::UnrecordedStrict, Op::Elapsed) => Err(Error::NotRecorded(Status::INVALID_HANDLE)),
        (State::UnrecordedStrict, _) => Err(Error::NotRecorded(Status::ILLEGAL_STATE)),
        (State::Unrecorded, _) => Ok(true),
        // The backend has to see the wait, as its stream may be captured.
        (State::Complete, Op::Wait) => Ok(false),
        (State::Complete, _) => Ok(true),
        (State::Pending, _) => Ok(false),
    }
}

/// A record was made; without an outcome, it has failed. `before` is the word from before the record.
///
/// Only a record without concurrent ones knows the backend's state; after any other the backend must be asked.
#[inline(always)]
pub(crate) fn record(word: Word, before: Word, outcome: Option<Recorded>) -> Word {
    let alone = word.records() == before.records();
    let counted = word.count_record();
    match outcome {
        None => counted,
        // Others record the event from now on.
        Some(Recorded::External) => counted.with_ask(),
        Some(Recorded::Complete) if !alone => counted.with_state(State::Pending as u64),
        Some(recorded) => counted.with_state(recorded as u64),
    }
}

/// The backend said that the event is done; `seen` is the word that was read before it was asked.
///
/// `None`: not to be remembered, because a record has begun since, or the native event is shared.
pub(crate) fn remember(word: Word, seen: Word) -> Option<Word> {
    let same = word == seen && seen.recording() == 0 && !seen.asks() && State::of(seen) == State::Pending;
    same.then(|| word.with_state(State::Complete as u64))
}

/// Returns whether the word alone determines its event's state.
///
/// It does until the first record ends: until then no record has taken effect.
pub(crate) fn is_known(word: Word) -> bool {
    let unrecorded = matches!(State::of(word), State::Unrecorded | State::UnrecordedStrict);
    !word.asks() && (word.recording() == 0 || unrecorded)
}

/// The word of the next event at an address that the driver issues; a record of the last event may still reach it.
pub(crate) fn revive(word: Word) -> Word {
    let next = word.revived().with_state(State::Unrecorded as u64);
    if word.recording() == 0 { next } else { next.with_ask() }
}

/// Only the backend knows from now on, and its earlier answers are out of date.
pub(crate) fn forget(word: Word) -> Word {
    word.count_record().with_state(State::Pending as u64)
}
