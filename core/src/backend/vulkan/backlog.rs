//! Work that a stream cannot submit yet.

use super::stamp::TimePlace;
use super::timeline::Awaited;
use crate::backend::HostFn;
use crate::point::Gate;
use std::sync::Arc;

/// A piece of a backlog.
#[derive(Clone)]
pub(super) struct Item {
    pub(super) value: u64,
    pub(super) work: Work,
}

/// The work between two values.
#[derive(Clone)]
pub(super) enum Work {
    /// Nothing: a waiter needs the value.
    Nothing,
    /// The queue writes a timestamp.
    Stamp(&'static TimePlace),
    /// Runs the program's function.
    Call(HostFn),
    /// Waits for another timeline to reach a value.
    Wait(Awaited),
    /// The host opens a gate.
    WaitGate(Arc<Gate>),
}
