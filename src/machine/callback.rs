//! Callbacks: a function that runs when an event is done.

use super::sync::Awaited;
use crate::backend::spawn;
use crate::error::Result;
use crate::status::Status;
use crate::table::Handle;

/// Calls `call` once, on a thread of gevt's, when the event's last record is done.
pub(crate) fn on_complete(handle: Handle, call: impl FnOnce(Status) + Send + 'static) -> Result<()> {
    match Awaited::new(handle)? {
        Some(awaited) => awaited.then(Box::new(call)),
        None => spawn(Box::new(call)),
    }
}
