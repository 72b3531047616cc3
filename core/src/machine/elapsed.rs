//! Elapsed: the time from one event to another.

use super::context::BackendContext;
use super::elapsed_n::Times;
use super::event::{self, EVENTS, EventSlot};
use super::flags::EventFlags;
use super::last_elapsed::Pair;
use super::query::remember;
use super::state::{Answer, Op, State, answer, is_known};
use super::word;
use crate::backend::Mark;
use crate::error::{Error, Result};
use crate::probe::{self, What};
use crate::process;
use crate::status::Status;
use crate::table::{Event, Found, Guard, Handle, Word};

impl Event {
    /// Returns the nanoseconds from `start` to `end`, less than zero if `end` came first; `None` while one of them is pending.
    ///
    /// The order of the checks does not depend on timing: handles, contexts, flags, records, captures, completion.
    pub fn elapsed(start: Event, end: Event) -> Result<Option<i64>> {
        if let Some(ns) = known(start.0, end.0) {
            return Ok(Some(ns));
        }
        let first = event::get(start.0)?;
        if let Some(ns) = Times::of(&first).and_then(|times| times.elapsed(start, end, 0)) {
            return Ok(Some(ns));
        }
        between(&[first, event::get(end.0)?])
    }
}

/// The time between two events that are known to be done, without pinning them. `None`: unknown.
fn known(start: Handle, end: Handle) -> Option<i64> {
    let (events, pair) = known_pair(start, end)?;
    let [start, end] = events.map(|event| &event.slot.value);
    if let Some(ns) = end.last_elapsed.get(pair) {
        return Some(ns);
    }
    let is_timed = |event: &EventSlot| !event.is_imported() && !event.flags().contains(EventFlags::DISABLE_TIMING);
    if start.bound_to() != end.bound_to() || !is_timed(start) || !is_timed(end) {
        return None;
    }
    let ns = start.context()?.unpinned()?.elapsed(events[0].to_ref(), events[1].to_ref())?;
    // Otherwise the time may be that of a record which has begun since.
    let is_theirs = events[0].is_unchanged() && events[1].is_unchanged();
    is_theirs.then(|| {
        end.last_elapsed.set(pair, ns);
        ns
    })
}

/// The time between two events in use; `None` while one of them is pending.
fn between(pair: &[EventGuard; 2]) -> Result<Option<i64>> {
    common_context(pair)?;
    if pair.iter().any(|event| event.is_imported()) {
        return Err(Error::ImportedNoTiming);
    }
    if pair.iter().any(|event| event.flags().contains(EventFlags::DISABLE_TIMING)) {
        return Err(Error::TimingDisabled);
    }
    loop {
        // One by one: an array's `map` is a call.
        let words = [pair[0].slot().word.load(), pair[1].slot().word.load()];
        let answer_of = |word: Word| answer(State::of(word), is_known(word), Op::Elapsed);
        let answers = [answer_of(words[0]), answer_of(words[1])];
        // That there is no record comes before that it was captured.
        if let Some(error) = answers.iter().filter_map(Answer::refusal).max_by_key(|error| *error != Error::Captured) {
            return Err(error);
        }
        // Read after the words: the first record binds its event.
        let context = common_context(pair)?.ok_or(Error::NotRecorded(Status::INVALID_HANDLE))?;
        context.check()?;
        let Some(ns) = context.backend.elapsed(&pair[0].cell, &pair[1].cell)? else { return Ok(None) };
        if let Some(marks) = marks_of(pair, words, context) {
            if probe::is_on() {
                trace_pair(pair, words, marks, context, ns);
            }
            if let Some(([_, event], known)) = known_pair(pair[0].handle(), pair[1].handle())
                && known.words[0].records() == words[0].records()
                && known.words[1].records() == words[1].records()
            {
                event.slot.value.last_elapsed.set(known, ns);
            }
            return Ok(Some(ns));
        }
        // One that is being recorded is pending. Its record may take as long as the driver likes.
        if pair.iter().any(|event| event.slot().word.load().recording() > 0) {
            return Ok(None);
        }
        std::hint::spin_loop();
    }
}

