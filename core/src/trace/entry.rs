//! The entries of a trace. They have one size, so that the buffer's memory is known beforehand.

use super::thread;
use crate::clock;
use crate::text::Name;

/// One thing that happened.
pub(crate) struct TraceEntry {
    /// When, on [`clock`].
    pub(super) time: i64,
    /// The thread that put it there.
    pub(super) thread: u32,
    pub(super) what: What,
}

/// What happened.
pub(crate) enum What {
    /// The thread began a call, or a function of the caller's, inside the one that began at that time, or inside none: 0.
    Begin { call: Call, inside: i64 },
    /// It ended what it began at that time.
    End { since: i64 },
    /// The stream began to run a function, or items, as they are called.
    StreamRuns(StreamId, &'static str),
    /// The stream came to a wait for something that has not got there.
    StreamWaits(StreamId, Obstacle),
    /// The stream is through with what it ran or waited for.
    StreamGoesOn(StreamId),
    /// The host's stream came to the record `serial` of what `cell` serves.
    Reached { cell: usize, serial: u64, stream: StreamId, time: i64 },
    /// An event was found to be done; `time` is the device's, put on [`clock`], where it is known.
    Completed { event: EventId, time: Option<i64> },
    /// What the pairs that follow call the event.
    Label(EventId),
    /// The program asked for the time between these records of two events, which were reached at these times.
    Pair { start: usize, end: usize, records: [u64; 2], times: [i64; 2], stream: Option<StreamId> },
    /// A short thing that the thread did.
    Instant(Call),
    /// A stream was made: the number may have been another stream's before.
    NewStream(StreamId),
    /// What the thread is called, of whose entries this is the first.
    Thread(Name),
    /// What the stream is called from now on; nothing takes its name away.
    StreamName(StreamId, Name),
    /// A device's clock was compared with the host's, to within so many nanoseconds.
    Compared { place: Place, uncertain: i64 },
}

/// What a stream waits for.
#[derive(Clone, Copy)]
pub(crate) enum Obstacle {
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
pub(crate) struct Call {
    pub(crate) name: &'static str,
    pub(crate) event: Option<EventId>,
    pub(crate) stream: Option<StreamId>,
    /// It records the event on the stream.
    pub(crate) records: bool,
}

/// An event as a trace knows it.
#[derive(Clone, Copy)]
pub(crate) struct EventId {
    pub(crate) handle: u64,
    /// The address of its cell, by which a backend knows it.
    pub(crate) cell: usize,
    /// The serial of the cell's last record by now.
    pub(crate) serial: u64,
    pub(crate) name: Name,
}

/// Where streams belong together.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    /// A device of the host backend.
    Host { device: i32 },
    /// A CUDA context.
    Cuda { device: i32, context: u64 },
    /// A driver of which only the calls are seen.
    Driver,
    /// A Vulkan device.
    Vulkan { device: i32, context: u64 },
}

/// A stream as a trace knows it.
#[derive(Clone, Copy)]
pub(crate) struct StreamId {
    pub(crate) place: Place,
    /// The backend's own number for the stream.
    pub(crate) native: u64,
    pub(crate) is_default: bool,
}

impl Call {
    pub(crate) fn new(name: &'static str) -> Call {
        Call { name, event: None, stream: None, records: false }
    }

    pub(crate) fn record(event: Option<EventId>, stream: Option<StreamId>) -> Call {
        Call { records: true, ..Call::new("record").of(event).on(stream) }
    }

    pub(crate) fn of(self, event: Option<EventId>) -> Call {
        Call { event, ..self }
    }

    pub(crate) fn on(self, stream: Option<StreamId>) -> Call {
        Call { stream, ..self }
    }
}

impl TraceEntry {
    /// Of the calling thread, now.
    pub(super) fn now(what: What) -> TraceEntry {
        TraceEntry { time: clock::now(), thread: thread::id(), what }
    }
}
