//! Elapsed: the time from one event to another.

use super::backend_context::BackendContext;
use super::elapsed_n::{elapsed_in, pin};
use super::event::{self, EVENTS, EventSlot, IMPORTED};
use super::last_elapsed::Pair;
use super::query::remember;
use super::state::{Op, State, answer};
use crate::backend::EventRef;
use crate::error::{Error, Result};
use crate::probe::{self, What};
use crate::process;
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
    let known = known_pair(&events)?;
    let [start, end] = [&events[0].slot.value, &events[1].slot.value];
    if let Some(ns) = end.last_elapsed.get(known) {
        return Some(ns);
    }
    let is_timed = |event: &EventSlot| !event.has(IMPORTED) && event.flags().is_timed();
    let context = start.context().filter(|context| end.is_bound_to(context) && is_timed(start) && is_timed(end))?;
    let ns = context.unpinned()?.elapsed(events[0].to_ref(), events[1].to_ref(), 0).ok()??;
    // Otherwise the time may be that of a record which has been made since.
    let is_theirs = events[0].is_unchanged() && events[1].is_unchanged();
    is_theirs.then(|| {
        end.last_elapsed.set(known, ns);
        ns
    })
}

/// The key of the time between two events; `None` unless both are known to be complete.
#[inline]
fn known_pair(events: &[Found<'static, EventSlot>; 2]) -> Option<Pair> {
    if !process::is_normal_and_untraced() {
        return None;
    }
    let word = |event: &Found<'static, EventSlot>| {
        let is_complete = event.word.is_known_to_be(event.handle.generation(), State::Complete as u64);
        // There is room in the word: see `WRAPS`.
        is_complete.then(|| event.word.0 | event.slot.value.wraps())
    };
    Some(Pair { start: events[0].handle.index(), words: [word(&events[0])?, word(&events[1])?] })
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
        let now = [Found::new(&pair[0]), Found::new(&pair[1])];
        // Otherwise an event has been recorded again meanwhile.
        if now[0].word.records() == words[0].records() && now[1].word.records() == words[1].records() {
            if probe::is_on() {
                trace_pair(pair, words, context, ns);
            } else if let Some(known) = known_pair(&now) {
                pair[1].last_elapsed.set(known, ns);
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

#[cfg(test)]
#[path = "elapsed_tests.rs"]
mod tests;
