//! The entries that are not written yet: two lists of fixed length. One is filled while the other is written.

use super::os;
use gevt_core::Name;
use gevt_core::lock::{Condvar, Mutex};
use gevt_core::probe::{self, What};
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// One thing that happened. All entries have one size, so the buffer's memory is fixed.
pub(super) struct TraceEntry {
    /// When, on [`probe::now`].
    pub(super) time: i64,
    /// The thread that put it there.
    pub(super) thread: u32,
    pub(super) what: What,
}

impl TraceEntry {
    /// Of the calling thread, now.
    pub(super) fn now(what: What) -> TraceEntry {
        TraceEntry { time: probe::now(), thread: os::number_of_thread(), what }
    }
}

/// The length of a list. Both together take some 12 MiB.
pub(super) const MOST: usize = 1 << 15;
/// How long entries stay unwritten while few come.
const PAUSE: Duration = Duration::from_millis(50);

thread_local! {
    /// The trace that has the thread's name.
    static KNOWN_TO: Cell<u32> = const { Cell::new(0) };
}

/// The entries of the trace under way.
pub(super) static BUFFER: Buffer = Buffer::new();

/// Entries on their way to the file.
pub(super) struct Buffer {
    inner: Mutex<Lists>,
    due: Condvar,
    /// How many traces there were, with the one under way.
    traces: AtomicU32,
}

struct Lists {
    entries: Vec<TraceEntry>,
    is_open: bool,
    /// Entries that found no room since the last time that some were taken.
    lost: u64,
}

/// What the writer takes out.
pub(super) struct Taken {
    pub(super) lost: u64,
    /// There will be no more.
    pub(super) is_last: bool,
}

impl Buffer {
    const fn new() -> Buffer {
        let inner = Mutex::new(Lists { entries: Vec::new(), is_open: false, lost: 0 });
        Buffer { inner, due: Condvar::new(), traces: AtomicU32::new(0) }
    }

    /// Takes entries from now on, into a list of [`MOST`].
    pub(super) fn open(&self, entries: Vec<TraceEntry>) {
        *self.inner.lock() = Lists { entries, is_open: true, lost: 0 };
        self.traces.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes no more entries; false if another thread holds the lock until the deadline.
    pub(super) fn close(&self, deadline: Option<Instant>) -> bool {
        let inner = match deadline {
            None => Some(self.inner.lock()),
            Some(deadline) => self.inner.try_lock_until(deadline),
        };
        let Some(mut inner) = inner else { return false };
        inner.is_open = false;
        self.due.notify_one();
        true
    }

    /// Adds an entry of the calling thread, whose name comes before its first one: the thread may have ended when that is written. Without
    /// room for the name there is none for the thread's entries.
    pub(super) fn add(&self, entry: TraceEntry) {
        let trace = self.traces.load(Ordering::Relaxed);
        if KNOWN_TO.get() != trace {
            let name = What::Thread(Name::of(os::name_of_this_thread()));
            if !self.push(TraceEntry { what: name, ..entry }) {
                return;
            }
            KNOWN_TO.set(trace);
        }
        self.push(entry);
    }

    /// Adds an entry; returns whether there was room.
    fn push(&self, entry: TraceEntry) -> bool {
        let mut inner = self.inner.lock();
        if !inner.is_open {
            return false;
        }
        if inner.entries.len() == inner.entries.capacity() {
            inner.lost += 1;
            return false;
        }
        inner.entries.push(entry);
        if inner.entries.len() == inner.entries.capacity() / 2 {
            drop(inner);
            self.due.notify_one();
        }
        true
    }

    /// Waits until there is something worth writing and swaps it for `empty`.
    pub(super) fn take(&self, empty: &mut Vec<TraceEntry>) -> Taken {
        let mut inner = self.inner.lock();
        if inner.is_open && inner.entries.len() < inner.entries.capacity() / 2 {
            (inner, _) = self.due.wait_for(inner, PAUSE);
        }
        std::mem::swap(&mut inner.entries, empty);
        let taken = Taken { lost: std::mem::take(&mut inner.lost), is_last: !inner.is_open };
        if taken.is_last {
            inner.entries = Vec::new();
        }
        taken
    }
}

#[cfg(test)]
#[path = "buffer_tests.rs"]
mod tests;
