//! The entries of a trace. They all have one size, so the buffer's memory is fixed.

use super::thread;
use gevt_core::probe::{self, What};

/// One thing that happened.
pub(crate) struct TraceEntry {
    /// When, on [`probe::now`].
    pub(super) time: i64,
    /// The thread that put it there.
    pub(super) thread: u32,
    pub(super) what: What,
}

impl TraceEntry {
    /// Of the calling thread, now.
    pub(super) fn now(what: What) -> TraceEntry {
        TraceEntry { time: probe::now(), thread: thread::id(), what }
    }
}
