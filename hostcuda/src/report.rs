//! Messages on stderr, and file I/O inside calls.

use gevt_core::lock::Mutex;
use gevt_core::process::Uncancelled;
use std::collections::BTreeSet;
use std::io::Write;

/// Writes a line to stderr. The line is lost if stderr is not writable.
pub(crate) fn report(line: std::fmt::Arguments<'_>) {
    let write = || writeln!(std::io::stderr(), "gevt-hostcuda: {line}");
    let _ = uncancelled(write);
}

/// Runs `body` on the first call with this word.
pub(crate) fn report_once(word: &str, body: impl FnOnce()) {
    static DONE: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if DONE.lock().insert(word.to_owned()) {
        body();
    }
}

/// Runs file I/O with thread cancellation disabled. A canceled thread would otherwise exit inside `body`, and that ends the process because
/// exported functions do not unwind.
pub(crate) fn uncancelled<T>(body: impl FnOnce() -> T) -> T {
    let _uncancelled = Uncancelled::new();
    body()
}
