//! Query: is the last record done?

use super::event::{self, EventFlags, EventSlot};
use super::memory;
use super::state::{Op, State};
use crate::backend::Mark;
use crate::error::Result;
use crate::process;
use crate::table::{Event, Guard, Stored, Word};
use crate::trace::{self, What};

impl Event {
    /// The fast path: one look-up and one load tell that the event is done, or was never recorded. False tells nothing.
    #[inline]
    pub fn is_settled(self) -> bool {
        let handle = self.0;
        let settled = |word: Word| word.is_settled(handle.generation(), State::Unrecorded as u64);
        EventSlot::table().word(handle).is_some_and(settled) && process::is_calm()
    }
}

impl Event {
    /// Is the event done?
    pub fn query(self) -> Result<bool> {
        let event = event::get(self.0)?;
        match look(&event, Op::Query)? {
            Look::Done => Ok(true),
            Look::Asked { word, mark } => ask(&event, word, mark),
        }
    }
}

/// What an event says before its backend is asked.
pub(crate) type Look = memory::Look<Mark>;

/// Looks at an event for `op`.
pub(crate) fn look(event: &Guard<EventSlot>, op: Op) -> Result<Look> {
    if let Some(context) = event.context().filter(|_| !process::is_calm()) {
        context.check()?;
    }
    // The first record binds the event: a context that was read before the word may lack the mark of the word's record.
    let mark =
        |event: &EventSlot| event.context().map_or_else(Mark::default, |context| context.backend.mark(&event.cell));
    memory::look(event.slot(), op, mark)
}

/// Asks the backend, and remembers that the event is done unless it is being recorded again.
pub(crate) fn ask(event: &Guard<EventSlot>, word: Word, mark: Mark) -> Result<bool> {
    let Some(context) = event.context() else { return Ok(true) };
    let reached = context.backend.reached(mark)?;
    if reached {
        remember(event, word);
    }
    Ok(reached)
}

/// Remembers that the event is done; `seen` is its word as it was before the mark was read.
pub(crate) fn remember(event: &Guard<EventSlot>, seen: Word) {
    if memory::remember(event.slot(), seen) && trace::is_on() {
        trace_completion(event);
    }
}

#[cold]
fn trace_completion(event: &Guard<EventSlot>) {
    if let Some(context) = event.context().filter(|context| !context.backend.traces_marks()) {
        let timed = !event.flags().has(EventFlags::DISABLE_TIMING);
        let time = timed.then(|| context.backend.time(context.backend.mark(&event.cell))).flatten();
        trace::put(|| What::Completed { event: event.traced(event.handle()), time });
    }
}
