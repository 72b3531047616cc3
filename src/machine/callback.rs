//! Callbacks: a function that runs when an event is done.

use super::event;
use super::query::{Look, look};
use super::state::Op;
use crate::backend::{Completion, Waiter, spawn};
use crate::error::Result;
use crate::status::Status;
use crate::table::Handle;

/// Calls `call` once, on a thread of gevt's, when the event's last record is done.
pub(crate) fn on_complete(handle: Handle, call: impl FnOnce(Status) + Send + 'static) -> Result<()> {
    let event = event::get(handle)?;
    let context = event.context();
    let looked = look(&event, Op::Sync)?;
    // The event is kept until the call, as the backend may look at its native event until then.
    let work: Completion = Box::new(move |status| {
        drop(event);
        call(status);
    });
    match (looked, context) {
        (Look::Asked { mark, .. }, Some(context)) => match context.backend.notify(mark, Waiter::Work(work))? {
            Some(Waiter::Work(work)) => spawn(work),
            _ => Ok(()),
        },
        _ => spawn(work),
    }
}
