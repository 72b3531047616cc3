//! Device memory. All of it is in one file, which other processes can open. Each block has a part of its own, which is not used again.

use crate::code::{Code, Result};
use crate::report::uncancelled;
use gevt_core::shared_memory::SharedFile;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Device memory is made of whole pages, because other processes may map it.
pub(crate) const PAGE: usize = 4096;
/// The length of the file, which only takes memory where blocks are.
pub(crate) const FILE_LEN: u64 = 1 << 60;

/// Returns the file.
pub(crate) fn file() -> Result<&'static SharedFile> {
    static FILE: OnceLock<Option<SharedFile>> = OnceLock::new();
    FILE.get_or_init(|| SharedFile::create(FILE_LEN).ok()).as_ref().ok_or(Code::OUT_OF_MEMORY)
}

/// Returns the address of new memory, and its place in the file.
pub(crate) fn allocate(len: usize) -> Result<(usize, u64)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let mapped = len.checked_next_multiple_of(PAGE).ok_or(Code::OUT_OF_MEMORY)?;
    let place = NEXT.fetch_add(mapped as u64, Ordering::Relaxed);
    Ok((map(file()?, mapped, place).ok_or(Code::OUT_OF_MEMORY)?, place))
}

/// Frees memory that [`allocate`] returned. Other processes that have it open find zeros.
///
/// # Safety
/// No thread and no work uses the memory any more, and this is called once for it.
pub(crate) unsafe fn free(start: usize, len: usize, place: u64) {
    // SAFETY: the caller's promise.
    unsafe { unmap(start, len) };
    let (hole, mapped) = (libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE, len.next_multiple_of(PAGE));
    if let Ok(file) = file() {
        // SAFETY: a call without pointers. No other block has that part of the file.
        uncancelled(|| unsafe { libc::fallocate(file.descriptor(), hole, place.cast_signed(), mapped as libc::off_t) });
    }
}

/// Maps a part of the memory.
pub(crate) fn map(shared: &SharedFile, len: usize, place: u64) -> Option<usize> {
    let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_NORESERVE);
    let place = libc::off_t::try_from(place).ok()?;
    // SAFETY: a new mapping, at an address that the kernel chooses.
    let start = unsafe { libc::mmap(std::ptr::null_mut(), len, access, flags, shared.descriptor(), place) };
    (start != libc::MAP_FAILED).then_some(start as usize)
}

/// Unmaps a mapping.
///
/// # Safety
/// `map` made it, and no thread and no work uses it.
pub(crate) unsafe fn unmap(start: usize, len: usize) {
    // SAFETY: the caller's promise.
    unsafe { libc::munmap(start as *mut libc::c_void, len.next_multiple_of(PAGE)) };
}
