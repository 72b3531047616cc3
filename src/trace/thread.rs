//! Threads as the kernel numbers them.

use std::cell::Cell;

thread_local! {
    static ID: Cell<u32> = const { Cell::new(0) };
}

/// The calling thread's number; 0 where /proc does not tell.
pub(crate) fn id() -> u32 {
    if ID.get() == 0 {
        // "PID/task/TID"
        let link = std::fs::read_link("/proc/thread-self").unwrap_or_default();
        let number = link.file_name().and_then(|name| name.to_str()?.parse().ok());
        ID.set(number.unwrap_or(0));
    }
    ID.get()
}

/// What a thread of this process is called; empty where it has ended.
pub(super) fn name_of(id: u32) -> String {
    name_in(&format!("/proc/self/task/{id}/comm"))
}

/// What the process is called.
pub(super) fn process_name() -> String {
    name_in("/proc/self/comm")
}

/// A name may be any bytes.
fn name_in(file: &str) -> String {
    let bytes = std::fs::read(file).unwrap_or_default();
    String::from_utf8_lossy(&bytes).trim_end_matches('\n').to_owned()
}
