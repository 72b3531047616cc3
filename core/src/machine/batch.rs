//! Batches: records of several events in the program's submit.

use super::event::{self, EVENTS, EventSlot};
use super::losses;
use super::signal;
use super::stream::{self, StreamView};
use crate::backend::{Backend, Recorded, StreamRef};
use crate::error::{Error, Result};
use crate::flags::EventFlags;
use crate::probe::{self, Call, Slice};
use crate::process;
use crate::table::{Event, Found, Stream};
use smallvec::SmallVec;

/// Batches of more events need the heap.
const FEW: usize = 16;

/// Begins a batch by a call of the backend, which records the events, or fails and records none of them.
pub(crate) fn begin<T>(
    stream: Stream,
    events: impl ExactSizeIterator<Item = Event> + Clone,
    call: impl FnOnce(&dyn Backend, &StreamRef<'_>, &[Found<'static, EventSlot>]) -> Result<T>,
) -> Result<T> {
    process::check()?;
    stream::in_device(stream.0, |stream| {
        losses::check(stream.context)?;
        let slices = if probe::is_on() { Some(trace(stream, events.clone())) } else { None };
        let mut found = SmallVec::<[_; FEW]>::new();
        found.try_reserve_exact(events.len()).map_err(|_| Error::OutOfMemory)?;
        for event in events {
            found.push(recordable(event, stream)?);
        }
        let begun = call(&*stream.context.backend, &stream.to, &found)?;
        // Each record shows in the event's word from now on, like that of an event that is not pinned.
        found.iter().for_each(|event| event.note(Some(Recorded::Pending)));
        if let Some(mut slices) = slices {
            // The innermost call ends first.
            while slices.pop().is_some() {}
        }
        Ok(begun)
    })
}

/// Begins a slice of a trace for each event.
#[cold]
fn trace(stream: &StreamView, events: impl Iterator<Item = Event>) -> Vec<Slice> {
    let traced = stream.traced();
    events.map(|event| probe::slice(|| Call::record(event::traced(event.0), Some(traced)))).collect()
}

/// Finds an event, and binds it to the stream's context if it is not bound.
#[inline]
fn recordable(event: Event, stream: &StreamView) -> Result<Found<'static, EventSlot>> {
    let found = EVENTS.find(event.0)?;
    let slot: &EventSlot = &found.slot.value;
    if slot.flags().bits() & (EventFlags::HOST_SIGNALED | EventFlags::INTERPROCESS).bits() != 0 {
        signal::check_recordable(slot)?;
        return Err(Error::Unsupported("an INTERPROCESS event cannot be recorded there"));
    }
    if !slot.is_bound_to(stream.context) {
        found.pin()?.bind(stream.context, stream.through())?;
    }
    Ok(found)
}
