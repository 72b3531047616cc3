//! Memory that processes share. A block's memory becomes shared when it is exported, at the address that it has.

use crate::block::{self, Block, Kind, PAGE};
use crate::code::{Code, Result};
use crate::context;
use cuda_abi::IPC_MEM_LAZY_ENABLE_PEER_ACCESS;
use gevt_core::shared_memory::{ExportedMemory, SharedMemory};
use parking_lot::{Mutex, RwLock};
use std::collections::BTreeMap;
use std::time::Duration;

/// Exported memory, by the address of its block.
static EXPORTED: Mutex<BTreeMap<usize, SharedMemory>> = Mutex::new(BTreeMap::new());
/// Memory of other processes that is open.
static OPENED: Mutex<Vec<Opened>> = Mutex::new(Vec::new());
/// Taken by whoever writes to blocks, kernels too, and alone by whoever makes one's memory shared.
pub(crate) static IN_USE: RwLock<()> = RwLock::new(());
/// Held by whoever runs a kernel's host function, which may take long.
pub(crate) static KERNELS: RwLock<()> = RwLock::new(());
/// How long an export waits for kernels.
const KERNELS_WAIT: Duration = Duration::from_secs(10);

struct Opened {
    name: [u8; 64],
    start: usize,
    /// How often it was opened, and not closed.
    count: usize,
}

/// Returns the 64 bytes by which another process opens the block that begins there or goes over that address.
pub(crate) fn export(address: usize) -> Result<[u8; 64]> {
    let block = block::find(address).filter(|block| block.kind == Kind::Device && block.pool.is_none());
    let block = block.ok_or(Code::INVALID_VALUE)?;
    // A kernel may wait for what its caller does after this call, and nobody else is to wait with it.
    let is_exported = EXPORTED.lock().contains_key(&block.start);
    let without_kernels = if is_exported { None } else { KERNELS.try_write_for(KERNELS_WAIT) };
    let mut exported = EXPORTED.lock();
    // A block that is taken off the list from now on is not freed before the lock is: `forget` needs it.
    if block::find(block.start).is_none_or(|listed| listed.id != block.id) {
        return Err(Code::INVALID_VALUE);
    }
    let shared = match exported.entry(block.start) {
        std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
        std::collections::btree_map::Entry::Vacant(entry) => entry.insert(share(&block)?),
    };
    drop(without_kernels);
    shared.export([block.len as u64, 0]).map_err(|_| Code::NOT_SUPPORTED)
}

/// Puts shared memory with the block's bytes in the place of its memory. The caller keeps kernels out.
fn share(block: &Block) -> Result<SharedMemory> {
    let mapped = block.len.next_multiple_of(PAGE);
    let shared = SharedMemory::create(mapped as u64).map_err(|_| Code::OUT_OF_MEMORY)?;
    let copy = map(&shared, mapped, 0).ok_or(Code::OUT_OF_MEMORY)?;
    let alone = IN_USE.write();
    // SAFETY: the block has that many bytes, as has the mapping, which nobody else knows.
    unsafe { std::ptr::copy_nonoverlapping(block.start as *const u8, copy as *mut u8, block.len) };
    let placed = map(&shared, mapped, block.start);
    drop(alone);
    // SAFETY: this function mapped it for itself.
    unsafe { unmap(copy, mapped) };
    placed.map(|_| shared).ok_or(Code::OUT_OF_MEMORY)
}

/// Maps the memory, at that address in the place of what is there, or where there is room if that is 0.
fn map(shared: &SharedMemory, len: usize, at: usize) -> Option<usize> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let flags = if at == 0 { libc::MAP_SHARED } else { libc::MAP_SHARED | libc::MAP_FIXED };
    // SAFETY: a new mapping, or one over whole pages of a block, which stays allocated.
    let start = unsafe { libc::mmap(at as *mut libc::c_void, len, access, flags, shared.descriptor(), 0) };
    (start != libc::MAP_FAILED).then_some(start as usize)
}

/// Makes the memory of a block that is being freed its own again, as its allocator expects.
pub(crate) fn forget(block: &Block) {
    if EXPORTED.lock().remove(&block.start).is_none() {
        return;
    }
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
    let (start, len) = (block.start as *mut libc::c_void, block.len.next_multiple_of(PAGE));
    // SAFETY: over the pages that `share` mapped; nobody uses the block any more.
    unsafe { libc::mmap(start, len, access, flags, -1, 0) };
}

/// Opens another process's memory; opened again, it has the same address.
pub(crate) fn open(name: &[u8; 64], flags: u32) -> Result<usize> {
    let context = context::current()?;
    if flags != IPC_MEM_LAZY_ENABLE_PEER_ACCESS {
        return Err(Code::INVALID_VALUE);
    }
    let exported = ExportedMemory::from_bytes(name).ok_or(Code::INVALID_VALUE)?;
    if exported.is_own() {
        return Err(Code::INVALID_CONTEXT);
    }
    let mut opened = OPENED.lock();
    if let Some(known) = opened.iter_mut().find(|opened| opened.name == *name) {
        known.count += 1;
        return Ok(known.start);
    }
    let (start, len) = open_block(&exported)?;
    opened.push(Opened { name: *name, start, count: 1 });
    block::list(context, start, len, Kind::Imported);
    Ok(start)
}

/// Maps another process's block; returns where it is, and how long.
fn open_block(exported: &ExportedMemory) -> Result<(usize, usize)> {
    let mapped = usize::try_from(exported.bytes()).map_err(|_| Code::MAP_FAILED)?;
    let fits = |len: &usize| *len > 0 && len.checked_next_multiple_of(PAGE) == Some(mapped);
    let len = usize::try_from(exported.words()[0]).ok().filter(fits).ok_or(Code::MAP_FAILED)?;
    let shared = exported.open().map_err(|_| Code::MAP_FAILED)?;
    Ok((map(&shared, mapped, 0).ok_or(Code::MAP_FAILED)?, len))
}

/// Takes a mapping away.
///
/// # Safety
/// `map` made it, and no thread and no work uses it.
unsafe fn unmap(start: usize, len: usize) {
    // SAFETY: the caller's promise.
    unsafe { libc::munmap(start as *mut libc::c_void, len.next_multiple_of(PAGE)) };
}

/// Closes memory that was opened in a context that ends, however often it was.
pub(crate) fn forget_opened(start: usize, len: usize) {
    OPENED.lock().retain(|opened| opened.start != start);
    // SAFETY: the caller has taken the block off the list, once the work of its context was done.
    unsafe { unmap(start, len) };
}

/// Closes memory that was opened. The last time, it waits for the work of all contexts.
pub(crate) fn close(start: usize) -> Result {
    let mut opened = OPENED.lock();
    let at = opened.iter().position(|opened| opened.start == start).ok_or(Code::INVALID_VALUE)?;
    if opened[at].count > 1 {
        opened[at].count -= 1;
        return Ok(());
    }
    block::check_retire(start, &[Kind::Imported])?;
    let last = opened.swap_remove(at);
    drop(opened);
    let retired = block::retire(start, &[Kind::Imported]).inspect_err(|_| OPENED.lock().push(last))?;
    let (block, failed) = retired.ok_or(Code::INVALID_VALUE)?;
    // SAFETY: `retire` took the block off the list, once no work used it.
    unsafe { unmap(start, block.len) };
    failed
}
