use super::*;
use crate::backend::HostFn;

extern "C" fn nothing(_: *mut std::ffi::c_void) {}

fn call() -> Work {
    Work::Call(HostFn { function: nothing, user: std::ptr::null_mut() })
}

fn give(queue: &WorkQueue, count: usize) {
    let before: Vec<_> = (1..count).map(|_| call()).collect();
    assert!(queue.give(before.into_iter(), call(), || true, || {}).is_ok());
}

#[test]
fn the_lists_have_room_for_what_was_used_and_not_for_ever_more() {
    const MOST: usize = 9;
    let queue = WorkQueue::default();
    for count in [1, MOST].into_iter().chain([1; 40]) {
        give(&queue, count);
        let mut batch = queue.batch();
        assert_eq!(queue.next(&mut batch, || {}), Next::More);
        // Meanwhile comes more, for the other list.
        give(&queue, 5);
        batch.clear();
        while queue.next(&mut batch, || {}) == Next::More {
            batch.clear();
        }
        let rooms = [queue.inner.lock().work.capacity(), batch.capacity()];
        assert!(rooms[0] == rooms[1] && rooms[0] <= 2 * MOST, "room for {rooms:?}");
    }
}
