//! Query: whether the last record is done.

use super::context::BackendContext;
use super::event::{self, EVENTS, EventSlot};
use super::flags::EventFlags;
use super::losses;
use super::state::{Op, State, is_known};
use super::word;
use crate::backend::Mark;
use crate::error::Result;
use crate::probe::{self, NATIVE_STREAMS, What};
use crate::process;
use crate::table::{Event, Found, Guard, Word};

impl Event {
    /// Returns whether the event is already known to have completed, or was never recorded. The fast path of a query:
    /// one lookup and one load. False means unknown.
    #[inline]
    pub fn is_known_done(self) -> bool {
        let known = |word: Word| word.is_known_to_be(self.0.generation(), State::Unrecorded as u64);
        EVENTS.word(self.0).is_some_and(known) && process::is_normal()
    }

    /// Returns whether the event's last record is done; true if it was never recorded.
    pub fn query(self) -> Result<bool> {
        let event = event::find(self.0)?;
        if event.is_known_done() {
            return Ok(true);
        }
        if let Some(reached) = query_unpinned(event) {
            return Ok(reached);
        }
        let event = event.pin()?;
        check_context(&event)?;
        // As in `read`, the context and what it has in the cell are read after the word.
        match word::read(event.slot(), Op::Query, EventSlot::context)? {
            word::Reading::Ask { word, mark: Some(context) } => ask_last(&event, word, context),
            _ => {
                announce_done(&event);
                Ok(true)
            }
        }
    }
}

/// The calling thread has seen that the event is done.
#[inline]
pub(super) fn announce_done(event: &EventSlot) {
    probe::acquire(&event.cell);
    probe::acquire(&NATIVE_STREAMS);
}

/// Returns whether a pending event is done, without pinning it. `None`: unknown.
#[inline]
pub(super) fn query_unpinned(event: Found<'static, EventSlot>) -> Option<bool> {
    if State::of(event.word) != State::Pending || !is_known(event.word) {
        return None;
    }
    let reached = event.slot.value.context()?.unpinned()?.is_reached(event.to_ref())?;
    if reached {
        word::remember(event.slot, event.word);
    }
    Some(reached)
}

/// The answer of an event's word.
pub(crate) type EventReading = word::Reading<Mark>;

/// Fails if the event's context is known to be lost.
pub(super) fn check_context(event: &Guard<'static, EventSlot>) -> Result<()> {
    event.context().map_or(Ok(()), losses::check)
}

/// Reads the event's word for `op`.
pub(crate) fn read(event: &Guard<'static, EventSlot>, op: Op) -> Result<EventReading> {
    check_context(event)?;
    // The first record binds the event: a context that was read before the word may lack the mark of the word's record.
    let mark =
        |event: &EventSlot| event.context().map_or_else(Mark::default, |context| context.backend.mark(&event.cell));
    let reading = word::read(event.slot(), op, mark);
    if matches!(reading, Ok(EventReading::Done)) {
        announce_done(event);
    }
    reading
}

/// Asks the backend, and remembers that the event is done unless it is being recorded again.
pub(crate) fn ask(event: &Guard<'static, EventSlot>, word: Word, mark: Mark) -> Result<bool> {
    let Some(context) = event.context() else { return Ok(true) };
    let reached = context.backend.reached(mark)?;
    if reached {
        remember(event, word);
    }
    Ok(reached)
}

/// As [`ask`], for the mark that the cell holds now.
pub(crate) fn ask_last(event: &Guard<'static, EventSlot>, word: Word, context: &BackendContext) -> Result<bool> {
    let reached = context.backend.is_reached(&event.cell)?;
    if reached {
        remember(event, word);
    }
    Ok(reached)
}

/// Remembers that the event is done; `seen` is its word as it was before the mark was read.
pub(crate) fn remember(event: &Guard<'static, EventSlot>, seen: Word) {
    announce_done(event);
    // For threads that learn of the completion from memory.
    probe::release(&event.cell);
    if word::remember(event.slot(), seen) && probe::is_on() {
        trace_completion(event);
    }
}

#[cold]
fn trace_completion(event: &Guard<'static, EventSlot>) {
    if let Some(context) = event.context().filter(|context| !context.backend.properties().traces_marks) {
        let timed = !event.flags().contains(EventFlags::DISABLE_TIMING);
        let time = timed.then(|| context.backend.host_time(context.backend.mark(&event.cell)));
        let time = time.and_then(|time| time.ok().flatten()).map(|(time, _)| time);
        probe::put(|| What::Completed { event: event.traced(event.handle()), time });
    }
}
