//! The state of events whose handles are the driver's pointers, for gevt's crates. Not part of gevt's interface: it may
//! change with every version.
//!
//! Such an event has neither a gevt handle nor a backend: its user calls the driver and reports the result.

use crate::machine::state::{self, Op, State};
use crate::machine::word;
use crate::sync::wait_for_another;
use crate::table::{Recycle, Slot, Word};

/// No state besides the word.
#[derive(Default)]
struct Nothing;

impl Recycle for Nothing {
    fn recycle(&self, _: Word) {}
}

/// The known state of the events that a driver issues, one after another, at one address.
pub struct NativeEvent(Slot<Nothing>);

/// An event as it was at a time, such as before the driver was asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Seen(Word);

/// A record in progress, by the generation of its event. [`NativeEvent::end`] ends it, whether it succeeded or not.
#[must_use]
pub struct Record(u64);

/// A destroyed event, which the driver may refuse to destroy.
#[must_use]
pub struct Killed(u64);

/// Returns whether a driver code means that a context and its events are unusable from now on.
#[cfg(not(loom))]
pub fn ends_context(code: i32) -> bool {
    u32::try_from(code).is_ok_and(crate::backend::cuda::is_fatal)
}

impl Seen {
    /// Returns whether an event lives there.
    #[inline]
    pub fn is_live(self) -> bool {
        self.0.is_live()
    }

    /// Returns whether the place serves no address: it never did, or was freed.
    pub fn is_free(self) -> bool {
        !self.0.is_live() && !self.0.is_dead()
    }

    /// Returns whether the driver has said that the event is complete, and nothing has come since. False means unknown.
    #[inline]
    pub fn is_complete(self) -> bool {
        self.0.is_known_to_be(self.0.generation(), State::Complete as u64)
    }

    /// Returns whether the event is live, not known to be recorded, and has no record in progress.
    #[inline]
    pub fn is_unrecorded(self) -> bool {
        // The count is never 0 again: see `count_past_zero`.
        self.0.records() == 0 && self.0.recording() == 0 && self.0.is_live() && !self.0.asks()
    }

    /// Returns whether the event is live, and known to be complete or never recorded. Otherwise only the driver knows.
    #[inline]
    pub fn is_done(self) -> bool {
        self.is_live() && state::answer(self.0, Op::Query) == Ok(true)
    }

    /// Returns how many records have begun, modulo a large power of two.
    pub fn records(self) -> u64 {
        self.0.records()
    }
}

impl NativeEvent {
    /// An address without an event so far.
    #[expect(clippy::new_without_default, reason = "an event that is dead is no natural default")]
    pub fn new() -> NativeEvent {
        NativeEvent(Slot::new(0))
    }

    /// Returns the event as it stands.
    #[inline]
    pub fn seen(&self) -> Seen {
        Seen(self.0.word.load())
    }

    /// The driver has issued the address: a never-recorded event now lives there, replacing any earlier one. Returns
    /// false, and changes nothing, if the word is no longer the one that was seen. About a shared event the driver is asked every time.
    pub fn revive(&self, seen: Seen, is_shared: bool) -> bool {
        let revived = |word| if is_shared { state::revive(word).with_ask() } else { state::revive(word) };
        self.0.word.update(|word| (word == seen.0).then(|| revived(word))).is_some()
    }

    /// Frees the slot of a destroyed event for another address. Returns false if an event lives there, or a record of a
    /// dead one has not ended.
    pub fn free(&self) -> bool {
        self.0.word.claim(self.0.word.load().generation())
    }

    /// The event that was seen is about to be destroyed; returns `None` if it was before.
    #[inline]
    pub fn kill(&self, seen: Seen) -> Option<Killed> {
        let generation = seen.0.generation();
        self.0.word.kill(generation).then_some(Killed(generation))
    }

    /// The driver has refused to destroy the event: it lives, unless the address was issued again by now. Nothing is
    /// remembered of it from then on, as a record may have come in between.
    pub fn unkill(&self, killed: Killed) {
        let is_it = |word: Word| word.generation() == killed.0;
        self.0.word.update(|word| is_it(word).then(|| word.revived().with_ask()));
    }

    /// The driver said that the event is done. It is remembered unless a record has begun since `seen`; returns whether this thread
    /// was the first to learn of it.
    #[inline]
    pub fn remember(&self, seen: Seen) -> bool {
        if State::of(seen.0) == State::Unrecorded {
            let is_as_seen = |word: Word| word == seen.0 && state::is_known(word) && word.recording() == 0;
            self.0.word.update(|word| is_as_seen(word).then(|| word.with_state(State::Complete as u64))).is_some()
        } else {
            word::remember(&self.0, seen.0)
        }
    }

    /// Begins a record of the event that was seen; `None` if it is no longer live. Until it ends, nothing is known of the event.
    #[inline]
    pub fn begin(&self, seen: Seen) -> Option<Record> {
        let generation = seen.0.generation();
        for tries in 0.. {
            let begin = |word: Word| (word.is_life_of(generation) && !word.is_full()).then(|| word.begin_record());
            if let Some((_, begun)) = self.0.word.update(begin) {
                // A count of 0 means never recorded.
                if begun.records() == 0 {
                    self.count_past_zero(begun);
                }
                return Some(Record(generation));
            }
            if !self.seen().0.is_life_of(generation) {
                break;
            }
            // Until one of the greatest number of records in progress has ended.
            wait_for_another(tries);
        }
        None
    }

    #[cold]
    fn count_past_zero(&self, begun: Word) {
        let is_zero = |word: Word| word.generation() == begun.generation() && word.records() == 0;
        self.0.word.update(|word| is_zero(word).then(|| word.count_record()));
    }

    /// Ends the record, even if the driver refused it: the driver is asked in either case. `external`: the driver made
    /// it a graph node, and each run of the graph records the event.
    ///
    /// On a destroyed event the record stays in progress, where the next life of the address sees it.
    #[inline]
    pub fn end(&self, record: Record, external: bool) {
        // In a capture too it counts as pending: until the next record the driver answers what it answers there.
        let step = |word: Word| {
            let ended = word.end_record();
            if external { ended.with_ask() } else { ended.with_state(State::Pending as u64) }
        };
        self.0.word.update(|word| word.is_life_of(record.0).then(|| step(word)));
    }

    /// Marks the event that was seen as shared: the driver is asked every time. Returns false if it is no longer live.
    pub fn ask_always(&self, seen: Seen) -> bool {
        let mine = |word: Word| word.is_live() && word.generation() == seen.0.generation();
        self.0.word.update(|word| mine(word).then(|| word.with_ask())).is_some()
    }

    /// Discards the known state of the event, such as when a context ends. A query in progress remembers nothing.
    pub fn forget(&self) {
        let forgotten = |word: Word| {
            let forgotten = state::forget(word);
            if forgotten.records() == 0 { state::forget(forgotten) } else { forgotten }
        };
        self.0.word.update(|word| word.is_live().then(|| forgotten(word)));
    }
}

#[cfg(all(test, loom))]
mod loom_tests;
#[cfg(all(test, not(loom)))]
mod tests;
