//! Elapsed: the time from one event to another.

use super::backend_context::BackendContext;
use super::elapsed_n::{elapsed_in, pin};
use super::event::{self, EVENTS, EventSlot, IMPORTED};
use super::query::remember;
use super::state::{Op, State, answer};
use crate::backend::EventRef;
use crate::error::{Error, Result};
use crate::probe::{self, What};
use crate::status::Status;
use crate::table::{Event, Found, Guard, Word};

impl Event {
    /// Returns the nanoseconds from `start` to `end`, less than zero if `end` came first; `None` while one of them is pending.
    ///
    /// The order of the checks does not depend on timing: handles, contexts, flags, records, captures, completion.
    pub fn elapsed(start: Event, end: Event) -> Result<Option<i64>> {
        if let Some(ns) = known(start, end) {
            return Ok(Some(ns));
        }
        let first = event::find(start.0)?;
        if let Some(ns) = pin(first).and_then(|(context, _pin)| elapsed_in(context, start, end, 0)) {
            return Ok(Some(ns));
        }
        pinned(&[first.pin()?, event::get(end.0)?])
    }
}

/// The time between two events that are known to be complete, without pinning them; `None` where that has to be done.
#[inline]
fn known(start: Event, end: Event) -> Option<i64> {
    let events = [EVENTS.find(start.0).ok()?, EVENTS.find(end.0).ok()?];
    let is_complete =
        |event: &Found<'_, EventSlot>| event.word.is_known_to_be(event.handle.generation(), State::Complete as u64);
    let [start, end] = [&events[0].slot.value, &events[1].slot.value];
    let is_timed = |event: &EventSlot| !event.has(IMPORTED) && event.flags().is_timed();
    let context = start.context().filter(|context| end.is_bound_to(context) && is_timed(start) && is_timed(end))?;
    let backend = context.unpinned().filter(|_| is_complete(&events[0]) && is_complete(&events[1]))?;
    let ns = backend.elapsed(events[0].to_ref(), events[1].to_ref(), 0).ok()??;
    // Otherwise the time may be that of a record which has been made since.
    (events[0].is_unchanged() && events[1].is_unchanged()).then_some(ns)
}

/// An event in use.
type EventGuard = Guard<'static, EventSlot>;

/// The time between two events in use; `None` while one of them is pending.
fn pinned(pair: &[EventGuard; 2]) -> Result<Option<i64>> {
    common_context(pair)?;
    if pair.iter().any(|event| event.has(IMPORTED)) {
        return Err(Error::ImportedNoTiming);
    }
    if pair.iter().any(|event| !event.flags().is_timed()) {
        return Err(Error::TimingDisabled);
    }
    loop {
        // One by one: an array's `map` is a call.
        let words = [pair[0].slot().word.load(), pair[1].slot().word.load()];
        let (start, end) = (answer(words[0], Op::Elapsed), answer(words[1], Op::Elapsed));
        // That there is no record comes before that it was captured.
        let answers = if start == Err(Error::Captured) { end.and(start) } else { start.and(end) };
        answers?;
        // Read after the words: the first record binds its event.
        let context = common_context(pair)?.ok_or(Error::NotRecorded(Status::INVALID_HANDLE))?;
        let event = |at: usize| EventRef::pinned(&pair[at].slot().value.cell);
        let Some(ns) = context.backend.elapsed(event(0), event(1), 0)? else { return Ok(None) };
        // First, because a trace needs the completion before the pair.
        remember(&pair[0], words[0]);
        remember(&pair[1], words[1]);
        let records = |at: usize| pair[at].slot().word.load().records();
        // Otherwise an event has been recorded again meanwhile.
        if records(0) == words[0].records() && records(1) == words[1].records() {
            if probe::is_on() {
                trace_pair(pair, words, context, ns);
            }
            return Ok(Some(ns));
        }
    }
}

/// The context of both events; `None` while one of them is unbound.
fn common_context(pair: &[EventGuard; 2]) -> Result<Option<&'static BackendContext>> {
    match (pair[0].context(), pair[1].context()) {
        (Some(a), Some(b)) if !std::ptr::eq(a, b) => Err(Error::ContextMismatch),
        (Some(a), Some(_)) => Ok(Some(a)),
        _ => Ok(None),
    }
}

/// Draws the time between two events.
#[cold]
fn trace_pair(pair: &[EventGuard; 2], words: [Word; 2], context: &BackendContext, ns: i64) {
    let from = event::with_mark(&pair[0], context, |mark| context.backend.host_time(mark));
    if let Ok(Some((from, _))) = from {
        pair.iter().for_each(|event| probe::put(|| What::Label(event.traced(event.handle()))));
        let [start, end] = pair.each_ref().map(|event| event.cell.address());
        let records = words.map(Word::records);
        probe::put(|| What::Pair { start, end, records, times: [from, from + ns] });
    }
}
