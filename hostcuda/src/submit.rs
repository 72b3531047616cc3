//! Stream operations, both inside and outside captures.

use crate::capture;
use crate::code::{Code, Result};
use crate::graph::Step;
use crate::handle::Handle;
use crate::stream::{self, Stream};
use crate::work::Work;

/// Submits work to the stream, or adds it to the stream's capture.
pub(crate) fn submit(stream: &'static Stream, work: Work) -> Result {
    capture::check_implicit(stream)?;
    match capture::of(stream) {
        Some(capture) => capture.add(stream, Step::Work(work)),
        None => work.give(stream),
    }
}

/// Succeeds if all submitted work has completed.
pub(crate) fn query(stream: &'static Stream) -> Result {
    check_answerable(stream)?;
    if stream.core().query()? { Ok(()) } else { Err(Code::NOT_READY) }
}

/// Waits until all submitted work has completed.
pub(crate) fn synchronize(stream: &'static Stream) -> Result {
    check_answerable(stream)?;
    stream.drain()
}

fn check_answerable(stream: &'static Stream) -> Result {
    capture::check_uncaptured(stream)?;
    capture::check_unsafe_call()
}

/// Destroys a stream. Its submitted work still runs.
pub(crate) fn destroy(handle: Handle) -> Result {
    let stream = stream::find(handle)?;
    if let Some(capture) = capture::of(stream) {
        capture.leave(stream);
    }
    stream::remove(handle)
}
