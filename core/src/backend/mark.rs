//! The point in a stream that a record marked.

use super::NativeStream;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

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

/// What a backend keeps in an event. Lives as long as the process, and serves one event after the other.
#[derive(Default)]
pub(crate) struct Cell {
    pub(super) native: AtomicU64,
    /// Waits in progress on any of the native events; and whether others know the native event.
    pub(super) holds: AtomicU32,
    kept: Kept,
    pub(super) inner: Mutex<Inner>,
}

/// What changes under the lock alone.
#[derive(Default)]
pub(super) struct Inner {
    pub(super) held: Option<Box<Held>>,
}

/// The native events that were ever held, with the waits on each. Behind a pointer, as few events have any.
#[derive(Default)]
pub(super) struct Held(pub(super) Vec<(u64, u32)>);

/// Four words that are written under the cell's lock and read without it: a reader takes them where the version was even and
/// the same before and after.
///
/// On the host they are the last mark. On CUDA, where asking costs more than remembering, they are the last time that was
/// asked for and ends here; its first word is a handle, which no serial number ever equals.
#[derive(Default)]
struct Kept {
    version: AtomicU32,
    words: [AtomicU64; 4],
}

impl Kept {
    fn load(&self) -> [u64; 4] {
        self.words.each_ref().map(|word| word.load(Ordering::Relaxed))
    }

    /// The words, unless they are being written.
    fn try_read(&self) -> Option<[u64; 4]> {
        let version = self.version.load(Ordering::Acquire);
        let words = self.load();
        fence(Ordering::Acquire);
        (version.is_multiple_of(2) && self.version.load(Ordering::Relaxed) == version).then_some(words)
    }

    fn write(&self, _locked: &mut Inner, words: [u64; 4]) {
        let version = self.version.load(Ordering::Relaxed);
        self.version.store(version.wrapping_add(1), Ordering::Relaxed);
        fence(Ordering::Release);
        self.words.iter().zip(words).for_each(|(place, word)| place.store(word, Ordering::Relaxed));
        self.version.store(version.wrapping_add(2), Ordering::Release);
    }
}

impl Mark {
    fn from_words([serial, stream, position, time]: [u64; 4]) -> Mark {
        Mark { serial, stream: NativeStream(stream), position, time: time.cast_signed() }
    }

    fn to_words(self) -> [u64; 4] {
        [self.serial, self.stream.0, self.position, self.time.cast_unsigned()]
    }
}

impl Cell {
    /// A time that was kept for just this pair.
    pub(crate) fn elapsed(&self, pair: Pair) -> Option<i64> {
        let [start, first, second, ns] = self.kept.try_read()?;
        (start == pair.start && [first, second] == pair.words).then(|| ns.cast_signed())
    }

    /// Keeps a time, in a cell that the host backend does not use.
    pub(crate) fn keep_elapsed(&self, pair: Pair, ns: i64) {
        if self.native() != 0 {
            self.kept.write(&mut self.inner.lock(), [pair.start, pair.words[0], pair.words[1], ns.cast_unsigned()]);
        }
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark::from_words(self.kept.try_read().unwrap_or_else(|| {
            let _locked = self.inner.lock();
            self.kept.load()
        }))
    }

    /// Sets a mark that is reached already; gives its serial.
    pub(crate) fn set_reached(&self, stream: NativeStream, time: i64) -> u64 {
        let mut inner = self.inner.lock();
        let serial = Mark::from_words(self.kept.load()).serial + 1;
        self.kept.write(&mut inner, Mark { serial, stream, position: 0, time }.to_words());
        serial
    }

    /// What a trace calls the cell.
    pub(crate) fn address(&self) -> usize {
        std::ptr::from_ref(self) as usize
    }

    /// Sets the mark that `submit` makes of the serial; on failure the old one stays.
    pub(crate) fn set_pending<E>(
        &self,
        stream: NativeStream,
        submit: impl FnOnce(u64) -> Result<u64, E>,
    ) -> Result<(), E> {
        let mut inner = self.inner.lock();
        let serial = Mark::from_words(self.kept.load()).serial + 1;
        let position = submit(serial)?;
        self.kept.write(&mut inner, Mark { serial, stream, position, time: 0 }.to_words());
        Ok(())
    }

    /// Notes when the record `serial` was reached, unless a later one or another event has taken its place.
    pub(crate) fn stamp(&self, serial: u64, time: i64) {
        let mut inner = self.inner.lock();
        let mark = Mark::from_words(self.kept.load());
        if mark.serial == serial {
            self.kept.write(&mut inner, Mark { time, ..mark }.to_words());
        }
    }

    /// Takes the mark away.
    pub(crate) fn clear(&self) {
        self.set_reached(NativeStream(0), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_stamp_does_not_reach_a_later_mark() {
        let cell = Cell::default();
        cell.set_pending::<()>(NativeStream(16), |serial| Ok(serial * 10)).expect("it was submitted");
        let first = cell.mark();
        assert_eq!((first.stream, first.position), (NativeStream(16), first.serial * 10));
        cell.set_reached(NativeStream(32), 7);
        cell.stamp(first.serial, 99);
        assert_eq!((cell.mark().stream, cell.mark().time), (NativeStream(32), 7));
        cell.stamp(cell.mark().serial, 8);
        assert_eq!(cell.mark().time, 8);
        assert_eq!(cell.set_pending(NativeStream(16), |_| Err("no memory")), Err("no memory"));
        assert_eq!(cell.mark().stream, NativeStream(32));
    }

    #[test]
    fn a_reader_never_sees_half_of_a_mark() {
        let cell = Cell::default();
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                for n in 1..200_000 {
                    cell.set_reached(NativeStream(n), n.cast_signed());
                }
            });
            while !writer.is_finished() {
                let mark = cell.mark();
                assert_eq!(mark.stream.0, mark.serial);
                assert_eq!(mark.time.cast_unsigned(), mark.serial);
            }
        });
    }
}
