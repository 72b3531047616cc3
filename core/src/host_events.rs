//! Events of the host backend without a gevt handle, for gevt's crates. Not part of gevt's interface: it may change
//! with every version.
//!
//! The user of such events has its own table and rules, as `hostcuda/` has CUDA's. Contexts, streams and interprocess
//! events are the core's as usual. These calls pin nothing, and so cost less than those of [`Event`]: a record takes
//! about 40 ns instead of 55, and a wait for a completed record 3 ns.
//!
//! [`Event`]: crate::Event

use crate::backend::deadlock;
use crate::backend::host::{self, Host, HostStream};
use crate::backend::{Backend, BackendKind, Cell, NativeStream, RecordMode, StreamRef};
use crate::error::{Error, Result};
use crate::machine::{context, stream};
use crate::probe::{self, Call, EventId};
use crate::table::{Context, Stream};
use crate::text::Name;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A stream of the host backend. It is never freed, but serves another stream once the one that it was taken from was destroyed.
#[derive(Clone, Copy)]
pub struct RawStream(&'static HostStream);

/// A variable that holds a [`RawStream`], or none at first.
pub struct AtomicRawStream(AtomicPtr<HostStream>);

/// An event's last record.
#[derive(Default)]
pub struct RawEvent(Cell);

/// Blocks until all streams of the context have finished the work submitted before the call. Unlike [`Context::sync`], it leaves the
/// streams' failures for other calls to report: an error means that the work may still run.
pub fn block_until_done(context: Context) -> Result<()> {
    Host::of(&*context::get(context.0)?.backend).ok_or(Error::ContextMismatch)?.sync_unreported(None).map(drop)
}

/// Returns whether the calling thread runs a function of a stream's.
pub fn is_inside_function() -> bool {
    deadlock::is_inside_function()
}

impl RawStream {
    /// Returns the host backend's stream for a handle.
    pub fn of(stream: Stream) -> Result<RawStream> {
        let stream = stream::get(stream.0)?;
        if stream.context.kind != BackendKind::HOST {
            return Err(Error::ContextMismatch);
        }
        Ok(RawStream(HostStream::of(stream.to.native)))
    }

    fn backend(self) -> Host {
        Host(self.0.device())
    }

    /// Returns whether the stream is idle: new work could run at once.
    pub fn is_idle(self) -> bool {
        self.0.device().is_idle(self.0)
    }

    /// Returns whether the stream has finished all submitted work.
    pub fn query(self) -> Result<bool> {
        self.backend().query_stream(self.0.token())
    }

    /// Makes later work in the stream wait for the event's last record. A trace calls the event by `handle`.
    pub fn wait(self, event: &RawEvent, handle: u64) -> Result<()> {
        let _traced = probe::slice(|| Call::new("stream waits for").of(event.traced(handle)).on(Some(self.0.traced())));
        if event.is_reached()? {
            return Ok(());
        }
        let backend = self.backend();
        let mark = backend.hold(&event.0);
        let waits = backend.wait(StreamRef::pinned(self.0.token()), mark, false);
        backend.unhold(&event.0, mark);
        waits
    }

    /// Blocks until the stream has at most so many pieces of work that are not done.
    pub fn block_until_at_most(self, most: u64) -> Result<()> {
        host::block_until_at_most(self.0, most)
    }

    /// Makes later work in the stream wait for all work in the streams of its context.
    pub fn wait_for_context(self) -> Result<()> {
        host::wait_for_all(self.0)
    }
}

impl Default for AtomicRawStream {
    fn default() -> AtomicRawStream {
        AtomicRawStream(AtomicPtr::new(null_mut()))
    }
}

impl AtomicRawStream {
    /// Stores a stream.
    pub fn store(&self, stream: RawStream) {
        self.0.store(std::ptr::from_ref(stream.0).cast_mut(), Ordering::Release);
    }

    /// Returns the stream, if one was stored.
    pub fn load(&self) -> Option<RawStream> {
        let token = self.0.load(Ordering::Acquire);
        (!token.is_null()).then(|| RawStream(HostStream::of(NativeStream(token as u64))))
    }
}

impl RawEvent {
    /// Records the event at the stream's present end. A trace calls it by `handle`.
    pub fn record(&'static self, stream: RawStream, handle: u64) -> Result<()> {
        let _traced = probe::slice(|| Call::record(self.traced(handle), Some(stream.0.traced())));
        let mode = RecordMode { flags: 0, external: false, interprocess: false };
        stream.backend().record(StreamRef::pinned(stream.0.token()), &self.0, mode).map(drop)
    }

    #[cold]
    fn traced(&self, handle: u64) -> Option<EventId> {
        Some(EventId { handle, cell: self.0.address(), serial: self.0.serial(), name: Name::default() })
    }

    /// Blocks until the last record is reached. With `spin`, the thread polls for some microseconds before it sleeps. A trace calls
    /// the event by `handle`.
    #[inline]
    pub fn block(&self, spin: bool, handle: u64) -> Result<()> {
        if self.is_reached()? { Ok(()) } else { self.block_pending(spin, handle) }
    }

    #[cold]
    fn block_pending(&self, spin: bool, handle: u64) -> Result<()> {
        let _traced = probe::slice(|| Call::new("sync").of(self.traced(handle)));
        // The backend of any device knows the records of all.
        Host(&host::devices()[0]).block_for_good(&self.0, spin)
    }

    /// Returns whether the stream has come to the last record; true if the event was never recorded.
    #[inline]
    pub fn is_reached(&self) -> Result<bool> {
        Ok(host::reached_mark(&self.0)?.is_some())
    }

    /// Returns when the stream reached the last record, in nanoseconds of the host's clock; `None` if it has not.
    #[inline]
    pub fn time(&self) -> Result<Option<i64>> {
        // The time is set when the record is reached, and may have been missing before.
        let time = |mark| match host::time_of(mark) {
            0 => host::time_of(host::last_mark(&self.0)),
            time => time,
        };
        Ok(host::reached_mark(&self.0)?.map(time))
    }

    /// Forgets the last record. The stream still reaches it.
    pub fn clear(&self) {
        host::clear(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, StreamFlags};
    use std::sync::mpsc;

    #[test]
    fn a_call_blocks_until_a_stream_has_little_to_do() -> Result<()> {
        let context = Context::open(BackendKind::HOST, 0)?;
        let stream = Stream::create(context, StreamFlags::NON_BLOCKING)?;
        let raw = RawStream::of(stream)?;
        let (open, gate) = mpsc::channel::<()>();
        stream.launch(move || _ = gate.recv())?;
        stream.launch(|| {})?;
        raw.block_until_at_most(2)?;
        assert!(!raw.query()?);
        assert!(!is_inside_function());
        let opener = std::thread::spawn(move || drop(open));
        raw.block_until_at_most(0)?;
        assert!(raw.query()?);
        let (send, inside) = mpsc::channel();
        stream.launch(move || _ = send.send((is_inside_function(), block_until_done(context))))?;
        block_until_done(context)?;
        assert!(raw.query()?);
        assert_eq!(inside.try_recv(), Ok((true, Err(Error::WouldDeadlock))));
        assert!(opener.join().is_ok());
        stream.destroy()?;
        context.close()
    }
}
