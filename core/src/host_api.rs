//! What hostcuda/ used before the core had a safe face of its own. It is removed as soon as nothing uses it.
//!
//! Use the face instead; a thing of CUDA's holds one of these, or is one:
//!
//! | here | in place of it |
//! | --- | --- |
//! | `check`, `device_count` | `process::check`, `Context::device_count(Backend::HOST)` |
//! | `watch` | nothing: `Context::create` and `Event::create` do it |
//! | `Device::new(n)` | `Context::create(Backend::HOST, n)`. It never ends; when a CUcontext is destroyed, `sync` it and keep it for the next CUcontext of the device |
//! | `default_stream` | `Stream::adopt(context, 0)`, once for each context |
//! | `create_stream`, `destroy_stream`, `query_stream`, `sync_stream`, `sync` | `Stream::create(context, StreamFlags)`, `Stream::destroy`, `query`, `sync`, `Context::sync` |
//! | `launch` | `Stream::launch(closure)`; `Stream::launch_fn(unsafe { HostFn::new(function, user) })` for a function of the caller's |
//! | `Event`, `record`, `wait`, `reached`, `block`, `until` | `Event::create_in(context, EventFlags::from_bits(flags))`, `Event::record(stream)`, `Stream::wait(event)`, `Event::query`, `sync`, `Event::elapsed(start, end)` in nanoseconds |
//! | hostcuda's ipc.rs, `is_idle` | `Event::export() -> Result<[u8; 64]>`, `Event::import(context, &bytes)` of an event with `EventFlags::INTERPROCESS`; the events are then recorded, queried and waited for as others |
//! | hostcuda's table.rs | `table::table! { static STREAMS: Stream, Stream; }` with `Recycle` for its value; `insert`, `peek` (no guard, as hostcuda's `get`), `get` (guarded), `remove`. `Kind` has Event, Stream, Context, Graph, ExecutableGraph; one table for each type, so that two kinds of graph need two types |
//! | `AtomicStream`, `Link` | `AtomicU64` with `to_bits` and `from_bits` |
//!
//! A CUevent may be the core's `Event` itself (`to_bits`): its slot already holds its flags and how it stands. What a capture
//! makes of an event then stands beside it, keyed by its handle.

use crate::backend::host::{self, Host};
use crate::backend::{Backend, Cell, Mark, NativeStream, RecordMode, Recorded};
use crate::error::Result;
use crate::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

pub use crate::backend::HostFn;

/// Refuses calls in a forked child and during exit.
pub fn check() -> Result<()> {
    process::check()
}

/// Lets gevt know of forks and of the process's end.
pub fn watch() -> Result<()> {
    process::watch()
}

/// How many devices the host backend has.
pub fn device_count() -> usize {
    host::devices().len()
}

/// Streams that are ordered among each other, as those of one CUDA context are.
#[derive(Clone, Copy)]
pub struct Device(&'static host::HostDevice);

/// A stream of a [`Device`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Stream(NativeStream);

/// An event's place for its last record. Like all of the backend's objects it is reused and never freed.
#[derive(Default)]
pub struct Event(Cell);

/// A record of an [`Event`].
#[derive(Clone, Copy)]
pub struct Record(Mark);

impl Device {
    /// A device of that number with a default stream of its own. It lives as long as the process.
    pub fn new(number: i32) -> Device {
        Device(Box::leak(Box::new(host::HostDevice::new(number))))
    }

    /// The stream that is ordered against all blocking ones of the device.
    pub fn default_stream(self) -> Result<Stream> {
        Host(self.0).default_stream().map(Stream)
    }

    /// Makes a stream.
    pub fn create_stream(self, non_blocking: bool) -> Result<Stream> {
        Host(self.0).create_stream(non_blocking).map(Stream)
    }

    /// Gives a stream of [`Device::create_stream`] back. Its work still runs to the end.
    pub fn destroy_stream(self, stream: Stream) {
        Host(self.0).destroy_stream(stream.0);
    }

    /// Has the stream done all that it was given?
    pub fn query_stream(self, stream: Stream) -> Result<bool> {
        Host(self.0).query_stream(stream.0)
    }

    /// Blocks until the stream has done all that it was given before the call.
    pub fn sync_stream(self, stream: Stream) -> Result<()> {
        Host(self.0).sync_stream(stream.0)
    }

    /// Blocks until all streams have done what they were given before the call.
    pub fn sync(self) -> Result<()> {
        Host(self.0).sync()
    }

    /// Has the stream nothing to do and nothing to wait for, so that work given to it now could as well be done at once?
    pub fn is_idle(self, stream: Stream) -> Result<bool> {
        Ok(self.0.is_idle(self.0.resolve(stream.0)?))
    }

    /// Runs a function in the stream's order, on a thread of the backend's.
    pub fn launch(self, stream: Stream, function: HostFn) -> Result<()> {
        Host(self.0).launch(stream.0, function)
    }

    /// Lets what the stream is given from now on wait for the record. It may be another device's.
    pub fn wait(self, stream: Stream, record: Record) -> Result<()> {
        Host(self.0).wait(stream.0, record.0, false)
    }

    /// Records the event at the stream's present end; true where the stream has got there already.
    pub fn record(self, stream: Stream, event: &'static Event) -> Result<bool> {
        Ok(Host(self.0).record(
            stream.0,
            &event.0,
            RecordMode { flags: 0, external: false, interprocess: false, capturable: false },
        )? == Recorded::Complete)
    }

    /// Has the record's stream come to it?
    pub fn reached(self, record: Record) -> Result<bool> {
        Host(self.0).reached(record.0)
    }

    /// Blocks until the record is reached, or until the deadline; false where the time ran out.
    pub fn block(self, record: Record, spin: bool, deadline: Option<Instant>) -> Result<bool> {
        Host(self.0).block(record.0, spin, deadline)
    }
}

impl Event {
    /// The event's last record.
    pub fn last(&self) -> Record {
        Record(host::last_mark(&self.0))
    }

    /// Forgets the last record.
    pub fn clear(&self) {
        host::clear(&self.0);
    }
}

impl Record {
    /// Nanoseconds from one record to a later one; both are reached.
    pub fn until(self, end: Record) -> i64 {
        host::time_of(end.0) - host::time_of(self.0)
    }
}

/// A place for a stream that threads share.
#[derive(Default)]
pub struct AtomicStream(AtomicU64);

impl AtomicStream {
    /// Puts a stream there.
    pub fn store(&self, stream: Stream) {
        self.0.store(stream.0.0, Ordering::Release);
    }

    /// The stream; none before the first store.
    pub fn load(&self) -> Option<Stream> {
        let token = self.0.load(Ordering::Acquire);
        (token != 0).then_some(Stream(NativeStream(token)))
    }
}
