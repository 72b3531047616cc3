//! Records of several events by one call of a backend.

use super::event::{self, EVENTS, EventSlot};
use super::flags::EventFlags;
use super::{signal, stream, word};
use crate::backend::{Backend, Cell, NativeStream, Recorded};
use crate::error::{Error, Result};
use crate::process;
use crate::table::{Event, Kind, Stream};
use crate::trace::{self, Call};

/// Up to so many events are compared with each other; more are sorted.
const FEW: usize = 16;

/// Records the events, or none of them where `record` fails: it marks the cells, which are all different.
pub(crate) fn record_all<T>(
    stream: Stream,
    events: &[Event],
    record: impl FnOnce(&dyn Backend, NativeStream, &[&'static Cell]) -> Result<T>,
) -> Result<T> {
    process::check()?;
    let stream = stream::get(stream.0)?;
    if !process::is_normal() {
        stream.context.check()?;
    }
    if has_twice(events) {
        return Err(Error::BadArgument("records"));
    }
    let mut slices = Vec::new();
    if trace::is_on() {
        let traced = stream.traced();
        let record = |event: &Event| Call::record(event::traced(event.0), Some(traced));
        slices.extend(events.iter().map(|event| trace::slice(|| record(event))));
    }
    let mut cells = Vec::with_capacity(events.len());
    let mut recordings = Vec::with_capacity(events.len());
    for event in events {
        let slot = EVENTS.find(event.0)?;
        let (recording, now) = word::begin(slot, event.0, slot.word.load()).ok_or(Error::StaleHandle(Kind::Event))?;
        if now.records() == 0 {
            slot.value.add_wrap();
        }
        recordings.push(recording);
        let event: &'static EventSlot = &slot.value;
        signal::check_recordable(event)?;
        if event.flags().contains(EventFlags::INTERPROCESS) {
            return Err(Error::Unsupported("an INTERPROCESS event cannot be recorded there"));
        }
        event.bind(stream.context, stream.through)?;
        cells.push(&event.cell);
    }
    let recorded = record(&*stream.context.backend, stream.native, &cells)?;
    recordings.into_iter().for_each(|recording| word::end(recording, Some(Recorded::Pending)));
    // The innermost call ends first.
    slices.into_iter().rev().for_each(drop);
    Ok(recorded)
}

/// Returns whether an event is in the list twice.
fn has_twice(events: &[Event]) -> bool {
    if events.len() <= FEW {
        return events.iter().enumerate().any(|(at, event)| events[..at].contains(event));
    }
    let mut handles: Vec<u64> = events.iter().map(|event| event.to_bits()).collect();
    handles.sort_unstable();
    handles.windows(2).any(|pair| pair[0] == pair[1])
}
