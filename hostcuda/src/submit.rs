//! What is done with streams, whether or not they are being captured.

use crate::capture;
use crate::code::{Code, Result};
use crate::graph::Step;
use crate::handle::Handle;
use crate::mem_op::{MemOpParams, MemOps};
use crate::stream::{self, Stream};
use crate::work::Work;
use std::sync::Arc;

/// Gives the stream work, or adds it to the stream's capture.
pub(crate) fn submit(stream: &'static Stream, work: Work) -> Result {
    capture::check_implicit(stream)?;
    match capture::of(stream) {
        Some(capture) => capture.add(stream, Step::Work(work)),
        None => work.give(stream),
    }
}

/// Gives the stream operations on memory, or adds them to the stream's capture.
pub(crate) fn operate(stream: &'static Stream, params: Vec<MemOpParams>, is_first_form: bool) -> Result {
    let ops = MemOps::new(params, stream.context()?.handle(), is_first_form)?;
    capture::check_implicit(stream)?;
    match capture::of(stream) {
        Some(capture) => capture.add(stream, Step::Operate(Arc::new(ops))),
        None => ops.give(stream),
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
