//! A launch on a stream that nobody keeps from being destroyed: streams are never freed, and it counts only if the handle has lived till
//! then. Where it gives up, nothing has been done.

use super::Host;
use super::stream::Submitted;
use super::work::Work;
use crate::backend::{HostFn, NativeStream};
use crate::table::Life;
use crate::workers;

/// See [`crate::backend::Backend::launch_unkept`].
#[inline]
pub(super) fn launch(host: &Host, stream: NativeStream, function: HostFn, life: Life<'_>) -> bool {
    let Ok(stream) = host.0.resolve(stream) else { return false };
    // What the order makes the stream wait for may be added before it turns out to be destroyed: it has to wait for the same all the same.
    workers::get().has_some_ready()
        && matches!(host.0.submit(stream, Work::Call(function).pack(), || life.lasts()), Submitted::Until(_))
}
