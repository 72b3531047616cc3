//! Lost contexts. Their events always ask their contexts, which leaves the fast path to events of other contexts.

use super::backend_context::BackendContext;
use super::event::EVENTS;
use crate::error::Result;
use crate::process;

/// Fails if the context is lost.
#[inline]
pub(super) fn check(context: &BackendContext) -> Result<()> {
    if !process::is_normal() {
        process::settle_losses(forget_known);
    }
    context.check()
}

/// The words of events in lost contexts are no longer trusted.
#[cold]
fn forget_known() {
    EVENTS.each(|event| {
        if event.context().is_some_and(|context| context.check().is_err()) {
            event.slot().word.update(|word| Some(word.with_ask()));
        }
    });
}
