//! Callbacks: a function that runs when an event is done.

use super::event;
use super::query::{Look, look};
use super::state::Op;
use crate::backend::{HostWork, Waiter, spawn};
use crate::error::Result;
use crate::status::Status;
use crate::table::Handle;

/// Calls `call` once, on a thread of gevt's, when the event's last record is done.
pub(crate) fn on_complete(handle: Handle, call: impl FnOnce(Status) + Send + 'static) -> Result<()> {
    let event = event::get(handle)?;
    let work: HostWork = Box::new(move || call(Status::SUCCESS));
    let context = event.context();
    match (look(&event, Op::Sync)?, context) {
        (Look::Asked { mark, .. }, Some(context)) => match context.backend.notify(mark, Waiter::Work(work))? {
            Some(Waiter::Work(work)) => spawn(work),
            _ => Ok(()),
        },
        _ => spawn(work),
    }
}
