//! What streams of the host backend do beyond gevt's interface, for gevt's crates. Not part of gevt's interface: it may change with every
//! version.

use crate::backend::deadlock;
use crate::backend::host::{Host, HostStream};
use crate::error::{Error, Result};
use crate::machine::{context, stream};
use crate::table::{Context, Stream};

/// Blocks until all streams of the context have finished the work submitted before the call. Unlike [`Context::sync`], it leaves the
/// streams' failures for other calls to report: an error means that the work may still run.
pub fn block_until_done(context: Context) -> Result<()> {
    Host::of(&*context::get(context.0)?.backend).ok_or(Error::ContextMismatch)?.sync_unreported(None).map(drop)
}

/// Returns whether the calling thread runs a function of a stream's.
pub fn is_inside_function() -> bool {
    deadlock::is_inside_function()
}

/// Returns whether the stream is idle: new work could run at once.
pub fn is_idle(stream: Stream) -> Result<bool> {
    with(stream, |host, stream| Ok(host.0.is_idle(stream)))
}

/// Makes later work in the stream wait for all work in the streams of its context.
pub fn wait_for_context(stream: Stream) -> Result<()> {
    with(stream, Host::wait_for_all)
}

fn with<T>(stream: Stream, body: impl FnOnce(&Host, &'static HostStream) -> Result<T>) -> Result<T> {
    let stream = stream::get(stream.0)?;
    let host = Host::of(&*stream.context.backend).ok_or(Error::ContextMismatch)?;
    body(host, host.0.resolve(stream.to.native)?)
}

#[cfg(test)]
#[path = "host_streams_tests.rs"]
mod tests;
