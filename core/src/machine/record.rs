//! Record: marks the present end of a stream.

use super::event::{EVENTS, EventSlot};
use super::stream::{self, StreamView};
use super::{event, signal};
use crate::backend::{EventRef, Recorded};
use crate::error::{Error, Result};
use crate::flags::RecordFlags;
use crate::probe::{self, Call};
use crate::process;
use crate::table::{Event, Found, Handle, Stream};

impl Event {
    /// Records the event at the stream's current end: it completes when all work submitted so far has finished.
    #[inline]
    pub fn record(self, stream: Stream) -> Result<()> {
        self.record_with(stream, RecordFlags::DEFAULT)
    }

    /// Like [`Event::record`], with flags.
    #[inline(always)]
    pub fn record_with(self, stream: Stream, flags: RecordFlags) -> Result<()> {
        let handle = stream.0;
        let event = EVENTS.find(self.0).map_err(|error| refusal(error, handle))?;
        let unpinned = |stream: &StreamView| {
            let (value, context) = (&event.slot.value, stream.context);
            let is_plain = flags == RecordFlags::DEFAULT && !event.word.asks() && value.is_bound_to(context);
            let backend = if is_plain { context.unpinned() } else { None }?;
            let outcome = backend.record(&stream.to, event.to_ref(), value.flags(), false).ok()?;
            event.note(Some(outcome));
            Some(Ok(()))
        };
        stream::submit(handle, unpinned, |stream| record_pinned(event, stream, flags))
    }
}

/// Why an event that was not found cannot be recorded. Of an event that has ended that is less important than an error of the stream.
#[cold]
fn refusal(error: Error, stream: Handle) -> Error {
    let of_stream = if let Error::StaleHandle(_) = error { stream::usable(stream).err() } else { None };
    of_stream.unwrap_or_else(|| process::refusal(error))
}

#[inline(never)]
fn record_pinned(event: Found<'static, EventSlot>, stream: &StreamView, flags: RecordFlags) -> Result<()> {
    let _traced = probe::slice(|| Call::record(event::traced(event.handle), Some(stream.traced())));
    let external = flags.check()?.contains(RecordFlags::EXTERNAL);
    let _guard = event.pin()?;
    let outcome = make(&event.slot.value, stream, external);
    event.note(outcome.ok());
    outcome.map(drop)
}

fn make(value: &'static EventSlot, stream: &StreamView, external: bool) -> Result<Recorded> {
    let backend = &stream.context.backend;
    signal::check_recordable(value)?;
    if external {
        backend.check_external(stream.to.native)?;
    }
    value.bind(stream.context, stream.through())?;
    if external {
        // Others know it from then on, and it is recorded when the graph runs.
        backend.give_native(&value.cell, value.flags())?;
    }
    backend.record(&stream.to, EventRef::pinned(&value.cell), value.flags(), external)
}

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;
