//! The state of events whose handles are a driver's own pointers, for gevt's own crates. Not a part of gevt's interface: it
//! may change with every version.
//!
//! Such an event has no handle of gevt's and no backend: whoever keeps it calls the driver, and tells what came of it.

use crate::backend::Recorded;
use crate::machine::state::{Op, State};
use crate::machine::word::{self, Reading};
use crate::table::{Recycle, Slot, Word};

/// Nothing is kept beside the word.
#[derive(Default)]
struct Nothing;

impl Recycle for Nothing {
    fn recycle(&self, _: Word) {}
}

/// What is known of the events that a driver issues, one after the other, at one address.
pub struct NativeEvent(Slot<Nothing>);

/// The event as it was before the driver was asked.
#[derive(Clone, Copy)]
pub struct Seen(Word);

/// A record in progress. It ends with [`NativeEvent::end`], whatever comes of it.
#[must_use]
pub struct Record(Word);

/// A destroyed event, which the driver may refuse to destroy.
#[must_use]
pub struct Killed(u64);

/// What a look at an event says.
pub enum Known {
    /// It is done, or was never recorded.
    Done,
    /// Only the driver knows.
    Ask(Seen),
    /// It was destroyed, or there never was one.
    Dead,
}

/// Does a code of the driver's say that a context answers nothing else from now on, nor do its events?
#[cfg(not(loom))]
pub fn ends_context(code: i32) -> bool {
    u32::try_from(code).is_ok_and(crate::backend::cuda::is_fatal)
}

impl NativeEvent {
    /// An address at which there was no event yet.
    #[expect(clippy::new_without_default, reason = "an event that is dead is no natural default")]
    pub fn new() -> NativeEvent {
        NativeEvent(Slot::new(0))
    }

    /// The driver has issued the address: an event that was never recorded lives there now, whatever was there before.
    pub fn revive(&self) {
        word::revive(&self.0);
    }

    /// As [`NativeEvent::revive`], for an event that others record as well: the driver is asked every time.
    pub fn revive_shared(&self) {
        word::revive_shared(&self.0);
    }

    /// The event is about to be destroyed; `None` where it was before.
    pub fn kill(&self) -> Option<Killed> {
        let generation = self.0.word.load().generation();
        self.0.word.kill(generation).then_some(Killed(generation))
    }

    /// The driver has refused to destroy the event: it lives, unless the address was issued again by now. Nothing is
    /// remembered of it from then on, as a record may have come in between.
    pub fn unkill(&self, killed: Killed) {
        word::unkill(&self.0, killed.0);
    }

    /// Does the event live?
    #[inline]
    pub fn is_live(&self) -> bool {
        self.0.word.load().is_live()
    }

    /// Is the event done, or was it never recorded? One load; false tells nothing.
    #[inline]
    pub fn is_settled(&self) -> bool {
        let word = self.0.word.load();
        word.is_known_to_be(word.generation(), State::Unrecorded as u64)
    }

    /// Does the event live, and was it never recorded, as far as is known?
    pub fn is_unrecorded(&self) -> bool {
        let word = self.0.word.load();
        word.is_live() && !word.asks() && State::of(word) == State::Unrecorded
    }

    /// Looks at the event, for a query or a sync.
    pub fn look(&self) -> Known {
        let seen = self.0.word.load();
        if !seen.is_live() {
            return Known::Dead;
        }
        match word::read(&self.0, Op::Query, |_| ()) {
            Ok(Reading::Done) => Known::Done,
            Ok(Reading::Ask { word, .. }) => Known::Ask(Seen(word)),
            // STRICT events and remembered captures are the handle table's.
            Err(_) => Known::Ask(Seen(seen)),
        }
    }

    /// The driver said that the event is done. It is remembered unless a record has begun since `seen`.
    #[inline]
    pub fn remember(&self, seen: Seen) {
        word::remember(&self.0, seen.0);
    }

    /// A record begins; `None` where the event does not live.
    #[inline]
    pub fn begin(&self) -> Option<Record> {
        let generation = self.0.word.load().generation();
        word::begin_unowned(&self.0, generation).map(|(before, _)| Record(before))
    }

    /// The record ends, or the driver has refused it: it is asked in either case. `external`: the driver made a node of a graph
    /// of it, and whoever runs the graph records the event.
    #[inline]
    pub fn end(&self, record: Record, external: bool) {
        // In a capture too it counts as pending: until the next record the driver answers what it answers there.
        let outcome = if external { Recorded::External } else { Recorded::Pending };
        word::end_unowned(&self.0, record.0, outcome);
    }

    /// Others record the event from now on: the driver is asked every time. False where the event does not live.
    pub fn ask_always(&self) -> bool {
        self.0.word.update(|word| word.is_live().then(|| word.with_ask())).is_some()
    }

    /// What was known of the event holds no more, such as when a context ends. A query that is under way remembers nothing.
    pub fn forget(&self) {
        word::forget(&self.0);
    }
}

#[cfg(all(test, loom))]
mod loom_tests;
#[cfg(all(test, not(loom)))]
mod tests;
