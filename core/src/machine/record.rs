//! Record: marks the present end of a stream.

use super::stream::{self, StreamUse, is_external};
use super::{event, memory};
use crate::backend::{RecordMode, Recorded};
use crate::error::{Error, Result};
use crate::process;
use crate::table::{Event, Handle, Kind, Slot, Stored, Stream, Word};
use crate::trace::{self, Call};

impl Event {
    /// Records the event on the stream.
    pub fn record(self, stream: Stream, flags: u32) -> Result<()> {
        let (event, stream) = (self.0, stream.0);
        let _traced = trace::slice(move || Call::record(event::traced(event), stream::traced(stream)));
        process::check()?;
        let table = event::EventSlot::table();
        let slot = table.find(event)?;
        let stream = stream::get_to_record(stream)?;
        let external = is_external(flags)?;
        if !process::is_calm() {
            stream.context.check()?;
        }
        let mut recording = Recording::begin(slot, event)?;
        recording.outcome = Some(mark(slot, &stream, external)?);
        Ok(())
    }
}

fn mark(slot: &'static Slot<event::EventSlot>, stream: &StreamUse, external: bool) -> Result<Recorded> {
    if external {
        stream.context.backend.check_external(stream.native)?;
    }
    slot.value.bind(stream.context, stream.through)?;
    let flags = slot.value.flags();
    let interprocess = flags.has(event::EventFlags::INTERPROCESS);
    let mode = RecordMode { flags: flags.native(), external, interprocess, capturable: stream.capturable };
    stream.context.backend.record(stream.native, &slot.value.cell, mode)
}

/// A record in progress: queries see it in the word, and the event is not recycled before it ends.
struct Recording {
    slot: &'static Slot<event::EventSlot>,
    handle: Handle,
    before: Word,
    outcome: Option<Recorded>,
}

impl Recording {
    fn begin(slot: &'static Slot<event::EventSlot>, handle: Handle) -> Result<Recording> {
        let (before, now) = memory::begin(slot, handle.generation()).ok_or(Error::StaleHandle(Kind::Event))?;
        if now.records() == 0 {
            slot.value.add_wrap();
        }
        Ok(Recording { slot, handle, before, outcome: None })
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        if memory::end(self.slot, self.before, self.outcome) {
            event::EventSlot::table().recycle(self.slot, self.handle.index());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_counted_beyond_the_word() {
        let handle = Event::create(0).expect("an event");
        let slot = event::EventSlot::table().find(handle.0).expect("its slot");
        let mut word = slot.word.load();
        for _ in 0..Word::MAX_RECORDS {
            word = word.begin_record().end_record();
        }
        slot.word.publish(word);
        let counts = [0, 1, 2].map(|_| {
            let count = handle.info().expect("it lives").records;
            handle.record(Stream::NULL, 0).expect("it is recorded");
            count
        });
        assert_eq!(counts, [0, 1, 2].map(|more| Word::MAX_RECORDS + more));
        handle.destroy().expect("it lives");
    }
}
