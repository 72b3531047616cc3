//! The entries that are not written yet, in a channel of fixed length.

use super::os;
use gevt_core::Name;
use gevt_core::lock::Mutex;
use gevt_core::probe::{self, What};
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Instant;

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

/// The greatest number of entries that are not written. They take some 12 MiB.
pub(super) const MOST: usize = 1 << 16;

thread_local! {
    /// The trace that has the thread's name.
    static KNOWN_TO: Cell<u32> = const { Cell::new(0) };
}

/// The entries of the trace under way.
pub(super) static BUFFER: Buffer = Buffer::new();

/// Entries on their way to the file.
pub(super) struct Buffer {
    /// `None` while no entries are taken.
    sender: Mutex<Option<SyncSender<TraceEntry>>>,
    /// Entries that found no room.
    lost: AtomicU64,
    /// How many traces there were, with the one under way.
    traces: AtomicU32,
}

impl Buffer {
    const fn new() -> Buffer {
        Buffer { sender: Mutex::new(None), lost: AtomicU64::new(0), traces: AtomicU32::new(0) }
    }

    /// Takes so many entries from now on, which the receiver gets until [`Buffer::close`].
    pub(super) fn open(&self, most: usize) -> Receiver<TraceEntry> {
        let (sender, receiver) = sync_channel(most);
        self.take_lost();
        *self.sender.lock() = Some(sender);
        self.traces.fetch_add(1, Ordering::Relaxed);
        receiver
    }

    /// Takes no more entries; false if another thread holds the lock until the deadline.
    pub(super) fn close(&self, deadline: Option<Instant>) -> bool {
        let sender = match deadline {
            None => Some(self.sender.lock()),
            Some(deadline) => self.sender.try_lock_until(deadline),
        };
        sender.map(|mut sender| *sender = None).is_some()
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
        let sender = self.sender.lock();
        let Some(sender) = &*sender else { return false };
        let has_room = sender.try_send(entry).is_ok();
        if !has_room {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
        has_room
    }

    /// Returns how many entries found no room since the last time.
    pub(super) fn take_lost(&self) -> u64 {
        self.lost.swap(0, Ordering::Relaxed)
    }
}

#[cfg(test)]
#[path = "buffer_tests.rs"]
mod tests;
