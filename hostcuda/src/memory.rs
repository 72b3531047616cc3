//! Memory calls, in the order of streams and under captures.

use crate::block::{self, Kind};
use crate::capture;
use crate::code::{Code, Result};
use crate::context;
use crate::graph::{self, GraphMemory, Step};
use crate::handle::Handle;
use crate::pool;
use crate::stream::Stream;
use crate::submit::submit;
use crate::transfer::Transfer;
use crate::work::Work;
use std::sync::Arc;

/// A driver copies up to this many bytes of pageable memory at once. Larger reads happen when the stream reaches them.
const MOST_STAGED: usize = 64 << 10;

/// Allocates a block in the current context.
pub(crate) fn allocate(len: usize, kind: Kind, flags: u32) -> Result<usize> {
    capture::check_unsafe_call()?;
    block::allocate(context::current()?, len, kind, flags)
}

/// Allocates a block from a pool, or from the device's current pool, in stream order. The memory exists at once. A captured stream gets a
/// node that allocates memory of the graph.
pub(crate) fn allocate_later(pool: Option<Handle>, len: usize, stream: &'static Stream) -> Result<usize> {
    let context = stream.context()?;
    let pool = pool.map_or_else(|| pool::current_of(context.device), Ok).and_then(pool::get)?;
    let Some(capture) = capture::of(stream) else { return block::allocate_of(pool, context, len) };
    let memory = Arc::new(GraphMemory::new(context, len)?);
    let start = memory.start;
    capture.add(stream, Step::Allocate(memory))?;
    Ok(start)
}

/// Waits for the work that may use the block, and frees it. NULL is ignored.
pub(crate) fn free(start: usize, kinds: &[Kind]) -> Result {
    capture::check_unsafe_call()?;
    if start == 0 || kinds.contains(&Kind::Device) && graph::free_graph_memory(start) {
        return Ok(());
    }
    let (block, failed) = block::retire(start, kinds)?.ok_or(Code::INVALID_VALUE)?;
    // SAFETY: `retire` took it off the list for this call, once no work used it.
    unsafe { block.free() };
    failed
}

/// Waits for the work that may use the program's memory, and unregisters it.
pub(crate) fn unregister(start: usize) -> Result {
    block::retire(start, &[Kind::Registered])?.ok_or(Code::HOST_MEMORY_NOT_REGISTERED)?.1
}

/// Frees the block when the stream reaches this point.
pub(crate) fn free_later(start: usize, stream: &'static Stream) -> Result {
    if let Some(capture) = capture::of(stream) {
        let is_of_graph = block::find(start).is_some_and(|block| block.kind == Kind::Graph && block.start == start);
        return if is_of_graph { capture.add(stream, Step::Free(start)) } else { Err(Code::INVALID_VALUE) };
    }
    if graph::free_graph_memory(start) {
        return Ok(());
    }
    let block = block::take(start, &[Kind::Device]).ok_or(Code::INVALID_VALUE)?;
    submit(stream, Work::Free(block)).inspect_err(|_| block.put_back())
}

/// Starts a transfer in stream order.
///
/// Returns at once, with two exceptions, as on a device. If the transfer writes pageable memory or reads much of it, the call returns when
/// it has completed. If it reads little pageable memory, those bytes are copied first, because the program may free them.
pub(crate) fn start(stream: &'static Stream, transfer: Transfer) -> Result {
    let mut transfer = transfer.checked()?;
    capture::check_implicit(stream)?;
    if let Some(capture) = capture::of(stream) {
        return capture.add(stream, Step::Work(Work::Transfer(transfer, Vec::new())));
    }
    let reads_pageable = transfer.reads_pageable();
    if transfer.writes_pageable() || reads_pageable && transfer.len() > MOST_STAGED {
        return complete(stream, transfer);
    }
    if !reads_pageable {
        return Work::Transfer(transfer, Vec::new()).give(stream);
    }
    if stream.is_idle()? {
        transfer.run();
        return Ok(());
    }
    match transfer.stage() {
        Some(staged) => Work::Transfer(transfer, staged).give(stream),
        None => complete(stream, transfer),
    }
}

/// Starts a set in stream order. Memory that the host can access is set when the call returns.
pub(crate) fn set(stream: &'static Stream, transfer: Transfer) -> Result {
    let is_shared = block::find(transfer.to.address).is_some_and(|block| !block.is_device());
    start(stream, transfer)?;
    if is_shared && capture::of(stream).is_none() { stream.drain() } else { Ok(()) }
}

/// Runs a transfer in stream order and returns when it has completed.
pub(crate) fn finish(stream: &'static Stream, transfer: Transfer) -> Result {
    let transfer = transfer.checked()?;
    capture::check_uncaptured(stream)?;
    complete(stream, transfer)
}

fn complete(stream: &'static Stream, transfer: Transfer) -> Result {
    if stream.is_idle()? {
        transfer.run();
        return Ok(());
    }
    Work::Transfer(transfer, Vec::new()).give(stream)?;
    stream.drain()
}
