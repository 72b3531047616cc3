//! Records of several events by one call of a backend.

use super::event::{self, EVENTS, EventSlot};
use super::flags::EventFlags;
use super::{stream, word};
use crate::backend::{Backend, Cell, NativeStream, Recorded};
use crate::error::{Error, Result};
use crate::process;
use crate::table::{Event, Kind, Stream};
use crate::trace::{self, Call};

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
    let mut handles: Vec<u64> = events.iter().map(|event| event.to_bits()).collect();
    handles.sort_unstable();
    if handles.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(Error::BadArgument("records"));
    }
    let mut slots = Vec::with_capacity(events.len());
    for event in events {
        slots.push((EVENTS.find(event.0)?, event.0));
    }
    let traced = stream.traced();
    let slices: Vec<_> = events
        .iter()
        .map(|event| event.0)
        .map(|event| trace::slice(move || Call::record(event::traced(event), Some(traced))))
        .collect();
    let mut recordings = Vec::with_capacity(slots.len());
    for (slot, handle) in &slots {
        let (recording, now) = word::begin(slot, *handle).ok_or(Error::StaleHandle(Kind::Event))?;
        if now.records() == 0 {
            slot.value.add_wrap();
        }
        recordings.push(recording);
    }
    let mut cells = Vec::with_capacity(slots.len());
    for (slot, _) in &slots {
        let event: &'static EventSlot = &slot.value;
        if event.flags().contains(EventFlags::INTERPROCESS) {
            return Err(Error::Unsupported("an INTERPROCESS event cannot be recorded there"));
        }
        event.bind(stream.context, stream.through)?;
        cells.push(&event.cell);
    }
    let recorded = record(&*stream.context.backend, stream.native, &cells)?;
    recordings.into_iter().for_each(|recording| word::end(recording, Some(Recorded::Pending)));
    slices.into_iter().rev().for_each(drop);
    Ok(recorded)
}
