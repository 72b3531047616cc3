//! What a thread needs once: the C library ends the process if it has no memory to note that a thread's storage has a destructor,
//! so that this is done early, and only while there is memory.

use crate::error::{Error, Result};
use crate::process;
use parking_lot::{Condvar, Mutex};
use std::cell::Cell;
use std::hint::black_box;
use std::time::Instant;

/// With that much memory, there is enough for a few notes.
const PLENTY: usize = 64 << 10;

thread_local! {
    /// Has no destructor itself.
    static MAY_WAIT: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether there is memory for a thread to begin to keep something.
pub(crate) fn has_memory() -> bool {
    let mut plenty: Vec<u8> = Vec::new();
    let has_memory = plenty.try_reserve_exact(PLENTY).is_ok();
    drop(black_box(plenty));
    has_memory
}

/// Prepares the calling thread for calls that may block, once.
pub fn prepare_thread() -> Result<()> {
    if MAY_WAIT.get() {
        return Ok(());
    }
    // Another thread may have held the lock that the wait below takes.
    if process::is_forked() {
        return Err(Error::Forked);
    }
    if !has_memory() {
        return Err(Error::OutOfMemory);
    }
    // A thread's first wait makes what all its waits need.
    Condvar::new().wait_until(&mut Mutex::new(()).lock(), Instant::now());
    MAY_WAIT.set(true);
    Ok(())
}
