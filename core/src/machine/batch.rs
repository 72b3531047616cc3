//! Records of several events by one call of a backend.

use super::event::{self, EVENTS, EventSlot};
use super::flags::EventFlags;
use super::losses;
use super::signal;
use super::stream::{self, StreamUse};
use super::word::Recording;
use crate::backend::{Backend, Cell, NativeStream, Recorded};
use crate::error::{Error, Result};
use crate::probe::{self, Call};
use crate::process;
use crate::table::{Event, Stream};

/// Up to so many are listed without memory of the heap.
const LISTED: usize = 8;

/// A place in a list of cells that is not filled yet.
static NOBODYS: Cell = Cell::new();

type EventRecording = Recording<'static, EventSlot>;

/// Records the events, or none of them if `record` fails: it marks the cells, which are all different.
pub(crate) fn record_all<T>(
    stream: Stream,
    events: impl ExactSizeIterator<Item = Event> + Clone,
    record: impl FnOnce(&dyn Backend, NativeStream, &[&'static Cell]) -> Result<T>,
) -> Result<T> {
    process::check()?;
    let stream = stream::get(stream.0)?;
    losses::check(stream.context)?;
    let mut slices = Vec::new();
    if probe::is_on() {
        let traced = stream.traced();
        let record = |event: Event| Call::record(event::traced(event.0), Some(traced));
        slices.extend(events.clone().map(|event| probe::slice(|| record(event))));
    }
    let count = events.len();
    let mut few: ([&Cell; LISTED], [Option<EventRecording>; LISTED]) = ([&NOBODYS; LISTED], [const { None }; LISTED]);
    let mut more: (Vec<&Cell>, Vec<Option<EventRecording>>) = (Vec::new(), Vec::new());
    let (cells, recordings) = if count <= LISTED {
        (&mut few.0[..count], &mut few.1[..count])
    } else {
        more.0.resize(count, &NOBODYS);
        more.1.resize_with(count, || None);
        (&mut more.0[..], &mut more.1[..])
    };
    let mut checked = false;
    for ((event, cell), recording) in events.clone().zip(&mut *cells).zip(&mut *recordings) {
        let (begun, own, is_recorded_twice) = begin(event, &stream)?;
        (*cell, *recording) = (begun, Some(own));
        // By another thread, unless the event is in the list twice.
        if is_recorded_twice && !checked {
            if has_twice(events.clone()) {
                return Err(Error::BadArgument("records"));
            }
            checked = true;
        }
    }
    let recorded = record(&*stream.context.backend, stream.to.native, cells)?;
    let recordings = recordings.iter_mut().filter_map(Option::take);
    recordings.for_each(|recording| recording.end(Recorded::Pending));
    // The innermost call ends first.
    slices.into_iter().rev().for_each(drop);
    Ok(recorded)
}

/// Begins the record of one event; also returns whether another record of it is in progress.
fn begin(event: Event, stream: &StreamUse) -> Result<(&'static Cell, EventRecording, bool)> {
    let found = EVENTS.find(event.0)?;
    let recording = found.begin_record()?;
    let event: &'static EventSlot = &found.slot.value;
    signal::check_recordable(event)?;
    if event.flags().contains(EventFlags::INTERPROCESS) {
        return Err(Error::Unsupported("an INTERPROCESS event cannot be recorded there"));
    }
    event.bind(stream.context, stream.through)?;
    let is_alone = recording.before().recording() == 0;
    Ok((&event.cell, recording, !is_alone))
}

/// Returns whether an event is in the list twice.
#[cold]
fn has_twice(events: impl Iterator<Item = Event>) -> bool {
    let mut handles: Vec<u64> = events.map(Event::to_bits).collect();
    handles.sort_unstable();
    handles.windows(2).any(|pair| pair[0] == pair[1])
}
