//! The state machine: an operation's answer in each state, and the next state.
//!
//! Nothing here waits, locks or asks a backend. `docs/STATES.md` holds the same table, and a test compares the two.

use crate::backend::Recorded;
use crate::error::Error;
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

/// The state's own answer to an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    /// It has completed.
    Success,
    /// Only the backend knows.
    Ask,
    /// The operation is refused.
    Refused(Error),
}

impl Answer {
    /// Why the operation is refused, if it is.
    pub(crate) fn refusal(&self) -> Option<Error> {
        match self {
            Answer::Refused(error) => Some(*error),
            Answer::Success | Answer::Ask => None,
        }
    }
}

impl State {
    pub(crate) const ALL: [State; 5] =
        [State::Complete, State::Unrecorded, State::UnrecordedStrict, State::Pending, State::Captured];

    pub(crate) fn of(word: Word) -> State {
        State::ALL[(word.state() as usize).min(State::ALL.len() - 1)]
    }
}

/// The answer of an operation. `known` is [`is_known`]: false while a record other than the first is in progress, and
/// for a native event that is shared.
pub(crate) fn answer(state: State, known: bool, op: Op) -> Answer {
    match (state, op) {
        // A stream that waits for a captured event joins its capture.
        (State::Captured, Op::Wait) => Answer::Ask,
        (State::Captured, _) => Answer::Refused(Error::Captured),
        (_, _) if !known => Answer::Ask,
        (State::Unrecorded | State::UnrecordedStrict, Op::Elapsed) => {
            Answer::Refused(Error::NotRecorded(Status::INVALID_HANDLE))
        }
        (State::UnrecordedStrict, _) => Answer::Refused(Error::NotRecorded(Status::ILLEGAL_STATE)),
        (State::Unrecorded, _) => Answer::Success,
        // The backend has to see the wait, as its stream may be captured.
        (State::Complete, Op::Wait) => Answer::Ask,
        (State::Complete, _) => Answer::Success,
        (State::Pending, _) => Answer::Ask,
    }
}

/// Begins a record. `None`: too many are in progress, and this one must wait.
pub(crate) fn begin_record(word: Word) -> Option<Word> {
    (word.recording() < Word::MAX_RECORDING).then(|| word.begin_record())
}

/// Ends a record; `before` is the word at which it began, and `outcome` is `None` if it failed.
///
/// Only a record without concurrent ones knows the backend's state; after any other the backend must be asked.
#[inline]
pub(crate) fn end_record(word: Word, before: Word, outcome: Option<Recorded>) -> Word {
    let ended = word.end_record();
    let alone = before.recording() == 0 && word.recording() == 1 && word.records() == before.begin_record().records();
    let state = match outcome {
        None => return ended,
        // Others record the event from now on.
        Some(Recorded::External) => return ended.with_ask(),
        Some(Recorded::Captured) => State::Captured,
        Some(Recorded::Complete) if alone => State::Complete,
        Some(Recorded::Complete | Recorded::Pending) => State::Pending,
    };
    ended.with_state(state as u64)
}

/// A record was made at a word in which no other was in progress, and is pending.
#[inline]
pub(crate) fn recorded(word: Word) -> Word {
    end_record(word.begin_record(), word, Some(Recorded::Pending))
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

/// Returns whether `word` is about the same record as `seen`, which had ended by then.
pub(crate) fn is_same_record(word: Word, seen: Word) -> bool {
    seen.recording() == 0 && word.recording() == 0 && word.records() == seen.records()
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
