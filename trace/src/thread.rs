//! Threads as the kernel numbers them.

use super::entry::TraceEntry;
use super::os;
use super::session::BUFFER;
use gevt_core::Name;
use gevt_core::probe::What;
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

thread_local! {
    static ID: Cell<u32> = const { Cell::new(0) };
    /// The trace that has the thread's name.
    static KNOWN_TO: Cell<u32> = const { Cell::new(0) };
    static INNERMOST: Cell<i64> = const { Cell::new(0) };
}

/// How many traces there were, with the one under way.
static TRACES: AtomicU32 = AtomicU32::new(0);

/// A trace begins, which has no thread's name yet.
pub(super) fn begin_trace() {
    TRACES.fetch_add(1, Ordering::Relaxed);
}

/// Tells the trace the calling thread's name before its first entry, as the thread may have ended when that is written. Returns
/// whether the trace knows the name: without room for it there is none for the thread's entries.
pub(super) fn introduce() -> bool {
    let trace = TRACES.load(Ordering::Relaxed);
    if KNOWN_TO.get() != trace {
        let name = Name::new(&os::name_of_this_thread());
        if !BUFFER.push(TraceEntry::now(What::Thread(name))) {
            return false;
        }
        KNOWN_TO.set(trace);
    }
    true
}

/// Returns the calling thread's number.
pub(crate) fn id() -> u32 {
    if ID.get() == 0 {
        ID.set(os::number_of_thread());
    }
    ID.get()
}

/// When the calling thread's innermost call under way began; 0 if it is in none that is traced.
pub(super) fn innermost() -> i64 {
    INNERMOST.get()
}

pub(super) fn set_innermost(since: i64) {
    INNERMOST.set(since);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_have_numbers_of_their_own() {
        let other = std::thread::spawn(id).join().expect("it does not panic");
        assert_ne!(id(), other);
    }
}
