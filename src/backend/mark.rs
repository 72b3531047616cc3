//! The point in a stream that a record marked.

use super::NativeStream;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// Where a stream stood when it was recorded. On CUDA only `position` counts, and is the native event.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Mark {
    /// Tells the records of one cell apart, over all the events that it serves.
    pub(crate) serial: u64,
    /// The stream; none before the first record.
    pub(crate) stream: NativeStream,
    /// How much the stream had been given.
    pub(crate) position: u64,
    /// When the stream came there, in nanoseconds of the backend's clock; valid once it is reached.
    pub(crate) time: i64,
}

impl Mark {
    /// The mark of an event that the driver keeps itself.
    pub(crate) fn of_native(event: u64) -> Mark {
        Mark { position: event, ..Mark::default() }
    }
}

/// An elapsed time that was asked for, with all that it depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pair {
    /// The handle of the event at which the time starts.
    pub(crate) start: u64,
    /// The words of the two events.
    pub(crate) words: [u64; 2],
}

enum Kept {
    /// The host backend's last mark.
    Mark(Mark),
    /// On CUDA, where asking costs more than remembering: the last time asked for that ends here, in nanoseconds.
    Elapsed(Pair, i64),
}

/// What a backend keeps in an event. Lives as long as the process, and serves one event after the other.
#[derive(Default)]
pub(crate) struct Cell {
    pub(super) native: AtomicU64,
    /// Waits in progress on any of the native events.
    pub(super) holds: AtomicU32,
    pub(super) inner: Mutex<Inner>,
}

#[derive(Default)]
pub(super) struct Inner {
    kept: Kept,
    /// The native events that were ever held, with the waits on each.
    pub(super) held: Option<Box<Vec<(u64, u32)>>>,
}

impl Default for Kept {
    fn default() -> Kept {
        Kept::Mark(Mark::default())
    }
}

impl Kept {
    fn mark(&self) -> Mark {
        match self {
            Kept::Mark(mark) => *mark,
            Kept::Elapsed(..) => Mark::default(),
        }
    }
}

impl Cell {
    /// A time that was kept for just this pair.
    pub(crate) fn elapsed(&self, pair: Pair) -> Option<i64> {
        match self.inner.lock().kept {
            Kept::Elapsed(kept, ns) if kept == pair => Some(ns),
            _ => None,
        }
    }

    /// Keeps a time, in a cell that the host backend does not use.
    pub(crate) fn keep_elapsed(&self, pair: Pair, ns: i64) {
        if self.native() != 0 {
            self.inner.lock().kept = Kept::Elapsed(pair, ns);
        }
    }

    pub(crate) fn mark(&self) -> Mark {
        self.inner.lock().kept.mark()
    }

    /// Sets a mark that is reached already.
    pub(crate) fn set_reached(&self, stream: NativeStream, time: i64) {
        let kept = &mut self.inner.lock().kept;
        *kept = Kept::Mark(Mark { serial: kept.mark().serial + 1, stream, position: 0, time });
    }

    /// Sets the mark that `submit` makes of the serial; on failure the old one stays.
    pub(crate) fn set_pending<E>(&self, stream: NativeStream, submit: impl FnOnce(u64) -> Result<u64, E>) -> Result<(), E> {
        let kept = &mut self.inner.lock().kept;
        let serial = kept.mark().serial + 1;
        let position = submit(serial)?;
        *kept = Kept::Mark(Mark { serial, stream, position, time: 0 });
        Ok(())
    }

    /// Notes when the record `serial` was reached, unless a later one or another event has taken its place.
    pub(crate) fn stamp(&self, serial: u64, time: i64) {
        if let Kept::Mark(mark) = &mut self.inner.lock().kept
            && mark.serial == serial
        {
            mark.time = time;
        }
    }

    /// Takes the mark away.
    pub(crate) fn clear(&self) {
        self.set_reached(NativeStream(0), 0);
    }
}
