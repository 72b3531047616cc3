//! Record: marks the present end of a stream.

use super::event::{EVENTS, EventSlot};
use super::flags::{EventFlags, RecordFlags};
use super::stream::{self, StreamUse};
use super::{event, word};
use crate::backend::{RecordMode, Recorded};
use crate::error::{Error, Result};
use crate::process;
use crate::table::{Event, Kind, Stream};
use crate::trace::{self, Call};

impl Event {
    /// Records the event at the stream's present end: it is done when the stream has done all that it holds now.
    pub fn record(self, stream: Stream) -> Result<()> {
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
        let (recording, now) = word::begin(slot, event).ok_or(Error::StaleHandle(Kind::Event))?;
        if now.records() == 0 {
            slot.value.add_wrap();
        }
        let outcome = mark(&slot.value, &stream, external)?;
        word::end(recording, Some(outcome));
        Ok(())
    }
}

fn mark(event: &'static EventSlot, stream: &StreamUse, external: bool) -> Result<Recorded> {
    if external {
        stream.context.backend.check_external(stream.native)?;
    }
    event.bind(stream.context, stream.through)?;
    let flags = event.flags();
    let interprocess = flags.contains(EventFlags::INTERPROCESS);
    let mode = RecordMode { flags: flags.native(), external, interprocess, capturable: stream.capturable };
    stream.context.backend.record(stream.native, &event.cell, mode)
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
