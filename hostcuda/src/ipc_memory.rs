//! Memory shared between processes. A block's memory becomes shared when it is exported, and keeps its address.

use crate::block::{self, Block, Kind, PAGE};
use crate::code::{Code, Result};
use crate::context;
use cuda_abi::IPC_MEM_LAZY_ENABLE_PEER_ACCESS;
use gevt_core::lock::{Condvar, Mutex, MutexGuard, RwLock};
use gevt_core::shared_memory::{ExportedMemory, SharedMemory};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Exported memory, by block address.
static EXPORTED: Mutex<BTreeMap<usize, SharedMemory>> = Mutex::new(BTreeMap::new());
/// Imported memory that is open.
static OPENED: Mutex<Vec<Opened>> = Mutex::new(Vec::new());
/// Held for reading while blocks are written, also by kernels. Held for writing while a block's memory is replaced by shared memory.
pub(crate) static IN_USE: RwLock<()> = RwLock::new(());
/// How many kernels' host functions run, which may take long. None begins while it is locked.
static KERNELS: Mutex<usize> = Mutex::new(0);
static KERNEL_ENDED: Condvar = Condvar::new();
/// The longest time that an export waits for kernels.
const KERNELS_WAIT: Duration = Duration::from_secs(10);

struct Opened {
    name: [u8; 64],
    start: usize,
    /// How often it was opened without being closed.
    count: usize,
}

/// A kernel's host function that runs.
pub(crate) struct RunningKernel(());

impl RunningKernel {
    /// Begins one. It does not wait for an export that waits: the export may wait for a kernel that depends on this one.
    pub(crate) fn begin() -> RunningKernel {
        *KERNELS.lock() += 1;
        RunningKernel(())
    }
}

impl Drop for RunningKernel {
    fn drop(&mut self) {
        *KERNELS.lock() -= 1;
        KERNEL_ENDED.notify_all();
    }
}

/// Waits until no kernel runs, and lets none begin; `None` if kernels run for too long.
fn keep_kernels_out() -> Option<MutexGuard<'static, usize>> {
    let deadline = Instant::now() + KERNELS_WAIT;
    let mut running = KERNELS.lock();
    while *running > 0 {
        let rest = deadline.checked_duration_since(Instant::now())?;
        (running, _) = KERNEL_ENDED.wait_for(running, rest);
    }
    Some(running)
}

/// Returns the 64 bytes with which another process opens the block that contains the address.
pub(crate) fn export(address: usize) -> Result<[u8; 64]> {
    let block = block::find(address).filter(|block| block.kind == Kind::Device && block.pool.is_none());
    let block = block.ok_or(Code::INVALID_VALUE)?;
    // Waits for kernels without holding the lock. A kernel may depend on what the caller does after this call, and other threads should not
    // wait with it.
    let is_exported = EXPORTED.lock().contains_key(&block.start);
    let without_kernels = if is_exported { None } else { keep_kernels_out() };
    let mut exported = EXPORTED.lock();
    // A block that is removed from the list after this check cannot be freed while the lock is held, because `forget` needs it.
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

/// Replaces the block's memory by shared memory with the same contents. The caller keeps kernels out.
fn share(block: &Block) -> Result<SharedMemory> {
    let mapped = block.len.next_multiple_of(PAGE);
    let shared = SharedMemory::create(mapped as u64).map_err(|_| Code::OUT_OF_MEMORY)?;
    let copy = map(&shared, mapped, 0).ok_or(Code::OUT_OF_MEMORY)?;
    let alone = IN_USE.write();
    // SAFETY: the block has `block.len` bytes. The new mapping has at least as many, and only this function knows it.
    unsafe { std::ptr::copy_nonoverlapping(block.start as *const u8, copy as *mut u8, block.len) };
    let placed = map(&shared, mapped, block.start);
    drop(alone);
    // SAFETY: this function mapped it for itself.
    unsafe { unmap(copy, mapped) };
    placed.map(|_| shared).ok_or(Code::OUT_OF_MEMORY)
}

/// Maps the memory at `at`, replacing what is mapped there. The kernel chooses the address if `at` is 0.
fn map(shared: &SharedMemory, len: usize, at: usize) -> Option<usize> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let flags = if at == 0 { libc::MAP_SHARED } else { libc::MAP_SHARED | libc::MAP_FIXED };
    // SAFETY: a new mapping, or one over whole pages of a block, which stays allocated.
    let start = unsafe { libc::mmap(at as *mut libc::c_void, len, access, flags, shared.descriptor(), 0) };
    (start != libc::MAP_FAILED).then_some(start as usize)
}

/// Replaces the shared memory of a block that is being freed by private memory, as its allocator expects.
pub(crate) fn forget(block: &Block) {
    if EXPORTED.lock().remove(&block.start).is_none() {
        return;
    }
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
    let (start, len) = (block.start as *mut libc::c_void, block.len.next_multiple_of(PAGE));
    // SAFETY: `share` mapped exactly these pages, and no work uses the block any more.
    unsafe { libc::mmap(start, len, access, flags, -1, 0) };
}

/// Opens another process's memory. Opening it again returns the same address.
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

/// Maps another process's block. Returns its address and length.
fn open_block(exported: &ExportedMemory) -> Result<(usize, usize)> {
    let mapped = usize::try_from(exported.bytes()).map_err(|_| Code::MAP_FAILED)?;
    let fits = |len: &usize| *len > 0 && len.checked_next_multiple_of(PAGE) == Some(mapped);
    let len = usize::try_from(exported.words()[0]).ok().filter(fits).ok_or(Code::MAP_FAILED)?;
    let shared = exported.open().map_err(|_| Code::MAP_FAILED)?;
    Ok((map(&shared, mapped, 0).ok_or(Code::MAP_FAILED)?, len))
}

/// Unmaps a mapping.
///
/// # Safety
/// `map` made it, and no thread and no work uses it.
unsafe fn unmap(start: usize, len: usize) {
    // SAFETY: the caller's promise.
    unsafe { libc::munmap(start as *mut libc::c_void, len.next_multiple_of(PAGE)) };
}

/// Closes memory that was opened in a context that ends, no matter how often it was opened.
pub(crate) fn forget_opened(start: usize, len: usize) {
    OPENED.lock().retain(|opened| opened.start != start);
    // SAFETY: the caller has taken the block off the list, once the work of its context was done.
    unsafe { unmap(start, len) };
}

/// Closes opened memory. The last close waits for the work of all contexts.
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
