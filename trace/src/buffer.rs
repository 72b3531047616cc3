//! The entries that are not written yet: two lists of fixed length. One is filled while the other is written.

use super::entry::TraceEntry;
use gevt_core::lock::{Condvar, Mutex};
use std::time::{Duration, Instant};

/// The length of a list. Both together take some 12 MiB.
pub(super) const MOST: usize = 1 << 15;
/// How long entries stay unwritten while few come.
const PAUSE: Duration = Duration::from_millis(50);

/// Entries on their way to the file.
pub(super) struct Buffer {
    inner: Mutex<Lists>,
    due: Condvar,
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
    pub(super) const fn new() -> Buffer {
        Buffer { inner: Mutex::new(Lists { entries: Vec::new(), is_open: false, lost: 0 }), due: Condvar::new() }
    }

    /// Takes entries from now on, into a list of [`MOST`].
    pub(super) fn open(&self, entries: Vec<TraceEntry>) {
        *self.inner.lock() = Lists { entries, is_open: true, lost: 0 };
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

    /// Adds an entry; returns whether there was room.
    pub(super) fn push(&self, entry: TraceEntry) -> bool {
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
mod tests {
    use super::*;
    use gevt_core::probe::{Call, What};

    fn entry() -> TraceEntry {
        TraceEntry::now(What::Instant(Call::new("test")))
    }

    #[test]
    fn it_is_bounded_and_counts_what_it_loses() {
        let buffer = Buffer::new();
        assert!(!buffer.push(entry()));
        let (list, mut other) = (Vec::with_capacity(4), Vec::with_capacity(4));
        let capacity = list.capacity();
        buffer.open(list);
        let kept = (0..capacity + 3).filter(|_| buffer.push(entry())).count();
        assert_eq!(kept, capacity);
        let taken = buffer.take(&mut other);
        assert_eq!((other.len(), taken.lost, taken.is_last), (capacity, 3, false));
        other.clear();
        assert!(buffer.push(entry()));
        assert!(buffer.close(None));
        assert!(!buffer.push(entry()));
        let taken = buffer.take(&mut other);
        assert_eq!((other.len(), taken.lost, taken.is_last), (1, 0, true));
    }
}
