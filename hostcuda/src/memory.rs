//! Memory: "device" memory is the machine's own, kept in a list so that a pointer can be checked before it is used.

use crate::capture;
use crate::code::{Code, Result};
use crate::context::{self, Context};
use crate::stream::Stream;
use crate::work::{Place, Source, Transfer, Work};
use parking_lot::RwLock;
use std::alloc::Layout;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a block is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Of cuMemAlloc and its like.
    Device,
    /// Of cuMemAllocManaged.
    Managed,
    /// Of cuMemHostAlloc.
    Host,
    /// The program's own, of cuMemHostRegister.
    Registered,
}

/// A block of memory.
#[derive(Clone, Copy)]
pub(crate) struct Block {
    pub(crate) start: usize,
    pub(crate) len: usize,
    pub(crate) kind: Kind,
    pub(crate) flags: u32,
    pub(crate) id: u64,
    pub(crate) context: &'static Context,
}

/// What the memory calls promise of addresses.
const ALIGNMENT: usize = 512;

static BLOCKS: RwLock<BTreeMap<usize, Block>> = RwLock::new(BTreeMap::new());
static IDS: AtomicU64 = AtomicU64::new(1);

impl Block {
    fn layout(&self) -> Option<Layout> {
        Layout::from_size_align(self.len, ALIGNMENT).ok()
    }

    /// Gives the memory back; the block is off the list already.
    pub(crate) fn free(self) {
        if let (true, Some(layout)) = (self.kind != Kind::Registered, self.layout()) {
            // SAFETY: `allocate` got the memory with this layout, and a block leaves the list once.
            unsafe { std::alloc::dealloc(self.start as *mut u8, layout) };
        }
    }
}

/// Makes a block in the current context.
pub(crate) fn allocate(len: usize, kind: Kind, flags: u32) -> Result<usize> {
    capture::check_unsafe_call()?;
    allocate_in(context::current()?, len, kind, flags)
}

/// Makes a block.
pub(crate) fn allocate_in(context: &'static Context, len: usize, kind: Kind, flags: u32) -> Result<usize> {
    if len == 0 {
        return Err(Code::INVALID_VALUE);
    }
    if len > crate::device::memory().0 {
        return Err(Code::OUT_OF_MEMORY);
    }
    let id = IDS.fetch_add(1, Ordering::Relaxed);
    let mut block = Block { start: 0, len, kind, flags, id, context };
    let layout = block.layout().ok_or(Code::OUT_OF_MEMORY)?;
    // SAFETY: the length is not zero.
    block.start = unsafe { std::alloc::alloc(layout) } as usize;
    if block.start == 0 {
        return Err(Code::OUT_OF_MEMORY);
    }
    BLOCKS.write().insert(block.start, block);
    Ok(block.start)
}

fn take(start: usize, kinds: &[Kind]) -> Option<Block> {
    let mut blocks = BLOCKS.write();
    blocks.get(&start).filter(|block| kinds.contains(&block.kind))?;
    blocks.remove(&start)
}

/// Waits for all work of the block's context, and frees the block. NULL is nothing to free.
pub(crate) fn free(start: usize, kinds: &[Kind]) -> Result {
    capture::check_unsafe_call()?;
    if start == 0 {
        return Ok(());
    }
    let block = take(start, kinds).ok_or(Code::INVALID_VALUE)?;
    let waited = block.context.host.sync();
    block.free();
    Ok(waited?)
}

/// Frees the block when the stream gets there.
pub(crate) fn free_later(start: usize, stream: &'static Stream) -> Result {
    if stream.capture().is_some() {
        return Err(Code::STREAM_CAPTURE_UNSUPPORTED);
    }
    let block = take(start, &[Kind::Device]).ok_or(Code::INVALID_VALUE)?;
    stream.submit(Work::Free(block)).inspect_err(|_| {
        BLOCKS.write().insert(block.start, block);
    })
}

/// Takes memory of the program's into the list.
pub(crate) fn register(start: usize, len: usize, flags: u32) -> Result {
    let context = context::current()?;
    let end = start.checked_add(len).filter(|_| start != 0 && len != 0).ok_or(Code::INVALID_VALUE)?;
    let mut blocks = BLOCKS.write();
    if blocks.range(..end).next_back().is_some_and(|(_, block)| block.start + block.len > start) {
        return Err(Code::HOST_MEMORY_ALREADY_REGISTERED);
    }
    let id = IDS.fetch_add(1, Ordering::Relaxed);
    blocks.insert(start, Block { start, len, kind: Kind::Registered, flags, id, context });
    Ok(())
}

/// Takes it out again.
pub(crate) fn unregister(start: usize) -> Result {
    take(start, &[Kind::Registered]).map(drop).ok_or(Code::HOST_MEMORY_NOT_REGISTERED)
}

/// The block that an address lies in.
pub(crate) fn find(address: usize) -> Option<Block> {
    let blocks = BLOCKS.read();
    let (_, block) = blocks.range(..=address).next_back()?;
    (address - block.start < block.len).then_some(*block)
}

/// Which end of a transfer has to be in the list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// Memory of the program's, whether or not it is listed.
    Host,
    /// Listed memory.
    Device,
    /// Whichever it is: listed memory must hold all of the transfer.
    Any,
}

fn check(place: Place, span: Option<usize>, side: Side) -> Result {
    let span = span.ok_or(Code::INVALID_VALUE)?;
    if span == 0 || side == Side::Host && place.address != 0 {
        return Ok(());
    }
    match find(place.address) {
        Some(block) if span <= block.len - (place.address - block.start) => Ok(()),
        None if side == Side::Any && place.address != 0 => Ok(()),
        _ => Err(Code::INVALID_VALUE),
    }
}

/// Checks both ends of a transfer.
fn check_both(transfer: &Transfer, to: Side, from: Side) -> Result {
    check(transfer.to, transfer.span(transfer.to), to)?;
    match transfer.from {
        Source::Memory(place) => check(place, transfer.span(place), from),
        Source::Value(..) => Ok(()),
    }
}

/// Does a transfer in the stream's order, and returns at once.
pub(crate) fn start(stream: &'static Stream, transfer: Transfer, to: Side, from: Side) -> Result {
    check_both(&transfer, to, from)?;
    stream.submit(Work::Transfer(transfer))
}

/// Does a transfer in the stream's order, and returns when it is done.
pub(crate) fn finish(stream: &'static Stream, transfer: Transfer, to: Side, from: Side) -> Result {
    check_both(&transfer, to, from)?;
    stream.check_implicit()?;
    if let Some(capture) = stream.capture() {
        capture.invalidate();
        return Err(Code::STREAM_CAPTURE_UNSUPPORTED);
    }
    let context = stream.context()?;
    if context.host.is_idle(stream.host()?)? {
        transfer.run();
        return Ok(());
    }
    stream.submit(Work::Transfer(transfer))?;
    Ok(context.host.sync_stream(stream.host()?)?)
}
