//! Records of several events by one call of a backend.

use super::event::{EVENTS, EventSlot};
use super::flags::EventFlags;
use super::losses;
use super::stream::{self, StreamUse};
use super::word::Recording;
use super::{event, signal};
use crate::backend::{Backend, Cell, NativeStream};
use crate::error::{Error, Result};
use crate::probe::{self, Call, Slice};
use crate::process;
use crate::table::{Event, Stream};
use smallvec::SmallVec;

type EventRecording = Recording<'static, EventSlot>;

/// The cells of events whose records have begun.
#[derive(Clone)]
pub(crate) struct Cells<'a>(std::slice::Iter<'a, EventRecording>);

impl Iterator for Cells<'_> {
    type Item = &'static Cell;

    #[inline]
    fn next(&mut self) -> Option<&'static Cell> {
        self.0.next().map(|recording| &recording.value().cell)
    }
}

/// Records the events, or none of them if `record` fails: it marks the cells, which are all different.
pub(crate) fn record_all<T>(
    stream: Stream,
    events: impl ExactSizeIterator<Item = Event> + Clone,
    record: impl FnOnce(&dyn Backend, NativeStream, Cells<'_>) -> Result<T>,
) -> Result<T> {
    process::check()?;
    let stream = stream::get(stream.0)?;
    losses::check(stream.context)?;
    let slices = if probe::is_on() { Some(trace(&stream, events.clone())) } else { None };
    let mut recordings: SmallVec<[EventRecording; 16]> = SmallVec::with_capacity(events.len());
    let mut checked = false;
    for event in events.clone() {
        let found = EVENTS.find(event.0)?;
        let (recording, before) = found.begin_record()?;
        recordings.push(recording);
        check(&found.slot.value, &stream)?;
        // Another record is in progress: by another thread, unless the event is in the list twice.
        if before.recording() > 0 && !checked {
            if has_twice(events.clone()) {
                return Err(Error::BadArgument("records"));
            }
            checked = true;
        }
    }
    let recorded = record(&*stream.context.backend, stream.to.native, Cells(recordings.iter()))?;
    recordings.drain(..).for_each(Recording::end_pending);
    if let Some(mut slices) = slices {
        // The innermost call ends first.
        while slices.pop().is_some() {}
    }
    Ok(recorded)
}

/// Begins a slice of a trace for each event.
#[cold]
fn trace(stream: &StreamUse, events: impl Iterator<Item = Event>) -> Vec<Slice> {
    let traced = stream.traced();
    events.map(|event| probe::slice(|| Call::record(event::traced(event.0), Some(traced)))).collect()
}

/// Binds an event whose record has begun, and fails if it cannot be recorded on the stream.
#[inline]
fn check(event: &EventSlot, stream: &StreamUse) -> Result<()> {
    signal::check_recordable(event)?;
    if event.flags().contains(EventFlags::INTERPROCESS) {
        return Err(Error::Unsupported("an INTERPROCESS event cannot be recorded there"));
    }
    event.bind(stream.context, stream.through)
}

/// Returns whether an event is in the list twice.
#[cold]
fn has_twice(events: impl Iterator<Item = Event>) -> bool {
    let mut handles: Vec<u64> = events.map(Event::to_bits).collect();
    handles.sort_unstable();
    handles.windows(2).any(|pair| pair[0] == pair[1])
}
