//! Record: marks the present end of a stream.

use super::event::{EVENTS, EventSlot};
use super::flags::{EventFlags, RecordFlags};
use super::stream::{self, Peeked, StreamUse};
use super::{event, losses, protection, signal, word};
use crate::backend::{RecordMode, Recorded, Unkept};
use crate::error::{Error, Result};
use crate::probe::{self, Call};
use crate::process;
use crate::table::{Event, Handle, Kind, Life, Recording, Stream};

impl Event {
    /// Records the event at the stream's current end: it completes when all work submitted so far has finished.
    pub fn record(self, stream: Stream) -> Result<()> {
        record_protected(self.0, stream.0)
            .or_else(|| record_lasting(self.0, stream.0))
            .unwrap_or_else(|| self.record_with(stream, RecordFlags::DEFAULT))
    }

    /// Like [`Event::record`], with flags.
    pub fn record_with(self, stream: Stream, flags: RecordFlags) -> Result<()> {
        let (event, stream) = (self.0, stream.0);
        let _traced = probe::slice(move || Call::record(event::traced(event), stream::traced(stream)));
        process::check()?;
        let slot = EVENTS.find(event)?;
        let stream = stream::get_to_record(stream)?;
        let external = flags.check()?.contains(RecordFlags::EXTERNAL);
        losses::check(stream.context)?;
        let (recording, now) = word::begin(slot, event, slot.word.load()).ok_or(Error::StaleHandle(Kind::Event))?;
        if now.records() == 0 {
            slot.value.add_wrap();
        }
        let outcome = mark(&slot.value, &stream, external)?;
        word::end(recording, Some(outcome));
        Ok(())
    }
}

/// A record of an event that was bound to the stream's context before, while nothing is out of the ordinary, by a thread that protects
/// both: the frequent case. `None`: the attempt does not count.
///
/// The word changes when the driver's call is over. Until then others may note that the record before is done, or find the event destroyed.
#[inline]
fn record_protected(event: Handle, stream: Handle) -> Option<Result<()>> {
    if !process::is_normal_and_untraced() {
        return None;
    }
    let Peeked { context, stream } = stream::peek(stream, Unkept::Protected)?;
    let (slot, seen) = EVENTS.peek_live(event)?;
    if !word::is_open_to_made(seen) || slot.value.bound_to() != context {
        return None;
    }
    let backend = &context.context()?.backend;
    let recorded = backend.record_at_once(protection::mine()?, stream, &slot.value.cell, Life::of(slot, event))?;
    if recorded.is_ok() {
        word::note_made(slot, event, seen, EventSlot::add_wrap);
    }
    Some(recorded)
}

/// A record of an event that was bound to the stream's context before, while nothing is out of the ordinary, on a stream that lasts.
#[inline]
fn record_lasting(event: Handle, handle: Handle) -> Option<Result<()>> {
    let Peeked { context, stream } = stream::peek(handle, Unkept::Lasting)?;
    let (slot, seen) = EVENTS.peek_live(event)?;
    let mode = mode(&slot.value, false, false);
    let is_ordinary = process::is_normal_and_untraced() && !mode.interprocess;
    if !is_ordinary || slot.value.bound_to() != context || signal::check_recordable(&slot.value).is_err() {
        return None;
    }
    let context = context.context()?;
    let (before, begun) = word::begin_unowned(slot, event.generation(), seen)?;
    if begun.records() == 0 {
        slot.value.add_wrap();
    }
    let outcome = context.backend.record_unkept(stream.native, stream.life, &slot.value.cell, mode);
    if outcome.is_some() && word::end_at_once(slot, before, begun, outcome) {
        return Some(Ok(()));
    }
    Some(record_kept(Recording::begun(slot, event.index(), before), handle, &slot.value, outcome))
}

/// Ends a record, or makes one, on a stream that is pinned from now on.
#[cold]
fn record_kept(
    recording: Recording<'static, EventSlot>,
    stream: Handle,
    event: &'static EventSlot,
    outcome: Option<Recorded>,
) -> Result<()> {
    let made = || mark(event, &stream::get_to_record(stream)?, false);
    word::end(recording, Some(outcome.map_or_else(made, Ok)?));
    Ok(())
}

fn mark(event: &'static EventSlot, stream: &StreamUse, external: bool) -> Result<Recorded> {
    signal::check_recordable(event)?;
    if external {
        stream.context.backend.check_external(stream.native)?;
    }
    event.bind(stream.context, stream.through)?;
    if external {
        // Others know it from then on, and it is recorded when the graph runs.
        event::give_native(stream.context, event)?;
    }
    stream.context.backend.record(stream.native, &event.cell, mode(event, external, stream.capturable))
}

/// Returns a record's parameters for the backend.
fn mode(event: &EventSlot, external: bool, capturable: bool) -> RecordMode {
    let flags = event.flags();
    let interprocess = flags.contains(EventFlags::INTERPROCESS);
    RecordMode { flags: flags.native(), external, interprocess, capturable }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Word;

    #[test]
    fn records_are_counted_beyond_the_word() {
        let _turn = super::super::last_elapsed::TURN.lock();
        let handle = Event::create(EventFlags::DEFAULT).expect("an event");
        let slot = EVENTS.find(handle.0).expect("its slot");
        slot.word.publish(slot.word.load().with_records(Word::MAX_RECORDS));
        let counts = [0, 1, 2].map(|_| {
            let count = handle.info().expect("it lives").records;
            handle.record(Stream::NULL).expect("it is recorded");
            count
        });
        assert_eq!(counts, [0, 1, 2].map(|more| Word::MAX_RECORDS + more));
        handle.destroy().expect("it lives");
    }
}
