//! What is reported to a trace.
#![expect(missing_docs, reason = "the comments of the types and variants say what their fields are")]

use crate::text::Name;

/// Something that happened.
pub enum What {
    /// The thread began a call, or the program's function, inside the one that began at that time, or inside none: 0.
    Begin { call: Call, inside: i64 },
    /// It ended what it began at that time.
    End { since: i64 },
    /// The stream began to run a function, or items, as they are called.
    StreamRuns(StreamId, &'static str),
    /// The stream reached a wait for something that has not completed.
    StreamWaits(StreamId, Obstacle),
    /// The stream has finished what it ran or waited for.
    StreamGoesOn(StreamId),
    /// The host's stream reached the record `serial` of what `cell` serves.
    Reached { cell: usize, serial: u64, stream: StreamId, time: i64 },
    /// A call found the event complete; `time` is the device's, on the clock of [`now`](super::now), if it is known.
    Completed { event: EventId, time: Option<i64> },
    /// The name of an event in the pairs that follow.
    Label(EventId),
    /// The program asked for the time between these records of two events, which were reached at these times.
    Pair { start: usize, end: usize, records: [u64; 2], times: [i64; 2] },
    /// A short thing that the thread did.
    Instant(Call),
    /// A stream was created: its number may have been another stream's before.
    NewStream(StreamId),
    /// The name of the thread, before its first entry.
    Thread(Name),
    /// The name of the stream from now on; no stream loses its name.
    StreamName(StreamId, Name),
    /// A device's clock was compared with the host's, to within so many nanoseconds.
    Compared { place: Place, uncertain: i64 },
}

/// What a stream waits for.
#[derive(Clone, Copy)]
pub enum Obstacle {
    /// That stream.
    Stream(StreamId),
    /// Some other stream.
    AnyStream,
    /// Another process.
    Process,
    /// A stream of another backend.
    Backend,
    /// The program, which signals.
    Signal,
}

/// A call, and what it is about.
#[derive(Clone, Copy)]
pub struct Call {
    pub name: &'static str,
    pub event: Option<EventId>,
    pub stream: Option<StreamId>,
    /// It records the event on the stream.
    pub records: bool,
}

/// An event as a trace knows it.
#[derive(Clone, Copy)]
pub struct EventId {
    pub handle: u64,
    /// The address of its cell, by which a backend knows it.
    pub cell: usize,
    /// The serial of the cell's last record by now.
    pub serial: u64,
    pub name: Name,
}

/// Where streams belong together.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// A device of the host backend.
    Host { device: i32 },
    /// A CUDA context.
    Cuda { device: i32, context: u64 },
    /// A driver. Only its calls are seen.
    Driver,
    /// A Vulkan device.
    Vulkan { device: i32, context: u64 },
}

/// A stream as a trace knows it.
#[derive(Clone, Copy)]
pub struct StreamId {
    pub place: Place,
    /// The backend's own number for the stream.
    pub native: u64,
    pub is_default: bool,
}

impl Call {
    pub fn new(name: &'static str) -> Call {
        Call { name, event: None, stream: None, records: false }
    }

    pub fn record(event: Option<EventId>, stream: Option<StreamId>) -> Call {
        Call { records: true, ..Call::new("record").of(event).on(stream) }
    }

    pub fn of(self, event: Option<EventId>) -> Call {
        Call { event, ..self }
    }

    pub fn on(self, stream: Option<StreamId>) -> Call {
        Call { stream, ..self }
    }
}
