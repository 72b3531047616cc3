//! The calling thread's protection of the native objects that it uses.

use crate::hazards::{self, Hazards};
use crate::process;
use crate::thread;
use std::cell::Cell;

thread_local! {
    static MINE: Cell<Option<&'static Hazards>> = const { Cell::new(None) };
}

/// The calling thread's protection; `None` if it has protected something already, or if the system has no barrier for it.
#[inline]
pub(super) fn mine() -> Option<&'static Hazards> {
    match MINE.get() {
        Some(mine) => mine.is_clear().then_some(mine),
        None => begin(),
    }
}

#[cold]
fn begin() -> Option<&'static Hazards> {
    if !hazards::can_protect() || !thread::at_end(end) {
        return None;
    }
    MINE.set(hazards::take_place());
    MINE.get()
}

/// Gives the place back when the thread ends.
fn end() {
    let mine = MINE.take();
    // In the child of a fork another thread may have held the lock.
    if !process::is_over() {
        mine.into_iter().for_each(hazards::give_place_back);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hazards::scan;
    use std::sync::mpsc::channel;
    use std::thread;

    #[test]
    fn what_a_thread_protects_is_seen_until_it_clears_it_or_ends() {
        if !hazards::can_protect() {
            return;
        }
        let (protected, look) = channel();
        let (proceed, go) = channel::<()>();
        let thread = thread::spawn(move || {
            let mine = mine().expect("there is a place");
            mine.protect([11, 12]);
            assert!(super::mine().is_none(), "a call within a call protects nothing");
            assert!(scan().has_any());
            let _ = protected.send(());
            let _ = go.recv();
            mine.clear();
            mine.protect([13, 0]);
        });
        look.recv().expect("it runs");
        assert_eq!([10, 11, 12, 13].map(|native| scan().has(native)), [false, true, true, false]);
        drop(proceed);
        thread.join().expect("it ends");
        assert!(![11, 12, 13].into_iter().any(|native| scan().has(native)));
        // Other tests protect for moments.
        while scan().has_any() {
            thread::yield_now();
        }
    }
}
