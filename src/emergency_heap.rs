//! Memory set aside for short allocations while the system has none. A call that has begun can end with it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU64, Ordering};

/// The length of a block. Each allocation gets one; longer ones are not served.
const BLOCK: usize = 4096;
const BLOCKS: usize = 64;

#[repr(C, align(4096))]
struct Blocks(UnsafeCell<[[u8; BLOCK]; BLOCKS]>);

// SAFETY: a block is used by the thread that has set its bit in USED, and by no other.
unsafe impl Sync for Blocks {}

static MEMORY: Blocks = Blocks(UnsafeCell::new([[0; BLOCK]; BLOCKS]));
/// A bit for each block that is in use.
static USED: AtomicU64 = AtomicU64::new(0);

/// The system's allocator, and the reserve if that fails.
pub(super) struct Allocator;

// SAFETY: memory comes from the system's allocator, or is a block that no other allocation has, and goes back to where it came from.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        let memory = unsafe { System.alloc(layout) };
        if memory.is_null() { take(layout) } else { memory }
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        match block_of(memory) {
            Some(block) => drop(USED.fetch_and(!(1 << block), Ordering::Release)),
            // SAFETY: the caller's promise; it is no block.
            None => unsafe { System.dealloc(memory, layout) },
        }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if block_of(memory).is_none() {
            // SAFETY: the caller's promise; it is no block.
            let moved = unsafe { System.realloc(memory, layout, size) };
            if !moved.is_null() {
                return moved;
            }
        }
        // SAFETY: the caller promises that the size fits a layout.
        let moved = unsafe { self.alloc(Layout::from_size_align_unchecked(size, layout.align())) };
        if !moved.is_null() {
            // SAFETY: both are that long at least and do not overlap, and the old memory is the caller's to give back.
            unsafe {
                moved.copy_from_nonoverlapping(memory, layout.size().min(size));
                self.dealloc(memory, layout);
            }
        }
        moved
    }
}

/// Takes a free block; null if all are used, or if a block is too short.
#[cold]
#[inline(never)]
fn take(layout: Layout) -> *mut u8 {
    let free_bit = |used: u64| (used != u64::MAX).then(|| used | (used + 1));
    let fits = layout.size() <= BLOCK && layout.align() <= BLOCK;
    match fits.then(|| USED.fetch_update(Ordering::Acquire, Ordering::Relaxed, free_bit)) {
        Some(Ok(before)) => MEMORY.0.get().cast::<u8>().wrapping_add(before.trailing_ones() as usize * BLOCK),
        _ => std::ptr::null_mut(),
    }
}

/// Returns the number of the block at that address, if a block begins there.
#[inline]
fn block_of(memory: *mut u8) -> Option<usize> {
    let offset = (memory as usize).wrapping_sub(MEMORY.0.get() as usize);
    (offset < BLOCK * BLOCKS).then_some(offset / BLOCK)
}

#[cfg(test)]
#[path = "emergency_heap_tests.rs"]
mod tests;
