//! Freeing of blocks: one by one, and with their context.

use crate::block::{self, Block, Kind};
use crate::context::Context;
use crate::{device_memory, ipc_memory};
use gevt_core::host_streams::{block_until_done, wait_for_context};
use gevt_core::{Stream, StreamFlags};

impl Block {
    /// Frees the memory.
    ///
    /// # Safety
    /// The block is off the list, no work uses it, and this is called once for it.
    pub(crate) unsafe fn free(self) {
        if let Some(pool) = self.pool {
            pool.give_back(self.len);
        }
        let is_own = matches!(self.kind, Kind::Device | Kind::Managed | Kind::Host | Kind::Graph);
        if self.is_exportable() {
            // SAFETY: the caller's promise.
            unsafe { device_memory::free(self.start, self.len, self.place) };
        } else if let (true, Some(layout)) = (is_own, self.layout()) {
            // SAFETY: `allocate` got the memory with this layout, and the caller promises that it is freed once.
            unsafe { std::alloc::dealloc(self.start as *mut u8, layout) };
        }
    }

    /// Same as [`Block::free`], after all work that was submitted to the block's context so far. If no thread can wait for that, as during
    /// exit, the memory is leaked.
    ///
    /// # Safety
    /// The block is off the list, and this is called once for it.
    pub(crate) unsafe fn free_behind_all(self) {
        let Ok(stream) = Stream::create(self.context.core, StreamFlags::NON_BLOCKING) else { return };
        if wait_for_context(stream).is_ok() {
            let _ = stream.launch(move || {
                // SAFETY: the caller's promise, and the stream waits for the work.
                unsafe { self.free() }
            });
        }
        let _ = stream.destroy();
    }
}

/// Waits for the context's work, then ends the context and frees its memory. Pool memory belongs to the device and is freed only with the
/// primary context. If waiting is not possible, as inside a host function of one of its streams, the memory is leaked.
pub(crate) fn end_context(context: &'static Context) {
    let is_done = block_until_done(context.core).is_ok();
    context.end();
    if !is_done {
        return;
    }
    let ends = |block: &Block| match block.kind {
        Kind::Device => block.pool.is_none() || !context.own,
        Kind::Managed | Kind::Host | Kind::Registered | Kind::Imported => true,
        Kind::Graph | Kind::Variable => false,
    };
    for block in block::take_all(|block| std::ptr::eq(block.context, context) && ends(block)) {
        match block.kind {
            Kind::Imported => ipc_memory::forget_opened(block.start, block.len),
            // SAFETY: `take_all` removed it from the list for this function, and the context's work has completed.
            _ => unsafe { block.free() },
        }
    }
}
