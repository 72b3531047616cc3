use super::*;

#[test]
fn blocks_are_taken_once_and_come_back() {
    let layout = Layout::new::<[u8; BLOCK]>();
    let taken: Vec<usize> = (0..BLOCKS).map(|_| take(layout) as usize).collect();
    assert!(taken.iter().all(|block| block_of(*block as *mut u8).is_some()));
    assert_eq!(taken.iter().collect::<std::collections::HashSet<_>>().len(), BLOCKS);
    assert!(take(layout).is_null());
    for block in taken {
        // SAFETY: it was taken above.
        unsafe { Allocator.dealloc(block as *mut u8, layout) };
    }
    assert_eq!(USED.load(Ordering::Relaxed), 0);
    assert!(take(Layout::new::<[u8; BLOCK + 1]>()).is_null());
    let short = Layout::new::<u8>();
    let block = take(short);
    // SAFETY: a block is longer than a byte, and what is longer than a block is from the system's heap.
    unsafe {
        block.write(7);
        let moved = Allocator.realloc(block, short, 2 * BLOCK);
        assert!(block_of(moved).is_none() && moved.read() == 7, "it has grown out of its block");
        Allocator.dealloc(moved, Layout::new::<[u8; 2 * BLOCK]>());
    }
}
