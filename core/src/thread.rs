//! What gevt does when a thread that has used it ends.
//!
//! The C library ends the process if it has no memory to register a destructor of a thread's storage. So storage that the frequent calls need has
//! no destructor, and registers a function here instead, which may fail.

use crate::os;
use std::cell::Cell;
use std::ffi::c_void;

/// The greatest number of functions for one thread: more than there are callers.
const MOST: usize = 16;

/// The functions of a thread, in the order in which they were registered.
type Ends = [Option<fn()>; MOST];

thread_local! {
    static ENDS: Cell<Ends> = const { Cell::new([None; MOST]) };
}

/// Calls `end` once when the calling thread ends, regardless of the number of calls; false if there is no memory to
/// register it.
pub(crate) fn at_end(end: fn()) -> bool {
    let mut ends = ENDS.get();
    let is_it = |place: &&mut Option<fn()>| place.is_none_or(|known| std::ptr::fn_addr_eq(known, end));
    let Some(place) = ends.iter_mut().find(is_it) else { return false };
    *place = Some(end);
    let is_registered = os::at_thread_end(run);
    if is_registered {
        ENDS.set(ends);
    }
    is_registered
}

/// Runs on a thread that ends, after the destructors of its storage. Functions that those which run here register run later.
extern "C" fn run(_: *mut c_void) {
    ENDS.replace([None; MOST]).into_iter().flatten().for_each(|end| end());
}

#[cfg(test)]
#[path = "thread_tests.rs"]
mod tests;
