//! The outcome of a record, and its parameters for a backend.

/// How a record went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Recorded {
    /// The stream had nothing left to do: the event is complete.
    Complete,
    /// The stream will get there.
    Pending,
    /// The stream is being captured: the record went into a graph.
    Captured,
    /// The record became a node of the graph that is being captured; the event is recorded when the graph runs.
    External,
}

/// A record's parameters for a backend.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordMode {
    /// The creation flags of the event.
    pub(crate) flags: u32,
    /// Make a node of the graph that is being captured.
    pub(crate) external: bool,
    /// Other processes may see the event.
    pub(crate) interprocess: bool,
}

/// CU_EVENT_DISABLE_TIMING.
const DISABLE_TIMING: u32 = 2;

impl RecordMode {
    /// Returns whether the event stores the time at which the stream reached the record.
    pub(crate) fn is_timed(self) -> bool {
        self.flags & DISABLE_TIMING == 0
    }
}
