//! Events that are recorded behind all that a context does, and waits that hold back all that it will do.

use crate::capture;
use crate::code::Result;
use crate::context::Context;
use crate::event;
use crate::handle::Handle;
use crate::stream::{self, NON_BLOCKING, Stream};
use std::sync::OnceLock;

/// Returns the stream of a context's order, which is made when first needed.
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

/// Records the event behind all that the context's streams hold, those included that do not block.
pub(crate) fn record(context: &'static Context, handle: Handle) -> Result {
    let event = event::get(handle)?;
    let behind = own(context, &context.order.behind)?;
    event.check_stream(behind)?;
    capture::check_context(context)?;
    behind.raw()?.wait_for_context()?;
    event.record_now(handle, behind)
}

/// Lets all that the context's streams are given from now on wait for the event.
pub(crate) fn wait(context: &'static Context, handle: Handle) -> Result {
    let event = event::get(handle)?;
    event.check_outside_capture()?;
    capture::check_context(context)?;
    let before = own(context, &context.order.before)?;
    let default = stream::default_of(context)?;
    let order = &context.order;
    // Blocks, and not with the lock held.
    before.raw_with_room()?;
    let non_blocking = order.non_blocking.lock();
    event.wait_with_room(handle, before)?;
    context.order.held.record(before.raw()?, 0)?;
    // The blocking streams stand behind the default one.
    default.raw()?.wait(&order.held, 0)?;
    non_blocking.iter().try_for_each(|handle| Ok(stream::get(*handle)?.raw()?.wait(&order.held, 0)?))
}
