//! What is done with streams, whether or not they are being captured.

use crate::capture;
use crate::code::{Code, Result};
use crate::graph::Step;
use crate::handle::Handle;
use crate::mem_op::MemOp;
use crate::stream::{self, Stream};
use crate::work::Work;

/// Gives the stream work, or adds it to the stream's capture.
pub(crate) fn submit(stream: &'static Stream, work: Work) -> Result {
    capture::check_implicit(stream)?;
    match capture::of(stream) {
        Some(capture) => capture.add(stream, Step::Work(work)),
        None => work.give(stream),
    }
}

/// Gives the stream an operation on memory, or adds it to the stream's capture.
pub(crate) fn operate(stream: &'static Stream, op: MemOp) -> Result {
    capture::check_implicit(stream)?;
    match capture::of(stream) {
        Some(capture) => capture.add(stream, Step::Operate(op)),
        None => op.give(stream),
    }
}

/// Succeeds if the stream has done all that it was given.
pub(crate) fn query(stream: &'static Stream) -> Result {
    check_answerable(stream)?;
    if stream.raw()?.query()? { Ok(()) } else { Err(Code::NOT_READY) }
}

/// Waits until the stream has done all that it was given.
pub(crate) fn synchronize(stream: &'static Stream) -> Result {
    check_answerable(stream)?;
    stream.drain()
}

fn check_answerable(stream: &'static Stream) -> Result {
    capture::check_uncaptured(stream)?;
    capture::check_unsafe_call()
}

/// Ends a stream; what it was given still runs.
pub(crate) fn destroy(handle: Handle) -> Result {
    let stream = stream::find(handle)?;
    if let Some(capture) = capture::of(stream) {
        capture.leave(stream);
    }
    stream::remove(handle)
}
