//! Messages on stderr, and file input and output inside calls.

use gevt_core::process::Uncancelled;
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::io::Write;

/// Writes a line to stderr. It is lost if nothing can be written there.
pub(crate) fn report(line: std::fmt::Arguments<'_>) {
    let write = || writeln!(std::io::stderr(), "gevt-hostcuda: {line}");
    let _ = uncancelled(write);
}

/// Runs what reports something, the first time that it is asked for that word.
pub(crate) fn report_once(word: &str, body: impl FnOnce()) {
    static DONE: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if DONE.lock().insert(word.to_owned()) {
        body();
    }
}

/// Runs what reads or writes files. A thread that is being cancelled would end there, and with it the process, as nothing unwinds
/// through an exported function.
pub(crate) fn uncancelled<T>(body: impl FnOnce() -> T) -> T {
    let _uncancelled = Uncancelled::new();
    body()
}
