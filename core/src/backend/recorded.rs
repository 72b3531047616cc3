//! The outcome of a record.

/// How a record went. An outcome that gives an event a state has the number of the state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Recorded {
    /// The stream had nothing left to do: the event is complete.
    Complete = 0,
    /// The stream will get there.
    Pending = 3,
    /// The stream is being captured: the record went into a graph.
    Captured = 4,
    /// The record became a node of the graph that is being captured; the event is recorded when the graph runs.
    External = 5,
}
