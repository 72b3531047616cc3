//! What a stream is given to do.

use super::ipc::SharedEvent;
use super::items::Items;
use super::point::Point;
use crate::backend::{Cell, HostFn};
use std::sync::Arc;

/// One piece of work.
pub(crate) enum Work {
    /// Call a function of the caller's.
    Call(HostFn),
    /// Call a function of the caller's for each of many items.
    Items(Arc<Items>),
    /// Go on when the point is reached; where that failed, so does this stream.
    Wait(Point),
    /// Go on when another stream has got there, even if that failed: an order that the default stream makes.
    Follow(Point),
    /// Go on when another process has finished its record.
    WaitShared { shared: Arc<SharedEvent>, ticket: u64 },
    /// Finish a record that other processes see, the cell's of that serial.
    Finish { shared: Arc<SharedEvent>, ticket: u64, cell: &'static Cell, serial: u64 },
    /// Note the time in a cell, for the record of that serial.
    Stamp { cell: &'static Cell, serial: u64 },
}
