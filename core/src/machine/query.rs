//! Query: whether the last record is done.

use super::backend_context::BackendContext;
use super::event::{self, BORROWED, EVENTS, EventSlot};
use super::losses;
use super::state::{Op, State, is_known};
use super::word;
use crate::backend::{EventRef, RecordRef};
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
        read(&event, Op::Query)?.map_or(Ok(true), |(word, context)| ask(&event, word, context))
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
    let context = event.slot.value.context()?;
    let reached = match context.unpinned() {
        Some(backend) => backend.reached(RecordRef::Last(event.to_ref())).ok()?,
        None => is_reached_in_device(&event.slot.value, event.to_ref(), context)?,
    };
    if reached {
        word::remember(event.slot, event.word);
    }
    Some(reached)
}

/// Returns whether a backend that pins its devices has reached the event. `None`: unknown. It does not take the whole of what was found, which
/// would be in memory then for all backends.
#[inline(never)]
fn is_reached_in_device(slot: &EventSlot, event: EventRef<'_>, context: &BackendContext) -> Option<bool> {
    let _pin = if slot.has(BORROWED) { None } else { context.pin_for(event.life?) }?;
    context.backend.reached(RecordRef::Last(event)).ok()
}

/// Reads the event's word for `op`: `None` if there is nothing to wait for. Otherwise only the context knows.
pub(super) fn read(event: &Guard<'static, EventSlot>, op: Op) -> Result<Option<(Word, &'static BackendContext)>> {
    event.context().map_or(Ok(()), losses::check)?;
    // The first record binds the event: a context that was read before the word may lack the mark of the word's record.
    let pending = word::read(event.slot(), op, EventSlot::context)?;
    let pending = pending.and_then(|(word, context)| context.map(|context| (word, context)));
    if pending.is_none() {
        announce_done(event);
    }
    Ok(pending)
}

/// Asks the backend, and remembers that the event is done unless it has been recorded again.
pub(super) fn ask(event: &Guard<'static, EventSlot>, word: Word, context: &BackendContext) -> Result<bool> {
    let reached = context.backend.reached(RecordRef::Last(EventRef::pinned(&event.slot().value.cell)))?;
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
    if let Some(context) = event.context().filter(|context| context.is_counted) {
        let time =
            event.flags().is_timed().then(|| event::with_mark(event, context, |mark| context.backend.host_time(mark)));
        let time = time.and_then(|time| time.ok().flatten()).map(|(time, _)| time);
        probe::put(|| What::Completed { event: event.traced(event.handle()), time });
    }
}
