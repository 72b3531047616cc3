//! Threads as the kernel numbers them.

use std::cell::Cell;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

/// More threads than this the kernel does not number.
const MOST: u32 = 1 << 22;

thread_local! {
    static ID: Cell<u32> = const { Cell::new(0) };
    static INNERMOST: Cell<i64> = const { Cell::new(0) };
}

/// The calling thread's number; one of gevt's own where /proc does not tell.
pub(crate) fn id() -> u32 {
    if ID.get() == 0 {
        ID.set(number_in(Path::new("/proc/thread-self")));
    }
    ID.get()
}

/// The last number of what the link points to, "PID/task/TID".
fn number_in(link: &Path) -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(MOST + 1);
    let target = std::fs::read_link(link).unwrap_or_default();
    let number = target.file_name().and_then(|name| name.to_str()?.parse().ok());
    number.unwrap_or_else(|| NEXT.fetch_add(1, Ordering::Relaxed))
}

/// When the calling thread's innermost call under way began; 0 where it is in none that a trace was told of.
pub(super) fn innermost() -> i64 {
    INNERMOST.get()
}

pub(super) fn set_innermost(since: i64) {
    INNERMOST.set(since);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_have_numbers_of_their_own() {
        let other = std::thread::spawn(id).join().expect("it does not panic");
        assert!(id() != other && id() < MOST && other < MOST);
        assert_ne!(number_in(Path::new("/none")), number_in(Path::new("/none")));
    }
}
