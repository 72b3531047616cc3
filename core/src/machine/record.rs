//! Record: marks the present end of a stream.

use super::event::EventSlot;
use super::flags::{EventFlags, RecordFlags};
use super::stream::{self, StreamPin, StreamView};
use super::{event, losses, signal, word};
use crate::backend::{RecordMode, Recorded};
use crate::error::{Error, Result};
use crate::probe::{self, Call};
use crate::table::{Event, Handle, Kind, Life, Slot, Stream, Word};

impl Event {
    /// Records the event at the stream's current end: it completes when all work submitted so far has finished.
    pub fn record(self, stream: Stream) -> Result<()> {
        self.record_with(stream, RecordFlags::DEFAULT)
    }

    /// Like [`Event::record`], with flags.
    pub fn record_with(self, stream: Stream, flags: RecordFlags) -> Result<()> {
        let (event, handle) = (self.0, stream.0);
        let _traced = probe::slice(move || Call::record(event::traced(event), stream::traced(handle)));
        let slot = event::find(event)?;
        let mut pin = StreamPin::default();
        let stream = stream::find(handle, &mut pin)?;
        let seen = slot.word.load();
        if flags == RecordFlags::DEFAULT
            && let Some(recorded) = record_protected(slot, event, seen, &stream)
        {
            return recorded;
        }
        stream.pin(&mut pin)?;
        let external = flags.check()?.contains(RecordFlags::EXTERNAL);
        losses::check(stream.context)?;
        let (recording, now) = word::begin(slot, event, seen).ok_or(Error::StaleHandle(Kind::Event))?;
        if now.records() == 0 {
            slot.value.add_wrap();
        }
        let outcome = mark(&slot.value, &stream, external)?;
        word::end(recording, Some(outcome));
        Ok(())
    }
}

/// A record of an event that was bound to the stream's context before, by a thread that protects both. `None`: the attempt does not count.
///
/// The word changes when the driver's call is over. Until then others may note that the record before is done, or find the event destroyed.
#[inline]
fn record_protected(
    slot: &'static Slot<EventSlot>,
    event: Handle,
    seen: Word,
    stream: &StreamView,
) -> Option<Result<()>> {
    if !word::is_open_to_made(seen) || slot.value.bound_to() != stream.context.id {
        return None;
    }
    let (life, stream_ref) = (Life::of(slot, event), stream.to_ref());
    let (calls, pin) = stream.context.pin([life, stream_ref.life.unwrap_or(life)])?;
    let recorded = calls.record(&pin, stream_ref, &slot.value.cell)?;
    if recorded.is_ok() {
        word::note_made(slot, event, seen, EventSlot::add_wrap);
    }
    Some(recorded)
}

fn mark(event: &'static EventSlot, stream: &StreamView, external: bool) -> Result<Recorded> {
    signal::check_recordable(event)?;
    if external {
        stream.context.backend.check_external(stream.native)?;
    }
    event.bind(stream.context, stream.through)?;
    if external {
        // Others know it from then on, and it is recorded when the graph runs.
        event::give_native(stream.context, event)?;
    }
    let flags = event.flags();
    let interprocess = flags.contains(EventFlags::INTERPROCESS);
    let mode = RecordMode { flags: flags.native(), external, interprocess };
    stream.context.backend.record(stream.to_ref(), &event.cell, mode)
}

#[cfg(test)]
mod tests {
    use super::super::event::EVENTS;
    use super::*;

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
