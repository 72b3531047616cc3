//! Record: marks the present end of a stream.

use super::event::EventSlot;
use super::flags::{EventFlags, RecordFlags};
use super::stream::{self, StreamView};
use super::{event, signal, word};
use crate::backend::{RecordMode, Recorded};
use crate::error::{Error, Result};
use crate::probe::{self, Call};
use crate::table::{Event, Found, Handle, Stream};

impl Event {
    /// Records the event at the stream's current end: it completes when all work submitted so far has finished.
    pub fn record(self, stream: Stream) -> Result<()> {
        self.record_with(stream, RecordFlags::DEFAULT)
    }

    /// Like [`Event::record`], with flags.
    pub fn record_with(self, stream: Stream, flags: RecordFlags) -> Result<()> {
        let (event, handle) = (self.0, stream.0);
        let _traced = probe::slice(move || Call::record(event::traced(event), stream::traced(handle)));
        let event = event::find(event).map_err(|error| refusal(error, handle))?;
        let unpinned =
            |stream: &StreamView| (flags == RecordFlags::DEFAULT && record_unpinned(event, stream)).then_some(Ok(()));
        stream::submit(handle, unpinned, |stream| record_pinned(event, stream, flags))
    }
}

/// Records an event that was bound to the stream's context before, without pinning either. False: the attempt does not count.
///
/// The word changes when the driver's call is over. Until then others may note that the record before is done, or find the event destroyed.
#[inline]
fn record_unpinned(event: Found<'static, EventSlot>, stream: &StreamView) -> bool {
    let is_open = word::is_open_to_made(event.word) && event.slot.value.bound_to() == stream.context.id;
    let calls = if is_open { stream.context.unpinned() } else { None };
    let is_recorded = calls.is_some_and(|calls| calls.record(&stream.to, event.to_ref()));
    if is_recorded && !word::note_made(event.slot, event.word) {
        note_late(event);
    }
    is_recorded
}

/// Notes a record that has been made, in a word that has changed meanwhile. If the event has been destroyed, nothing is noted.
#[cold]
fn note_late(event: Found<'static, EventSlot>) {
    if let Ok((recording, _)) = event.begin_record() {
        recording.end_pending();
    }
}

/// Why an event that was not found cannot be recorded. Of an event that has ended that is less important than an error of the stream.
#[cold]
fn refusal(error: Error, stream: Handle) -> Error {
    let of_stream = if let Error::StaleHandle(_) = error { stream::usable(stream).err() } else { None };
    of_stream.unwrap_or(error)
}

#[inline(never)]
fn record_pinned(event: Found<'static, EventSlot>, stream: &StreamView, flags: RecordFlags) -> Result<()> {
    let external = flags.check()?.contains(RecordFlags::EXTERNAL);
    let (recording, before) = event.begin_record()?;
    let outcome = mark(&event.slot.value, stream, external)?;
    recording.end(before, outcome);
    Ok(())
}

fn mark(event: &'static EventSlot, stream: &StreamView, external: bool) -> Result<Recorded> {
    signal::check_recordable(event)?;
    if external {
        stream.context.backend.check_external(stream.to.native)?;
    }
    event.bind(stream.context, stream.through)?;
    if external {
        // Others know it from then on, and it is recorded when the graph runs.
        event::give_native(stream.context, event)?;
    }
    let flags = event.flags();
    let interprocess = flags.contains(EventFlags::INTERPROCESS);
    let mode = RecordMode { flags: flags.native(), external, interprocess };
    stream.context.backend.record(stream.to, &event.cell, mode)
}

#[cfg(test)]
mod tests {
    use super::super::event::EVENTS;
    use super::*;
    use crate::table::Word;

    #[test]
    fn records_are_counted_beyond_the_word() {
        let _turn = super::super::last_elapsed::TURN.lock();
        let handle = Event::create(EventFlags::DEFAULT).expect("an event");
        let slot = EVENTS.find(handle.0).expect("its slot").slot;
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
