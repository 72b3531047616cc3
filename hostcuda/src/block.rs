//! The list of memory blocks. "Device" memory is host memory, and a pointer is checked against the list before it is used.

use crate::code::{Code, Result};
use crate::context::{self, Context};
use crate::device;
use crate::device_memory;
use crate::pool::{self, Pool};
use gevt_core::host_streams::{block_until_done, is_inside_function};
use gevt_core::lock::Mutex;
use std::alloc::Layout;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// The kind of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// From cuMemAlloc and similar calls.
    Device,
    /// From cuMemAllocManaged.
    Managed,
    /// From cuMemHostAlloc.
    Host,
    /// The program's memory, from cuMemHostRegister.
    Registered,
    /// Another process's memory, from cuIpcOpenMemHandle.
    Imported,
    /// From an allocation node of a graph.
    Graph,
    /// A device variable. The list does not own its memory.
    Variable,
}

#[derive(Clone, Copy)]
pub(crate) struct Block {
    pub(crate) start: usize,
    pub(crate) len: usize,
    pub(crate) kind: Kind,
    pub(crate) flags: u32,
    pub(crate) id: u64,
    pub(crate) context: &'static Context,
    /// Where device memory is in the file that other processes open.
    pub(crate) place: u64,
    /// The pool that it was allocated from.
    pub(crate) pool: Option<&'static Pool>,
}

/// The alignment of allocations that CUDA promises.
const ALIGNMENT: usize = 512;

static BLOCKS: Mutex<BTreeMap<usize, Block>> = Mutex::new(BTreeMap::new());

impl Block {
    fn new(context: &'static Context, start: usize, len: usize, kind: Kind, flags: u32) -> Block {
        static IDS: AtomicU64 = AtomicU64::new(1);
        Block { start, len, kind, flags, id: IDS.fetch_add(1, Ordering::Relaxed), context, place: 0, pool: None }
    }

    pub(crate) fn layout(&self) -> Option<Layout> {
        Layout::from_size_align(self.len, ALIGNMENT).ok()
    }

    /// Returns whether other processes can open it.
    pub(crate) fn is_exportable(&self) -> bool {
        self.kind == Kind::Device && self.pool.is_none()
    }

    /// Blocks until no work uses the block: all work of its context, or of all contexts if it is another process's or a pool's. After an
    /// error, work may still use it. Fails at once inside a host function that may use the block.
    fn block_until_unused(&self) -> Result {
        match self.kind {
            Kind::Imported if is_inside_function() => Err(Code::ILLEGAL_STATE),
            _ if self.kind == Kind::Imported || self.pool.is_some() => context::wait_for_all(),
            _ => Ok(block_until_done(self.context.core)?),
        }
    }

    /// Returns whether only the device has an address for it.
    pub(crate) fn is_device(&self) -> bool {
        !self.is_managed() && !self.is_host()
    }

    pub(crate) fn is_managed(&self) -> bool {
        self.kind == Kind::Managed
    }

    /// Puts a block back on the list that [`take`] took off.
    pub(crate) fn put_back(self) {
        BLOCKS.lock().insert(self.start, self);
    }

    /// Returns whether it is page-locked host memory.
    pub(crate) fn is_host(&self) -> bool {
        matches!(self.kind, Kind::Host | Kind::Registered)
    }
}

/// Allocates a block.
pub(crate) fn allocate(context: &'static Context, len: usize, kind: Kind, flags: u32) -> Result<usize> {
    make(Block::new(context, 0, len, kind, flags))
}

/// Allocates a block from a pool.
pub(crate) fn allocate_of(pool: &'static Pool, context: &'static Context, len: usize) -> Result<usize> {
    if len > device::total_memory() {
        return Err(Code::OUT_OF_MEMORY);
    }
    pool.take(len)?;
    let block = Block { pool: Some(pool), ..Block::new(context, 0, len, Kind::Device, 0) };
    make(block).inspect_err(|_| pool.give_back(len))
}

fn make(mut block: Block) -> Result<usize> {
    if block.len == 0 {
        return Err(Code::INVALID_VALUE);
    }
    if block.len > device::total_memory() {
        return Err(Code::OUT_OF_MEMORY);
    }
    if block.is_exportable() {
        (block.start, block.place) = device_memory::allocate(block.len)?;
    } else {
        let layout = block.layout().ok_or(Code::OUT_OF_MEMORY)?;
        // SAFETY: the length is not zero.
        block.start = unsafe { std::alloc::alloc(layout) } as usize;
    }
    if block.start == 0 {
        return Err(Code::OUT_OF_MEMORY);
    }
    block.put_back();
    Ok(block.start)
}

