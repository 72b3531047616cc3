//! What a stream is given to do.

use super::ipc::SharedEvent;
use super::items::Items;
use super::point::Point;
use crate::backend::{Cell, HostFn};
use crate::point::Gate;
use std::sync::Arc;

/// One piece of work.
pub(crate) enum Work {
    /// Call a function of the caller's.
    Call(HostFn),
    /// Call a function of the caller's for each of many items.
    Items(Arc<Items>),
    /// Go on when another stream has got there; where that failed, so does this stream.
    Wait(Point),
    /// Go on when another stream has got there, even if that failed: an order that the default stream makes.
    Follow(Point),
    /// Go on when another process has finished its record.
    WaitShared { shared: Arc<SharedEvent>, ticket: u64 },
    /// Go on when the gate is open; if it was opened with a failure, this stream fails.
    WaitGate(Arc<Gate>),
    /// Finish a record that other processes see.
    Finish { shared: Arc<SharedEvent>, ticket: u64 },
    /// Note the time in a cell, for the record of that serial.
    Stamp { cell: &'static Cell, serial: u64 },
}
