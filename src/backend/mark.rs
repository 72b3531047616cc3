//! The point in a stream that a record marked.

use super::NativeStream;
use parking_lot::Mutex;

/// Where a stream stood when it was recorded.
#[derive(Clone, Copy, Debug)]
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

/// An event's place for its last mark. Lives as long as the process, and serves one event after the other.
pub(crate) struct Cell(Mutex<Mark>);

impl Default for Cell {
    fn default() -> Cell {
        Cell(Mutex::new(Mark { serial: 0, stream: NativeStream(0), position: 0, time: 0 }))
    }
}

impl Cell {
    pub(crate) fn mark(&self) -> Mark {
        *self.0.lock()
    }

    /// Sets a mark that is reached already.
    pub(crate) fn set_reached(&self, stream: NativeStream, time: i64) {
        let mut mark = self.0.lock();
        *mark = Mark { serial: mark.serial + 1, stream, position: 0, time };
    }

    /// Sets the mark that `submit` makes of the serial; on failure the old one stays.
    pub(crate) fn set_pending<E>(&self, stream: NativeStream, submit: impl FnOnce(u64) -> Result<u64, E>) -> Result<(), E> {
        let mut mark = self.0.lock();
        let serial = mark.serial + 1;
        let position = submit(serial)?;
        *mark = Mark { serial, stream, position, time: 0 };
        Ok(())
    }

    /// Notes when the record `serial` was reached, unless a later one or another event has taken its place.
    pub(crate) fn stamp(&self, serial: u64, time: i64) {
        let mut mark = self.0.lock();
        if mark.serial == serial {
            mark.time = time;
        }
    }

    /// Takes the mark away.
    pub(crate) fn clear(&self) {
        self.set_reached(NativeStream(0), 0);
    }
}