/// Adds mapped memory to the list.
pub(crate) fn list(context: &'static Context, start: usize, len: usize, kind: Kind) {
    Block::new(context, start, len, kind, 0).put_back();
}

/// Adds a variable to the list, or moves it to another context if it is listed. If several modules have it, the greatest length counts.
pub(crate) fn list_variable(context: &'static Context, start: usize, len: usize) {
    let mut blocks = BLOCKS.lock();
    let known = blocks.get(&start);
    let len = known.map_or(len, |known| known.len.max(len));
    let is_there = known.is_some_and(|known| known.len == len && std::ptr::eq(known.context, context));
    if len != 0 && !is_there {
        blocks.insert(start, Block::new(context, start, len, Kind::Variable, 0));
    }
}

/// Removes the block that begins at `start` from the list, if it is of one of the kinds.
pub(crate) fn take(start: usize, kinds: &[Kind]) -> Option<Block> {
    let mut blocks = BLOCKS.lock();
    blocks.get(&start).filter(|block| kinds.contains(&block.kind))?;
    blocks.remove(&start)
}

/// Fails inside a host function that may use the block. [`retire`] checks this itself. Callers that change something first call this before
/// they do.
pub(crate) fn check_retire(start: usize, kinds: &[Kind]) -> Result {
    if !is_inside_function() {
        return Ok(());
    }
    let block = BLOCKS.lock().get(&start).filter(|block| kinds.contains(&block.kind)).copied();
    block.map_or(Ok(()), |block| block.block_until_unused())
}

/// Removes the block that begins at `start` from the list, if it is of one of the kinds, and blocks until no work uses it. Returns the
/// block and its context's failures. After an error, work may still use the block, and it stays on the list.
pub(crate) fn retire(start: usize, kinds: &[Kind]) -> Result<Option<(Block, Result)>> {
    check_retire(start, kinds)?;
    let Some(block) = take(start, kinds) else { return Ok(None) };
    block.block_until_unused().inspect_err(|_| block.put_back())?;
    Ok(Some((block, block.context.core.sync(None).map_err(Code::from))))
}

/// Removes all blocks that match from the list.
pub(crate) fn take_all(goes: impl Fn(&Block) -> bool) -> Vec<Block> {
    let mut taken = Vec::new();
    BLOCKS.lock().retain(|_, block| {
        taken.extend(goes(block).then_some(*block));
        !goes(block)
    });
    taken
}

/// Adds the program's memory to the list.
pub(crate) fn register(context: &'static Context, start: usize, len: usize, flags: u32) -> Result {
    let end = start.checked_add(len).filter(|_| start != 0 && len != 0).ok_or(Code::INVALID_VALUE)?;
    let mut blocks = BLOCKS.lock();
    if blocks.range(..end).next_back().is_some_and(|(_, block)| block.start + block.len > start) {
        return Err(Code::HOST_MEMORY_ALREADY_REGISTERED);
    }
    blocks.insert(start, Block::new(context, start, len, Kind::Registered, flags));
    Ok(())
}

/// Returns the block that contains an address.
pub(crate) fn find(address: usize) -> Option<Block> {
    with(address, |block| *block)
}

/// Runs the body on the block that contains an address. It is not freed meanwhile.
pub(crate) fn with<T>(address: usize, body: impl FnOnce(&Block) -> T) -> Option<T> {
    let blocks = BLOCKS.lock();
    let (_, block) = blocks.range(..=address).next_back()?;
    (address - block.start < block.len).then(|| body(block))
}

/// Returns how many bytes of a device are allocated, rounded up to the steps in which devices and pools take memory.
pub(crate) fn taken(device: i32) -> usize {
    const STEP: usize = 2 << 20;
    let blocks = BLOCKS.lock();
    let (mut taken, mut of_pools) = (0_usize, BTreeMap::<usize, usize>::new());
    for block in blocks.values().filter(|block| block.context.device == device) {
        match (block.kind, block.pool) {
            (Kind::Device, Some(pool)) => *of_pools.entry(std::ptr::from_ref(pool) as usize).or_default() += block.len,
            (Kind::Device | Kind::Graph, _) => taken += block.len.next_multiple_of(STEP),
            _ => {}
        }
    }
    taken + of_pools.values().map(|len| len.next_multiple_of(pool::STEP as usize)).sum::<usize>()
}

/// Returns how many bytes lie between an address and the end of its block.
pub(crate) fn room(address: usize) -> Option<usize> {
    find(address).map(|block| block.start + block.len - address)
}
