//! Record: marks the present end of a stream.

use super::context::BackendContext;
use super::event::{EVENTS, EventSlot};
use super::flags::{EventFlags, RecordFlags};
use super::stream::{self, Lasting, Peeked, StreamInContext, StreamUse};
use super::{event, signal, word};
use crate::backend::{RecordMode, Recorded, RecordedAtOnce};
use crate::error::{Error, Result};
use crate::process;
use crate::table::{Event, Handle, Kind, Recording, Stream};
use crate::trace::{self, Call};

impl Event {
    /// Records the event at the stream's present end: it is done when the stream has done all that it holds now.
    pub fn record(self, stream: Stream) -> Result<()> {
        if let Some(peeked) = stream::peek(stream.0) {
            let recorded = match Lasting::new(stream.0, peeked) {
                Some(lasting) => record_unkept(self.0, stream.0, lasting),
                None => record_at_once(self.0, stream.0, peeked),
            };
            if let Some(recorded) = recorded {
                return recorded;
            }
        }
        self.record_with(stream, RecordFlags::DEFAULT)
    }

    /// As [`Event::record`], with flags.
    pub fn record_with(self, stream: Stream, flags: RecordFlags) -> Result<()> {
        let (event, stream) = (self.0, stream.0);
        let _traced = trace::slice(move || Call::record(event::traced(event), stream::traced(stream)));
        process::check()?;
        let slot = EVENTS.find(event)?;
        let stream = stream::get_to_record(stream)?;
        let external = flags.check()?.contains(RecordFlags::EXTERNAL);
        if !process::is_normal() {
            stream.context.check()?;
        }
        let (recording, now) = word::begin(slot, event, slot.word.load()).ok_or(Error::StaleHandle(Kind::Event))?;
        if now.records() == 0 {
            slot.value.add_wrap();
        }
        let outcome = mark(&slot.value, &stream, external)?;
        word::end(recording, Some(outcome));
        Ok(())
    }
}

/// A record of an event that was bound to the stream's context before, while nothing is out of the ordinary: the frequent case, whose
/// answers stay in registers. `None` says that nothing was done.
#[inline]
fn record_at_once(event: Handle, stream: Handle, peeked: Peeked) -> Option<Result<()>> {
    let (slot, seen) = EVENTS.peek_live(event)?;
    let stream = StreamInContext::enter(stream, peeked)?;
    let is_ordinary = process::is_normal_and_untraced();
    let context = stream.context.context()?;
    if !is_ordinary || slot.value.bound_to() != stream.context {
        return None;
    }
    let (before, begun) = word::begin_unowned(slot, event.generation(), seen)?;
    if begun.records() == 0 {
        slot.value.add_wrap();
    }
    let recorded = context.backend.record_at_once(stream.native, &slot.value.cell, stream.capturable);
    if let Some(Ok(outcome)) = recorded
        && word::end_at_once(slot, before, begun, Some(outcome))
    {
        return Some(Ok(()));
    }
    let recording = Recording::begun(slot, event.index(), before);
    Some(record_further(recording, context, &stream, &slot.value, recorded))
}

/// Ends a record that was made, or makes one that could not be made at once.
#[cold]
fn record_further(
    recording: Recording<'static, EventSlot>,
    context: &BackendContext,
    stream: &StreamInContext,
    event: &'static EventSlot,
    recorded: Option<RecordedAtOnce>,
) -> Result<()> {
    let outcome = match recorded {
        Some(recorded) => recorded.map_err(|status| context.backend.error(status))?,
        None => {
            signal::check_recordable(event)?;
            context.backend.record(stream.native, &event.cell, mode(event, false, stream.capturable))?
        }
    };
    word::end(recording, Some(outcome));
    Ok(())
}

/// As [`record_at_once`], on a stream that is not kept meanwhile.
#[inline]
fn record_unkept(event: Handle, handle: Handle, stream: Lasting) -> Option<Result<()>> {
    let (slot, seen) = EVENTS.peek_live(event)?;
    let Lasting { context, native, life } = stream;
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
    let outcome = context.backend.record_unkept(native, life, &slot.value.cell, mode);
    if outcome.is_some() && word::end_at_once(slot, before, begun, outcome) {
        return Some(Ok(()));
    }
    Some(record_kept(Recording::begun(slot, event.index(), before), handle, &slot.value, outcome))
}

/// As [`record_further`], on a stream that is kept from now on.
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
    stream.context.backend.record(stream.native, &event.cell, mode(event, external, stream.capturable))
}

/// Returns what the backend has to know of a record.
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
        let handle = Event::create(EventFlags::DEFAULT).expect("an event");
        let slot = EVENTS.find(handle.0).expect("its slot");
        let mut word = slot.word.load();
        for _ in 0..Word::MAX_RECORDS {
            word = word.begin_record().end_record();
        }
        slot.word.publish(word);
        let counts = [0, 1, 2].map(|_| {
            let count = handle.info().expect("it lives").records;
            handle.record(Stream::NULL).expect("it is recorded");
            count
        });
        assert_eq!(counts, [0, 1, 2].map(|more| Word::MAX_RECORDS + more));
        handle.destroy().expect("it lives");
    }
}
