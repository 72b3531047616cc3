//! Batches of copies. They are done one after the other, in the stream's order.

use crate::boundary::{Out, StreamArg, exports};
use crate::capture;
use crate::code::{Code, Result};
use crate::memory;
use crate::transfer::{Side, Transfer};
use std::ffi::c_void;

/// Targets, sources, lengths, and how many there are.
pub(crate) type Copies = (Out<usize>, Out<usize>, Out<usize>, usize);

/// Starts the copies. Each group of them has attributes, which say nothing that matters here, and begins at a place of its own.
pub(crate) fn copy_batch(copies: Copies, groups: (Out<usize>, usize), failed: Out<usize>, stream: StreamArg) -> Result {
    let (to, from, lens, count) = copies;
    let (places, groups) = groups;
    failed.offer(usize::MAX);
    if count == 0 || groups == 0 || groups > count || places.get()? != 0 || stream.0 < 2 {
        return Err(Code::INVALID_VALUE);
    }
    let stream = stream.get()?;
    capture::check_uncaptured(stream)?;
    (0..count).try_for_each(|at| {
        let copy = Transfer::line(to.at(at).get()?, from.at(at).get()?, lens.at(at).get()?);
        memory::start(stream, copy, Side::Any, Side::Any).inspect_err(|_| failed.offer(at))
    })
}

exports! { driver;
    fn cuMemcpyBatchAsync | cuMemcpyBatchAsync_ptsz(to: Out<usize>, from: Out<usize>, lens: Out<usize>, count: usize, _attributes: *const c_void, places: Out<usize>, groups: usize, failed: Out<usize>, stream: StreamArg) on stream {
        copy_batch((to, from, lens, count), (places, groups), failed, stream)
    }
    fn cuMemcpyBatchAsync_v2 | cuMemcpyBatchAsync_v2_ptsz(to: Out<usize>, from: Out<usize>, lens: Out<usize>, count: usize, _attributes: *const c_void, places: Out<usize>, groups: usize, stream: StreamArg) on stream {
        copy_batch((to, from, lens, count), (places, groups), Out::NONE, stream)
    }
}