/// An event in use.
type EventGuard = Guard<'static, EventSlot>;

/// The context of both events; `None` while one of them is unbound.
fn common_context(pair: &[EventGuard; 2]) -> Result<Option<&'static BackendContext>> {
    match (pair[0].context(), pair[1].context()) {
        (Some(a), Some(b)) if a.id != b.id => Err(Error::ContextMismatch),
        (Some(a), Some(_)) => Ok(Some(a)),
        _ => Ok(None),
    }
}

/// Finds two events that are known to have completed, and the key of their time. The words hold generations and counts of records, so a
/// cached time cannot match another pair.
#[inline]
fn known_pair(start: Handle, end: Handle) -> Option<([Found<'static, EventSlot>; 2], Pair)> {
    let (start, end) = (EVENTS.find(start).ok()?, EVENTS.find(end).ok()?);
    let pair = Pair::new(start.handle.index(), [start.word, end.word]);
    let is_complete =
        |event: &Found<'_, _>| event.word.is_known_to_be(event.handle.generation(), State::Complete as u64);
    let are_known = is_complete(&start) && is_complete(&end) && process::is_normal_and_untraced();
    are_known.then_some(([start, end], pair))
}

/// Draws the time between two events.
#[cold]
fn trace_pair(pair: &[EventGuard; 2], words: [Word; 2], marks: [Mark; 2], context: &BackendContext, ns: i64) {
    if let Ok(Some((from, _))) = context.backend.host_time(marks[0]) {
        pair.iter().for_each(|event| probe::put(|| What::Label(event.traced(event.handle()))));
        let [start, end] = pair.each_ref().map(|event| event.cell.address());
        let stream = context.backend.traced_mark(marks[1]);
        let records = words.map(Word::records);
        probe::put(|| What::Pair { start, end, records, times: [from, from + ns], stream });
    }
}

/// Returns the marks of the two completed records that `words` refer to; `None` if an event has been recorded again
/// since.
fn marks_of(pair: &[EventGuard; 2], words: [Word; 2], context: &BackendContext) -> Option<[Mark; 2]> {
    let mark = |i: usize| {
        // First, because a trace needs the completion before the pair.
        remember(&pair[i], words[i]);
        word::mark_of(pair[i].slot(), words[i], |event| context.backend.mark(&event.cell))
    };
    Some([mark(0)?, mark(1)?])
}

#[cfg(test)]
mod tests {
    use super::super::last_elapsed;
    use super::*;
    use crate::table::Stream;

    /// A time that no two records have between them here.
    const KEPT: i64 = i64::MIN;

    fn record(event: Event) {
        event.record(Stream::NULL).expect("it is recorded");
        event.sync().expect("it is done");
    }

    /// Records the event until its word is what it is now.
    fn record_all_round(event: Event) {
        let slot = EVENTS.find(event.0).expect("its slot").slot;
        let now = slot.word.load();
        slot.word.publish(now.with_records(Word::MAX_RECORDS));
        (0..=now.records()).for_each(|_| record(event));
        assert_eq!(slot.word.load(), now);
    }

    #[test]
    fn a_time_is_kept_until_one_of_the_two_is_recorded_again() {
        let _turn = last_elapsed::TURN.lock();
        let [start, end] = [(); 2].map(|()| Event::create(EventFlags::DEFAULT).expect("an event"));
        let elapsed = || Event::elapsed(start, end).expect("a time").expect("both are done");
        let keep = || {
            let ([_, event], pair) = known_pair(start.0, end.0).expect("both are known to be done");
            event.slot.value.last_elapsed.set(pair, KEPT);
            assert_eq!(elapsed(), KEPT);
        };
        record(start);
        record(end);
        for again in [start, end] {
            keep();
            record(again);
            assert_ne!(elapsed(), KEPT);
            keep();
            record_all_round(again);
            assert_ne!(elapsed(), KEPT, "it is a time of other records, with the same words");
        }
        [start, end].into_iter().for_each(|event| event.destroy().expect("it lives"));
    }
}
