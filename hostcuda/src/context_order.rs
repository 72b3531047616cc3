//! Events that record all work of a context, and waits that hold back all its future work.

use crate::capture;
use crate::code::Result;
use crate::context::Context;
use crate::event;
use crate::handle::Handle;
use crate::stream::{self, NON_BLOCKING, Stream};
use std::sync::OnceLock;

/// Returns a stream of the context's order, creating it on first use.
fn own(context: &'static Context, place: &OnceLock<Handle>) -> Result<&'static Stream> {
    let handle = match place.get() {
        Some(handle) => *handle,
        None => {
            let made = stream::open(context, NON_BLOCKING, 0)?;
            let kept = *place.get_or_init(|| made);
            if kept != made {
                stream::remove(made)?;
            }
            kept
        }
    };
    stream::get(handle)
}

/// Records the event after all submitted work of the context's streams, including the non-blocking ones.
pub(crate) fn record(context: &'static Context, handle: Handle) -> Result {
    let event = event::get(handle)?;
    let behind = own(context, &context.order.behind)?;
    event.check_stream(behind)?;
    capture::check_context(context)?;
    behind.raw()?.wait_for_context()?;
    event.record_now(handle, behind)
}

/// Makes all work that is submitted to the context's streams from now on wait for the event.
pub(crate) fn wait(context: &'static Context, handle: Handle) -> Result {
    let event = event::get(handle)?;
    event.check_outside_capture()?;
    capture::check_context(context)?;
    let before = own(context, &context.order.before)?;
    let default = stream::default_of(context)?;
    let order = &context.order;
    // This call may block, so the lock is not held.
    before.raw_with_room()?;
    let non_blocking = order.non_blocking.lock();
    event.wait_with_room(handle, before)?;
    context.order.held.record(before.raw()?, 0)?;
    // The blocking streams already wait for the default stream.
    default.raw()?.wait(&order.held, 0)?;
    non_blocking.iter().try_for_each(|handle| Ok(stream::get(*handle)?.raw()?.wait(&order.held, 0)?))
}
