//! Record: marks the present end of a stream.

use super::context::BackendContext;
use super::event::{EVENTS, EventSlot};
use super::flags::{EventFlags, RecordFlags};
use super::stream::{self, Lasting, Peeked, StreamInContext, StreamUse};
use super::{event, signal, word};
use crate::backend::{RecordMode, Recorded};
use crate::error::{Error, Result};
use crate::process;
use crate::table::{Event, Handle, Kind, Recording, Stream, Word};
use crate::trace::{self, Call};

impl Event {
    /// Records the event at the stream's present end: it is done when the stream has done all that it holds now.
    pub fn record(self, stream: Stream) -> Result<()> {
        if let Some(peeked) = stream::peek(stream.0) {
            if let Some(lasting) = Lasting::new(stream.0, peeked) {
                if record_unkept(self.0, lasting) {
                    return Ok(());
                }
            } else if let Some(bound) = BoundRecord::begin(self.0, stream.0, peeked) {
                return bound.record();
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

/// A record in progress of an event that was bound to the stream's context before, while nothing is out of the ordinary: the frequent
/// case, whose answers stay in registers.
struct BoundRecord {
    /// First, so that it ends before its stream's use.
    recording: Recording<'static, EventSlot>,
    event: &'static EventSlot,
    context: &'static BackendContext,
    stream: StreamInContext,
}

impl BoundRecord {
    #[inline]
    fn begin(event: Handle, stream: Handle, peeked: Peeked) -> Option<BoundRecord> {
        let (slot, seen) = EVENTS.peek_live(event)?;
        let stream = StreamInContext::enter(stream, peeked)?;
        let is_ordinary = process::is_normal_and_untraced() && seen.records() != Word::MAX_RECORDS;
        let context = stream.context.context()?;
        if !is_ordinary || slot.value.bound_to() != stream.context {
            return None;
        }
        let (recording, _) = word::begin(slot, event, seen)?;
        Some(BoundRecord { recording, event: &slot.value, context, stream })
    }

    #[inline]
    fn record(self) -> Result<()> {
        let native = self.stream.native;
        let Some(outcome) = self.context.backend.record_at_once(native, &self.event.cell, self.stream.capturable)
        else {
            return self.record_further();
        };
        word::end(self.recording, Some(outcome));
        Ok(())
    }

    #[cold]
    fn record_further(self) -> Result<()> {
        signal::check_recordable(self.event)?;
        let mode = mode(self.event, false, self.stream.capturable);
        let outcome = self.context.backend.record(self.stream.native, &self.event.cell, mode)?;
        word::end(self.recording, Some(outcome));
        Ok(())
    }
}

/// As [`BoundRecord`], on a stream that is not kept meanwhile; false if that cannot be done.
#[inline]
fn record_unkept(event: Handle, stream: Lasting) -> bool {
    let Some((slot, seen)) = EVENTS.peek_live(event) else { return false };
    let Lasting { context, native, life } = stream;
    let mode = mode(&slot.value, false, false);
    let is_ordinary = process::is_normal_and_untraced() && seen.records() != Word::MAX_RECORDS && !mode.interprocess;
    if !is_ordinary || slot.value.bound_to() != context || signal::check_recordable(&slot.value).is_err() {
        return false;
    }
    let Some(context) = context.context() else { return false };
    let Some((recording, _)) = word::begin(slot, event, seen) else { return false };
    let outcome = context.backend.record_unkept(native, life, &slot.value.cell, mode);
    if outcome.is_some() {
        word::end(recording, outcome);
    }
    outcome.is_some()
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
