//! Calls of a driver's functions in a trace, for the drop-in, which has no streams of gevt's.

use super::{Sinks, install, os};
use gevt_core::probe::{self, Begun, Call, EventId, Place, Probe, StreamId, What};
use gevt_core::{Name, Result, lifecycle};

/// A call under way that is being traced. It has no destructor, as a thread may be canceled in the drop-in's call of the driver.
#[derive(Clone, Copy)]
pub struct DriverCall(Begun);

/// The event and the stream of a call, by the driver's addresses.
#[derive(Clone, Copy, Default)]
pub struct Subject {
    /// An event, or 0.
    pub event: usize,
    /// A stream. 0 and 1 are the default one, and 2 is the calling thread's own.
    pub stream: Option<usize>,
    /// Whether the call records the event on the stream.
    pub records: bool,
}

/// Begins the trace that GEVT_TRACE asks for, if it does.
pub fn start_trace() -> Result<()> {
    install();
    lifecycle::begin()
}

fn event_of(address: usize) -> Option<EventId> {
    let event = || EventId { handle: address as u64, cell: address, serial: 0, name: Name::EMPTY };
    (address != 0).then(event)
}

fn stream_of(address: usize) -> StreamId {
    const PER_THREAD: usize = 2;
    let thread = if address == PER_THREAD { u64::from(os::number_of_thread()) << 8 } else { 0 };
    StreamId { place: Place::Driver, native: address as u64 | thread, is_default: address < PER_THREAD }
}

impl DriverCall {
    /// Begins a call; `None` if nothing is traced.
    #[must_use]
    pub fn begin(name: &'static str, about: Subject) -> Option<DriverCall> {
        let call = || Call {
            records: about.records,
            ..Call::new(name).of(event_of(about.event)).on(about.stream.map(stream_of))
        };
        probe::is_on().then(|| DriverCall(Sinks.begin_call(call())))
    }

    /// Ends it.
    #[cold]
    pub fn end(self) {
        Sinks.end_call(self.0);
    }
}

/// Notes that a call has found an event complete.
pub fn completed(event: usize) {
    if let Some(event) = event_of(event) {
        probe::put(|| What::Completed { event, time: None });
    }
}
