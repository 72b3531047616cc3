//! Memory shared between processes.

use crate::block::{self, Block, Kind};
use crate::code::{Code, Result};
use crate::context;
use crate::device_memory::{FILE_LEN, PAGE, file, map, unmap};
use cuda_abi::IPC_MEM_LAZY_ENABLE_PEER_ACCESS;
use gevt_core::lock::Mutex;
use gevt_core::shared_memory::{SharedFile, SharedName, me};
use std::sync::atomic::{AtomicU8, Ordering};

/// The kind of the 64 bytes that name a block.
const MAGIC: u64 = u64::from_ne_bytes(*b"gevtMEM\x04");

/// Imported memory that is open.
static OPENED: Mutex<Vec<Opened>> = Mutex::new(Vec::new());

struct Opened {
    name: [u8; 64],
    start: usize,
    /// How often it was opened without being closed.
    count: usize,
}

/// Returns the 64 bytes with which another process opens the block that contains the address.
pub(crate) fn export(address: usize) -> Result<[u8; 64]> {
    let touch = |block: &Block| {
        if block.is_exportable() {
            // A block that was never written would look like a freed one. An exchange that keeps the value is a write to the kernel.
            // SAFETY: device memory of at least one byte, which is not freed meanwhile.
            let first = unsafe { AtomicU8::from_ptr(block.start as *mut u8) };
            let _ = first.compare_exchange(0, 0, Ordering::Relaxed, Ordering::Relaxed);
        }
        *block
    };
    let block = block::with(address, touch).filter(Block::is_exportable).ok_or(Code::INVALID_VALUE)?;
    let file = file()?.name();
    Ok(SharedName { exporter: me(), file, about: block.len as u64, words: [block.place, 0] }.to_bytes(MAGIC))
}

/// Opens another process's memory. Opening it again returns the same address.
pub(crate) fn open(name: &[u8; 64], flags: u32) -> Result<usize> {
    let context = context::current()?;
    if flags != IPC_MEM_LAZY_ENABLE_PEER_ACCESS {
        return Err(Code::INVALID_VALUE);
    }
    let exported = SharedName::from_bytes(name, MAGIC).ok_or(Code::INVALID_VALUE)?;
    if me() == exported.exporter {
        return Err(Code::INVALID_CONTEXT);
    }
    let mut opened = OPENED.lock();
    if let Some(known) = opened.iter_mut().find(|opened| opened.name == *name) {
        known.count += 1;
        return Ok(known.start);
    }
    let (start, len) = open_block(exported)?;
    opened.push(Opened { name: *name, start, count: 1 });
    block::list(context, start, len, Kind::Imported);
    Ok(start)
}

/// Maps another process's block, which is not freed. Returns its address and length.
fn open_block(exported: SharedName) -> Result<(usize, usize)> {
    let SharedName { file, about: len, words: [place, _], .. } = exported;
    let end = len.checked_next_multiple_of(PAGE as u64).and_then(|mapped| place.checked_add(mapped));
    let end = end.filter(|end| len > 0 && *end <= FILE_LEN).ok_or(Code::MAP_FAILED)?;
    let shared = SharedFile::open(file, FILE_LEN).map_err(|_| Code::MAP_FAILED)?;
    // SAFETY: a call without pointers.
    let data = unsafe { libc::lseek(shared.descriptor(), place.cast_signed(), libc::SEEK_DATA) };
    if !u64::try_from(data).is_ok_and(|data| data < end) {
        return Err(Code::MAP_FAILED);
    }
    Ok((map(&shared, (end - place) as usize, place).ok_or(Code::MAP_FAILED)?, len as usize))
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
